"""`hashlearn store search`, `index` and `info`: what is found is what an index finds."""

import json

import numpy as np
import pytest

from hashlearn.methods import LSHHasher
from hashlearn.stores import open_store
from tests.cli.store.stored import found

pytest.importorskip("lancedb")
pytest.importorskip("sqlite_vec")

CODES = ("codes.npy", "--bits", 20)


@pytest.fixture(scope="module")
def filled(place, tmp_path_factory):
    """Return the address of a table of 200 digits, which is only read."""
    address = f"sqlite:{tmp_path_factory.mktemp('filled') / 'codes.db'}"
    with open_store(address) as store:
        columns = {"digit": int, "half": float, "name": str, "even": bool}
        store.create(place.hasher.n_bits, columns)
        names = np.array([f"no. {digit}, of 9" for digit in place.y])
        values = {"digit": place.y, "half": place.y / 2, "name": names, "even": place.y % 2 == 0}
        store.add(place.hasher.encode(place.X), np.arange(200), values)
    return address


@pytest.mark.parametrize(
    ("where", "matches"),
    [
        (["digit=3"], lambda y: y == 3),
        (["digit=3,5"], lambda y: (y == 3) | (y == 5)),
        (["digit=3..5"], lambda y: (y >= 3) & (y <= 5)),
        (["half=..1.5"], lambda y: y <= 3),
        (["half=1.5.."], lambda y: y >= 3),
        (["even=TRUE", "digit=3..6"], lambda y: (y == 4) | (y == 6)),
        (['name="no. 3, of 9","no. 4, of 9"'], lambda y: (y == 3) | (y == 4)),
        (["digit!=3,5"], lambda y: (y != 3) & (y != 5)),
        (["id=17,29"], lambda y: np.isin(np.arange(200), (17, 29))),
    ],
)
def test_where_leaves_what_it_says(run, place, filled, index, where, matches):
    words = [word for one in where for word in ("--where", one)]
    result = run("store", "search", filled, "codes.npy", "--radius", 6, "--json", *words)
    allowed = np.flatnonzero(matches(place.y))
    offsets, ids, _ = index.radius_search(index.reconstruct(np.arange(200)), 6)
    expected = [set(part) & set(allowed) for part in np.split(ids, offsets[1:-1])]
    assert [set(ids) for ids, _ in found(result)] == expected


def test_people_get_the_table_of_hashlearn_search(run, place, filled, tmp_path):
    run("index", *CODES, "--output", tmp_path / "index")
    words = ("codes.npy", "-k", 200)  # all, so that no tie is cut
    by_store = run("store", "search", filled, *words).stdout
    assert by_store == run("search", tmp_path / "index", *words).stdout
    narrowed = run("store", "search", filled, *words, "--where", "digit=3").stdout
    assert f"of {(place.y == 3).sum()} items that --where leaves" in narrowed


def test_a_model_made_for_float_queries_is_rescored_by_margins_and_says_so(
    run, place, filled, monkeypatch
):
    words = ("store", "search", filled, "queries.npy", "--model", "plain.hashlearn", "-k", 3)
    by_margins = run(*words, "--rescore", "margins", "--json").stdout
    by_bits = run(*words, "--json").stdout
    monkeypatch.setattr(LSHHasher, "asymmetric", True)
    assert run(*words, "--json").stdout == by_margins
    assert '"scores"' in by_margins
    assert "The 3 nearest of 200 items, rescored by margins: id (score)" in run(*words).stdout
    assert run(*words, "--rescore", "none", "--json").stdout == by_bits
    within = run(*words[:-2], "--radius", 2, "--json").stdout
    assert '"distances"' in within


def test_an_index_is_built_and_used(run, fail, index, tmp_path):
    address = f"lancedb:{tmp_path / 'codes'}"
    run("store", "push", *CODES, "--to", address)
    assert json.loads(run("store", "info", address, "--json").stdout)["index"] is False
    said = fail("store", "search", address, "codes.npy", "--effort", 3)
    advice = "build one with `hashlearn store index`, or leave out --effort."
    assert said == f"hashlearn: table items in {tmp_path / 'codes'} has no index: {advice}\n"
    said = run("store", "index", address).stderr
    assert f"Built an index of 200 codes of 20 bits, of table items in {tmp_path}" in said
    assert json.loads(run("store", "info", address, "--json").stdout)["index"] is True
    result = run("store", "search", address, "codes.npy", "-k", 3, "--effort", 100, "--json")
    expected = index.search(index.reconstruct(np.arange(200)), 3).distances
    assert [distances for _, distances in found(result)] == expected.tolist()


def test_info_says_what_a_table_is(run, filled):
    said = run("store", "info", filled).stdout
    for fact in ("bits      20", "items     200", "digit='int'", f"where     {filled[7:]}"):
        assert fact in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--where digit", "--where must be COLUMN=VALUE or COLUMN!=VALUE; got digit."),
        ("--where effort=3", "--where must name a column of"),
        ("--where cat=3", "must name a column of 'id', 'digit'"),
        (
            "--where digit=x",
            "--where: values of column 'digit' must be integers of 64 bits; got digit=x.",
        ),
        ("--where digit=1_0", "column 'digit' must be integers"),
        ("--where digit=", "no item of table"),
        ("--where digit=77", "no item of table"),
        ("--where digt=3", "did you mean 'digit'"),
        ("--where half=a..b", "column 'half' must be numbers"),
        ("--where even=3", "column 'even' must be true or false"),
        ("--where even=true..", "must be True or False"),
        ("--where digit=..", "at least one bound"),
        ("--where digit=99999999999999999999", "must be integers of 64 bits"),
        ('--where name="a', 'quoted texts such as "a","b"'),
        ('--where name="a",3', 'quoted texts such as "a","b"'),
        ("--where digit=3 --where digit=5", "names column 'digit' twice"),
        ("-k 3 --radius 2", "-k and --radius exclude each other"),
        ("--radius 2 --effort 3", "a search by --radius is exact"),
        ("--effort 3", "codes.db has no approximate search: leave out --effort."),
        ("--table others", "codes.db does not exist: `hashlearn store push` creates it."),
        ("--model plain.hashlearn", "has 3 features, but 64 are needed"),
    ],
)
def test_what_cannot_be_searched_is_one_sentence(fail, filled, words, sentence):
    assert sentence in fail("store", "search", filled, "codes.npy", *words.split())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("push", *CODES, "--to", "codes.db"), "must begin with 'lancedb:'"),
        (("push", *CODES, "--to", "redis://h"), "the address of a store must begin with"),
        (("push", *CODES), "Missing option '--to'"),
        (("search", "sqlite:missing.db"), "QUERIES is missing"),
        (("search", "sqlite:missing.db", "codes.npy"), "does not exist"),
        (("search", "lancedb:missing", "codes.npy"), "does not exist"),
        (("info", "sqlite:digits.csv"), "it is not an SQLite database"),
        (("index", "sqlite:missing.db"), "has no approximate search"),
    ],
)
def test_a_wrong_address_is_one_sentence_and_makes_no_file(fail, monkeypatch, words, sentence):
    monkeypatch.delenv("HASHLEARN_STORE", raising=False)
    assert sentence in fail("store", *words)


@pytest.mark.parametrize("words", [("info", "{}"), ("search", "{}", "codes.npy")])
@pytest.mark.parametrize("address", ["lancedb:codes", "sqlite:codes.db", "postgresql://a:b@h/d"])
def test_commands_on_files_tell_those_on_stores(fail, words, address):
    said = fail(*(word.format(address) for word in words))
    assert said.endswith(
        f" must be a file, not the address of a store: use `hashlearn store {words[0]}`.\n"
    )
