"""A search on the command line finds what the library finds, for machines and for people."""

import json
import re

import numpy as np
import pytest

from hashlearn import HammingIndex
from hashlearn.cli.search import _finder
from hashlearn.methods import LSHHasher
from hashlearn.search import MarginRescoring, VectorRescoring

MODEL = ("--model", "named.hashlearn")


@pytest.fixture(scope="module")
def index(place):
    """An index in the folder, with ids of its own."""
    made = HammingIndex(20)
    made.add(place.hasher.encode(place.X), ids=1000 - np.arange(200))
    made.save(place.folder / "digits.index")
    return made


@pytest.fixture
def search(run, index):
    """Search as a machine does, and return the objects."""

    def search_index(*words):
        result = run("search", "digits.index", *words, "--json")
        assert result.stderr == ""
        return [json.loads(line) for line in result.stdout.splitlines()]

    return search_index


@pytest.fixture
def packed(place):
    return place.hasher.encode(place.queries)


def check(found, values, ids, name="distances"):
    """Check lines against the rows that the library returns."""
    assert [line["query"] for line in found] == list(range(len(ids)))
    assert [line["ids"] for line in found] == [row.tolist() for row in ids]
    assert [line[name] for line in found] == [row.tolist() for row in values]


@pytest.mark.parametrize("together", [7, 1024])
def test_lines_are_the_librarys_neighbours(search, index, packed, monkeypatch, together):
    monkeypatch.setattr(_finder, "MAX_TOGETHER", together)
    check(search("queries.csv", *MODEL, "-k", 3), *index.search(packed, 3))


def test_ten_neighbours_are_found_unless_asked_otherwise(search, index, packed):
    check(search("queries.npy", *MODEL), *index.search(packed, 10))


def test_queries_may_be_codes(search, index, packed, tmp_path):
    np.save(tmp_path / "codes.npy", packed)
    check(search(tmp_path / "codes.npy", "-k", 2), *index.search(packed, 2))


def test_a_radius_finds_all_within(search, index, packed):
    offsets, ids, distances = index.radius_search(packed, 1)
    found = search("queries.csv", *MODEL, "--radius", 1)
    check(found, np.split(distances, offsets[1:-1]), np.split(ids, offsets[1:-1]))
    assert {len(line["ids"]) == 0 for line in found} == {True, False}


@pytest.fixture
def floats(place):
    return place.hasher.encode_queries(place.queries)


@pytest.mark.parametrize("together", [7, 1024])
def test_asymmetric_lines_are_the_librarys(search, index, floats, monkeypatch, together):
    monkeypatch.setattr(_finder, "MAX_TOGETHER", together)
    found = search("queries.npy", *MODEL, "-k", 3, "--asymmetric")
    check(found, *index.search(floats, 3))
    assert all(line["asymmetric"] for line in found)


def test_an_asymmetric_radius_is_any_number(search, index, floats):
    radius = float(np.quantile(index.search(floats, 1).distances, 0.5))
    offsets, ids, distances = index.radius_search(floats, radius)
    found = search("queries.npy", *MODEL, "--radius", radius, "--asymmetric")
    check(found, np.split(distances, offsets[1:-1]), np.split(ids, offsets[1:-1]))
    assert {len(line["ids"]) == 0 for line in found} == {True, False}
    assert {*search("queries.npy", *MODEL, "--radius", -1, "--asymmetric")[0]["ids"]} == set()


def test_asymmetric_search_may_be_restricted_and_rescored(search, index, place, floats, tmp_path):
    allowed = np.arange(801, 880)
    np.save(tmp_path / "ids.npy", allowed)
    np.save(tmp_path / "all-ids.npy", index.ids)
    words = ("queries.npy", *MODEL, "-k", 4, "--asymmetric", "--among", tmp_path / "ids.npy")
    check(search(*words), *index.search(floats, 4, among=allowed))
    vectors = VectorRescoring(place.queries, place.X, index.ids)
    expected = index.search(floats, 4, among=allowed, rescore=vectors, oversample=2)
    words = (*words, "--items", "digits.npy", "--ids", tmp_path / "all-ids.npy")
    found = search(*words, "--rescore", "vectors", "--oversample", 2)
    check(found, *expected, name="scores")


def test_asymmetric_search_shows_and_filters_columns(run, place, floats, tmp_path):
    index = HammingIndex(20)
    index.add(place.hasher.encode(place.X))
    index.save(tmp_path / "index")
    items = ("--items", "digits.csv", "--show", "digit", "--where", "digit=3,5")
    words = ("-k", 2, "--asymmetric", "--query-ids", "queries-labels.npy", *items, "--json")
    result = run("search", tmp_path / "index", "queries.npy", *MODEL, *words)
    found = [json.loads(line) for line in result.stdout.splitlines()]
    _, ids = index.search(floats, 2, among=np.flatnonzero(np.isin(place.y, [3, 5])))
    assert [line["ids"] for line in found] == ids.tolist()
    assert [line["digit"] for line in found] == place.y[ids].astype(str).tolist()
    assert [line["query"] for line in found] == place.query_labels.tolist()


def test_a_model_made_for_it_searches_asymmetrically_and_says_so(
    run, search, index, packed, floats, monkeypatch
):
    monkeypatch.setattr(LSHHasher, "asymmetric", True)
    check(search("queries.npy", *MODEL, "-k", 3), *index.search(floats, 3))
    found = search("queries.npy", *MODEL, "-k", 3, "--no-asymmetric")
    check(found, *index.search(packed, 3))
    assert "asymmetric" not in found[0]
    title = run("search", "digits.index", "queries.npy", *MODEL, "-k", 3).stdout
    assert "The 3 nearest of 200 items, asymmetric: id (distance)" in title


@pytest.mark.parametrize("kind", ["ids", "mask"])
def test_among_restricts_and_padding_is_not_printed(search, index, packed, tmp_path, kind):
    allowed = np.array([801, 803, 877])
    np.save(tmp_path / "ids.npy", allowed)
    np.save(tmp_path / "mask.npy", np.isin(index.ids, allowed))
    found = search("queries.csv", *MODEL, "-k", 3, "--among", tmp_path / f"{kind}.npy")
    distances, ids = index.search(packed, 5, among=allowed)
    check(found, distances[:, :3], ids[:, :3])
    assert all(sorted(line["ids"]) == [801, 803, 877] for line in found)


def test_rescoring_by_margins_is_the_librarys(search, index, place, packed):
    found = search("queries.npy", *MODEL, "-k", 4, "--rescore", "margins", "--oversample", 5)
    rescoring = MarginRescoring(place.hasher.decision_function(place.queries))
    check(found, *index.search(packed, 4, rescore=rescoring, oversample=5), name="scores")


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "inner_product"])
def test_rescoring_by_vectors_is_the_librarys(run, place, packed, tmp_path, metric):
    index = HammingIndex(20)
    index.add(place.hasher.encode(place.X))
    index.save(tmp_path / "index")
    given = () if metric == "euclidean" else ("--metric", metric)
    words = ("-k", 4, "--rescore", "digits.npy", "--oversample", 2.5, *given, "--json")
    result = run("search", tmp_path / "index", "queries.npy", *MODEL, *words)
    rescoring = VectorRescoring(place.queries, place.X, metric=metric)
    expected = index.search(packed, 4, rescore=rescoring, oversample=2.5)
    check([json.loads(line) for line in result.stdout.splitlines()], *expected, name="scores")


def test_the_table_shows_the_first_queries_and_counts_the_others(run, index, packed):
    for queries in ("queries.csv", "queries.npy"):
        result = run("search", "digits.index", queries, *MODEL, "-k", 3)
        rows = re.findall(r"^ *(\d+) +((?:\d+\s\(\d+\)\s*)+)$", result.stdout, re.MULTILINE)
        assert [int(query) for query, _ in rows] == list(range(20))
        distances, ids = index.search(packed[:20], 3)
        printed = [re.findall(r"(\d+)\s\((\d+)\)", found) for _, found in rows]
        np.testing.assert_array_equal(np.array(printed, dtype=int)[..., 0], ids)
        np.testing.assert_array_equal(np.array(printed, dtype=int)[..., 1], distances)
        assert "40 more queries; --json prints all." in result.stdout


def test_the_table_says_when_nothing_is_found(run, index):
    result = run("search", "digits.index", "queries.csv", *MODEL, "--radius", 0)
    assert "All within 0 of 200 items" in result.stdout
    assert "nothing" in result.stdout


def test_no_queries_and_no_items_find_nothing(run, index, tmp_path):
    np.save(tmp_path / "none.npy", np.empty((0, 3), dtype=np.uint8))
    assert run("search", "digits.index", tmp_path / "none.npy", "--json").stdout == ""
    assert "more queries" not in run("search", "digits.index", tmp_path / "none.npy").stdout
    HammingIndex(20).save(tmp_path / "empty.index")
    found = run("search", tmp_path / "empty.index", "queries.csv", *MODEL, "--json").stdout
    assert json.loads(found.splitlines()[0]) == {"query": 0, "ids": [], "distances": []}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("queries.csv",), "'queries.csv' holds a table; packed codes must be uint8"),
        (("queries.csv", *MODEL, "-k", 3, "--radius", 2), "-k and --radius exclude each other"),
        (("queries.csv", *MODEL, "--radius", 1.5), "--radius must be an integer of at least 0"),
        (("codes.npy", "--asymmetric"), "--asymmetric needs --model and queries that are items"),
        (
            ("queries.csv", *MODEL, "--radius", 2, "--among", "codes.npy"),
            "--among and --where go with",
        ),
        (("codes.npy", "--rescore", "margins"), "--rescore needs --model"),
        (("codes.npy", "--oversample", 3), "--oversample goes with --rescore"),
        (
            ("queries.npy", *MODEL, "--rescore", "margins", "--metric", "cosine"),
            "--metric goes with --rescore vectors",
        ),
        (
            ("queries.npy", *MODEL, "--rescore", "digits.npy", "--metric", "dot"),
            "--metric must be one of 'cosine'",
        ),
        (("codes.npy", "-k", 0), ". See 'hashlearn search --help'."),
        (
            ("queries.npy", *MODEL, "--rescore", "margin"),
            "must be margins, vectors or a file; got margin",
        ),
        (("queries.npy", *MODEL, "--rescore", "queries-labels.npy"), "has the shape (60,)"),
        (("queries.npy", *MODEL, "--rescore", "codes.npy"), "has 3 features, but 64 are needed"),
        (
            ("queries.npy", *MODEL, "--rescore", "queries.npy"),
            "'queries.npy' has no item with the id",
        ),
        (("queries.npy", *MODEL, "--oversample", 0.5), "--oversample"),
        (("queries.npy", "--model", "short.hashlearn"), "has codes of model"),
        (("short.npy",), "'short.npy' is 2 bytes wide; n_bits=20 needs 3 bytes"),
        (("queries.csv", *MODEL, "--among", "digits.npy"), "one id per item"),
    ],
)
def test_what_does_not_fit_is_told_in_one_sentence(fail, index, place, words, sentence):
    if not (place.folder / "short.npy").exists():
        np.save(place.folder / "short.npy", np.zeros((4, 2), dtype=np.uint8))
        short = type(place.hasher)(n_bits=9, random_state=0).fit(place.X)
        short.save(place.folder / "short.hashlearn")
    assert sentence in fail("search", "digits.index", *words)


def test_a_model_in_place_of_an_index_is_told(fail):
    said = fail("search", "named.hashlearn", "queries.csv", *MODEL)
    assert "is a model, not an index" in said
