"""`hashlearn store`: what was pushed is what is found, and what is wrong is one sentence."""

import json
import os

import numpy as np
import pytest
from typer.testing import CliRunner

from hashlearn import HammingIndex
from hashlearn.cli import store_pushing
from hashlearn.cli.app import app
from hashlearn.io.items import base
from hashlearn.stores import StoreLostError, open_store

pytest.importorskip("lancedb")
pytest.importorskip("sqlite_vec")

ITEMS = ("digits.csv", "--model", "named.hashlearn", "--columns", "digit")
CODES = ("codes.npy", "--bits", 20)
ENGINES = ("lancedb", "sqlite")
SECRET = "s3cret w@rd"
ADDRESS = f"postgresql://ann:{SECRET}@nowhere.invalid:5432/db"


@pytest.fixture(params=ENGINES)
def address(request, tmp_path):
    """Return the address of a store that is not there yet, in a folder with an odd name."""
    folder = tmp_path / "it's a place, ü"
    folder.mkdir()
    return f"{request.param}:{folder / 'codes'}"


@pytest.fixture
def sqlite(tmp_path):
    """Return the address of the quicker engine."""
    return f"sqlite:{tmp_path / 'codes.db'}"


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


@pytest.fixture
def index(place):
    """Return what stores must equal."""
    index = HammingIndex(place.hasher.n_bits)
    index.add(place.hasher.encode(place.X))
    return index


def contents(address, table="items"):
    """Return the ids and codes of a table in the order of ids, and its columns."""
    with open_store(address, table) as store:
        batches = list(store.read())
    ids = np.concatenate([batch.ids for batch in batches])
    order = np.argsort(ids)
    packed = np.concatenate([batch.packed for batch in batches])
    values = {
        name: np.concatenate([batch.values[name] for batch in batches])[order]
        for name in batches[0].values
    }
    return ids[order], packed[order], values


def found(result):
    """Return what JSON lines say: ids and distances of each query."""
    return [
        (line["ids"], line["distances"]) for line in map(json.loads, result.stdout.splitlines())
    ]


def test_items_are_pushed_with_a_model_and_found_again(run, place, index, address):
    said = run("store", "push", *ITEMS, "--to", address, "--table", "Select").stderr
    path = address.partition(":")[2]
    assert said == (f"Pushed 200 codes of 20 bits to table Select in {path}, which has 200 now.\n")
    ids, packed, values = contents(address, "Select")
    assert np.array_equal(ids, np.arange(200))
    assert np.array_equal(packed, place.hasher.encode(place.X))
    assert np.array_equal(values["digit"], place.y)
    words = ("--table", "Select", "-k", 5, "--json")
    result = run("store", "search", address, "queries.csv", "--model", "named.hashlearn", *words)
    expected = index.search(place.hasher.encode(place.queries), 5).distances
    assert [distances for _, distances in found(result)] == expected.tolist()


@pytest.mark.parametrize("block_bytes", [100, 2**23])
def test_codes_are_pushed_in_batches_whatever_the_blocks(
    run, place, sqlite, monkeypatch, block_bytes
):
    monkeypatch.setattr(base, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(store_pushing, "BATCH_SIZE", 70)
    run("store", "push", *CODES, "--to", sqlite)
    ids, packed, _ = contents(sqlite)
    assert np.array_equal(ids, np.arange(200))
    assert np.array_equal(packed, place.hasher.encode(place.X))


def test_pushing_again_changes_nothing(run, address):
    for _ in range(2):
        said = run("store", "push", *CODES, "--to", address).stderr
    assert "which has 200 now" in said


def test_the_environment_may_give_the_address(run, sqlite, monkeypatch):
    monkeypatch.setenv("HASHLEARN_STORE", sqlite)
    run("store", "push", *CODES)
    assert json.loads(run("store", "info", "--json").stdout)["items"] == 200
    assert len(found(run("store", "search", "codes.npy", "-k", 1, "--json"))) == 200


@pytest.mark.parametrize("kind", ["column", "file"])
def test_ids_come_from_a_column_or_a_file(run, place, sqlite, tmp_path, kind):
    ids = np.random.RandomState(0).permutation(10**6)[:200] - 1000
    np.savez(tmp_path / "codes.npz", codes=place.hasher.encode(place.X), id=ids, digit=place.y)
    np.save(tmp_path / "ids.npy", ids)
    given = "id" if kind == "column" else tmp_path / "ids.npy"
    words = ("--array", "codes", "--bits", 20, "--columns", "digit", "--to", sqlite)
    run("store", "push", tmp_path / "codes.npz", *words, "--ids", given)
    stored, packed, values = contents(sqlite)
    order = np.argsort(ids)
    assert np.array_equal(stored, ids[order])
    assert np.array_equal(packed, place.hasher.encode(place.X)[order])
    assert np.array_equal(values["digit"], place.y[order])


def write_table(path, place, **columns):
    """Write the items with more columns of texts."""
    names = [*place.names, *columns]
    rows = zip(place.X.astype(int).astype(str), *columns.values(), strict=True)
    lines = [",".join([*row, *others]) for row, *others in rows]
    path.write_text("\n".join([",".join(names), *lines]))
    return path, "--model", "named.hashlearn", "--columns", ",".join(columns)


def test_columns_have_the_types_of_what_a_table_says(run, place, sqlite, tmp_path, monkeypatch):
    monkeypatch.setattr("hashlearn.io.items.csv.BLOCK_CHARACTERS", 5000)  # several blocks
    texts = {
        "year": [str(1900 + i) for i in range(200)],
        "size": ["7"] * 199 + ["0.5"],
        "seen": ["true", "False"] * 100,
        "group": ["12", ""] * 99 + ["", "none"],
    }
    words = write_table(tmp_path / "items.csv", place, **texts)
    for _ in range(2):  # the second time by the types of the table
        run("store", "push", *words, "--to", sqlite)
        with open_store(sqlite) as store:
            assert store.columns == {"year": int, "size": float, "seen": bool, "group": str}
        _, _, values = contents(sqlite)
        assert values["year"].tolist() == list(range(1900, 2100))
        assert values["size"].tolist() == [7.0] * 199 + [0.5]
        assert values["seen"].tolist() == [True, False] * 100
        assert values["group"].tolist() == texts["group"]


def test_columns_of_parquet_keep_their_types(run, place, sqlite, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {
        "digit": place.y.astype(np.int8),
        "name": place.y.astype(str),
        "odd": place.y % 2 > 0,
    }
    vectors = pyarrow.FixedSizeListArray.from_arrays(place.X.ravel(), 64)
    parquet.write_table(pyarrow.table({"v": vectors, **columns}), tmp_path / "items.parquet")
    words = ("--model", "plain.hashlearn", "--columns", "digit,name,odd", "--to", sqlite)
    run("store", "push", tmp_path / "items.parquet", *words)
    with open_store(sqlite) as store:
        assert store.columns == {"digit": int, "name": str, "odd": bool}
        assert store.count({"name": "3", "odd": True}) == (place.y == 3).sum()


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
        (["name="], lambda y: y < 0),
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


def test_an_index_is_built_and_used(run, index, tmp_path):
    address = f"lancedb:{tmp_path / 'codes'}"
    run("store", "push", *CODES, "--to", address)
    assert json.loads(run("store", "info", address, "--json").stdout)["index"] is False
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
        (("codes.npy",), "the input has codes of 24 bits with --columns none"),
        (CODES, "has codes of 20 bits with columns digit (int), half (float)"),
        (("digits.npy", "--bits", 20), "'digits.npy' holds float32 and not packed codes"),
        (("missing.npy",), "No such file or directory: 'missing.npy'"),
        ((*CODES, "--columns", "digit"), "'codes.npy' is one array, without 'digit'"),
        ((*ITEMS[:3], "--columns", "digit,digit"), "names a column twice"),
        ((*ITEMS[:3], "--columns", "cat"), "'digits.csv' has no column 'cat'"),
        ((*CODES, "--ids", "queries-labels.npy"), "has 60 values for 200 items"),
        ((*CODES, "--table", "a b"), "table='a b' is no name"),
    ],
)
def test_what_cannot_be_pushed_is_told_and_changes_nothing(fail, filled, words, sentence):
    before = contents(filled)
    assert sentence in fail("store", "push", *words, "--to", filled)
    assert all(np.array_equal(*pair) for pair in zip(before[:2], contents(filled)[:2], strict=True))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("codes.npy", "--bits", 17), "'codes.npy' has bits set after n_bits=17"),
        ((*ITEMS[:3], "--columns", "pixel_0_0,id"), "has no column 'id'"),
        ((*ITEMS, "--ids", "digit"), "ids holds 0 twice"),
        ((*ITEMS, "--bits", 24), "the model gives codes of 20 bits, not 24"),
    ],
)
def test_a_wrong_input_makes_no_table(fail, tmp_path, sqlite, words, sentence):
    assert sentence in fail("store", "push", *words, "--to", sqlite)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (["1", ""], "--columns year has items without a value: a column of int takes one"),
        (["1.5", "nan"], "values of 'year' hold NaN"),
    ],
)
def test_values_that_are_missing_are_told(fail, place, tmp_path, sqlite, values, sentence):
    words = write_table(tmp_path / "items.csv", place, year=values * 100)
    assert sentence in fail("store", "push", *words, "--to", sqlite)


def test_a_value_of_another_type_than_the_table_has_is_told(run, fail, place, tmp_path, sqlite):
    run("store", "push", *write_table(tmp_path / "a.csv", place, year=["7"] * 200), "--to", sqlite)
    other = write_table(tmp_path / "b.csv", place, year=["7"] * 199 + ["cat"])
    said = fail("store", "push", *other, "--to", sqlite)
    assert "column 'year' has the value cat: it takes int." in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--where digit", "--where digit is not taken; it takes COLUMN=VALUE."),
        ("--where cat=3", "names no column: the table has 'id', 'digit'"),
        ("--where digit=x", "--where digit=x is not taken: column 'digit' takes whole numbers."),
        ("--where digit=1_0", "column 'digit' takes whole numbers"),
        ("--where digit=", "column 'digit' takes whole numbers"),
        ("--where half=a..b", "column 'half' takes numbers"),
        ("--where even=3", "column 'even' takes true or false"),
        ("--where even=true..", "booleans take True or False"),
        ("--where digit=..", "a range without bounds"),
        ("--where digit=99999999999999999999", "it takes 64 bits"),
        ("--where half=nan", "it takes finite ones"),
        ('--where name="a', 'it takes texts such as "a","b"'),
        ('--where name="a",3', 'it takes texts such as "a","b"'),
        ("--where digit=3 --where digit=5", "names column 'digit' twice"),
        ("-k 3 --radius 2", "-k and --radius exclude each other"),
        ("--radius 2 --effort 3", "a search by --radius is exact"),
        ("--effort 3", "has no approximate search"),
        ("--table others", "is not there"),
        ("--model plain.hashlearn", "has 3 features: the model takes 64"),
    ],
)
def test_what_cannot_be_searched_is_one_sentence(fail, filled, words, sentence):
    assert sentence in fail("store", "search", filled, "codes.npy", *words.split())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("push", *CODES, "--to", "codes.db"), "an address begins with"),
        (("push", *CODES, "--to", "redis://h"), "the address of a store begins with"),
        (("push", *CODES), "Missing option '--to'"),
        (("search", "sqlite:missing.db"), "QUERIES is missing"),
        (("search", "sqlite:missing.db", "codes.npy"), "is not there"),
        (("search", "lancedb:missing", "codes.npy"), "is not there"),
        (("info", "sqlite:digits.csv"), "it is no SQLite database"),
        (("index", "sqlite:missing.db"), "has no approximate search"),
        (("drop", "sqlite:missing.db"), "No such command 'drop'"),
    ],
)
def test_a_wrong_address_is_one_sentence_and_makes_no_file(fail, words, sentence):
    assert sentence in fail("store", *words)


@pytest.mark.parametrize("debug", [[], ["--debug"]])
@pytest.mark.parametrize(
    "words",
    [
        ["store", "push", "codes.npy", "--to", ADDRESS],
        ["store", "push", "codes.npy", ADDRESS, "--to", "sqlite:a"],
        ["store", ADDRESS],
        [ADDRESS],
        ["store", "search", "codes.npy", ADDRESS],
        ["store", "search", "sqlite:a", "codes.npy", "-k", ADDRESS],
        ["store", "search", "sqlite:a", "codes.npy", f"--table{ADDRESS}"],
        ["store", "search", "sqlite:a", "codes.npy", "--table", ADDRESS],
        ["store", "info", ADDRESS.replace("gresql", "gersql")],
        ["explore", "--no-open", "--port", "0", "--index", ADDRESS],
        ["info", ADDRESS],
    ],
)
def test_a_password_is_never_printed(place, monkeypatch, words, debug):
    monkeypatch.chdir(place.folder)
    result = CliRunner().invoke(app, [*debug, *words])
    assert result.exit_code != 0
    assert SECRET not in result.output
    if result.exit_code == 2:  # a sentence, not an error for `main` to print
        assert result.stderr.startswith("hashlearn: ")


def test_help_does_not_show_the_address_of_the_environment(monkeypatch):
    monkeypatch.setenv("HASHLEARN_STORE", ADDRESS)
    for command in ("push", "search", "info", "index"):
        text = CliRunner().invoke(app, ["store", command, "--help"]).stdout
        assert "HASHLEARN_STORE" in text
        assert "s3cret" not in text


class Breaking:
    """Lets the second batch of a push fail."""

    def __init__(self, monkeypatch, error):
        self.add = store_pushing.Store.add
        self.error, self.n_calls = error, 0
        monkeypatch.setattr(store_pushing, "BATCH_SIZE", 70)
        monkeypatch.setattr(store_pushing.Store, "add", lambda *batch: self(*batch))

    def __call__(self, *batch):
        self.n_calls += 1
        if self.n_calls == 2:
            raise self.error
        self.add(*batch)


def test_a_lost_connection_is_told_with_what_is_stored(fail, sqlite, monkeypatch):
    Breaking(monkeypatch, StoreLostError("The connection was lost."))
    said = fail("store", "push", *CODES, "--to", sqlite)
    assert said == "hashlearn: The connection was lost. 70 items before these are stored.\n"
    assert np.array_equal(contents(sqlite)[0], np.arange(70))


def test_what_an_interruption_says_is_true(run, place, sqlite, monkeypatch):
    Breaking(monkeypatch, KeyboardInterrupt())
    monkeypatch.chdir(place.folder)
    words = list(map(str, ["store", "push", *CODES, "--to", sqlite]))
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 130
    said = "Stopped; 70 items are stored for certain, and the same command goes on."
    assert result.stderr == f"hashlearn: {said}\n"
    run(*words)
    assert np.array_equal(contents(sqlite)[0], np.arange(200))


def test_a_file_that_can_only_be_read_is_told(run, fail, sqlite, tmp_path):
    if os.getuid() == 0:
        pytest.skip("root may write everything")
    run("store", "push", *CODES, "--to", sqlite)
    (tmp_path / "codes.db").chmod(0o400)
    assert "can only be read" in fail("store", "push", *CODES, "--to", sqlite)
