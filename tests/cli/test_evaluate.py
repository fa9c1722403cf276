"""Measures on the command line are the library's, and say what they depend on."""

import json

import numpy as np
import pytest

from hashlearn.cli.evaluate._sides import as_one_kind
from hashlearn.methods import LSHHasher
from hashlearn.metrics import evaluate, relevance_from_labels

CSV = ("named.hashlearn", "queries.csv", "digits.csv")
NPY = ("plain.hashlearn", "queries.npy", "digits.npy")
SAME = ("--query-labels", "digits-labels.npy", "--database-labels", "digits-labels.npy")
FILES = ("--query-labels", "queries-labels.npy", "--database-labels", "digits-labels.npy")


def expected(place, **settings):
    return evaluate(
        place.hasher.encode(place.queries),
        place.hasher.encode(place.X),
        relevance_from_labels(place.query_labels, place.y),
        n_bits=20,
        **settings,
    )._asdict()


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
@pytest.mark.parametrize(
    "words",
    [
        (*CSV, "--labels", "digit"),
        (*NPY, *FILES),
        ("plain.hashlearn", "queries.npz", "digits.npz", "--array", "X", "--labels", "digit"),
        ("named.hashlearn", "queries.csv", "digits.npy", "--query-labels", "digit", *FILES[2:]),
    ],
)
def test_measures_are_the_librarys(run, place, words, ties):
    settings = ("-k", 30, "--cutoff", 90, "--radius", 3, "--ties", ties)
    found = json.loads(run("evaluate", *words, *settings, "--json").stdout)
    n_distinct = len(np.unique(place.hasher.encode(place.X), axis=0))
    n_relevant = (place.query_labels[:, None] == place.y).sum(axis=1)
    best = np.minimum(n_relevant, 30).mean() / 30
    assert found == {
        **{"n_queries": 60, "n_database": 200, "n_bits": 20},
        **{"k": 30, "cutoff": 90, "radius": 3, "ties": ties, "asymmetric": False},
        **{"best_precision_at_k": pytest.approx(best), "n_distinct": n_distinct},
        **{"n_known": 0, "n_left_out": [0, 0]},
        **expected(place, k=30, map_cutoff=90, radius=3, ties=ties),
    }


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
def test_asymmetric_measures_are_the_librarys(run, place, ties):
    settings = ("-k", 30, "--cutoff", 90, "--asymmetric", "--ties", ties, "--json")
    right = relevance_from_labels(place.query_labels, place.y)
    data = place.hasher.encode_queries(place.queries), place.hasher.encode(place.X), right
    for radius in (0.5, None):
        given = () if radius is None else ("--radius", radius)
        found = json.loads(run("evaluate", *NPY, *FILES, *settings, *given).stdout)
        assert (found["asymmetric"], found["radius"]) == (True, radius)
        values = evaluate(*data, k=30, map_cutoff=90, radius=radius or 0, ties=ties)._asdict()
        if radius is None:
            values |= {"precision_within_radius": None, "empty_share": None}
        assert {name: found[name] for name in values} == values


def test_a_model_made_for_it_is_measured_asymmetrically_and_says_so(run, monkeypatch):
    monkeypatch.setattr(LSHHasher, "asymmetric", True)
    words = ("evaluate", *CSV, "--labels", "digit")
    text = " ".join(run(*words).stdout.split())
    assert "60 queries in 200 items, 20 bits, asymmetric" in text
    assert "Queries are not rounded to bits; --no-asymmetric measures Hamming distances." in text
    assert "radius" not in text
    text = run(*words, "--no-asymmetric").stdout
    assert "asymmetric" not in text
    assert "precision within radius 2 " in text


def test_only_an_asymmetric_radius_may_be_any_number(fail):
    for radius in ("1.5", "inf"):
        message = fail("evaluate", *CSV, "--labels", "digit", "--radius", radius)
        assert "--radius must be an integer of at least 0, as Hamming distances are" in message


def test_a_cluster_does_not_measure_asymmetrically(fail):
    words = ("--labels", "digit", "--asymmetric", "--scheduler", "tcp://127.0.0.1:9")
    message = fail("evaluate", *CSV, *words)
    assert "a cluster measures Hamming distances: give --no-asymmetric" in message


def test_what_limits_the_measures_is_told(run, place):
    result = run("evaluate", "plain.hashlearn", "digits.npy", "digits.npy", *SAME, "-k", 150)
    text = " ".join(result.stdout.split())
    n_relevant = (place.y[:, None] == place.y).sum(axis=1)
    best = np.minimum(n_relevant, 150).mean() / 150
    assert f"precision at 150 (a perfect ranking: {best:.4f})" in text
    assert "200 of 200 queries are also in the database and find themselves" in text
    text = run("evaluate", *CSV, "--labels", "digit", "-k", 100_000).stdout
    assert "-k 100,000 is more than there is: precision is at 200." in " ".join(text.split())


def test_equal_codes_are_told(run, place, tmp_path):
    np.save(tmp_path / "x.npy", np.repeat(place.X[:20], 10, axis=0))
    labels = ("--query-labels", "queries-labels.npy", "--database-labels", "digits-labels.npy")
    text = run("evaluate", "plain.hashlearn", "queries.npy", tmp_path / "x.npy", *labels).stdout
    assert "200 items have 20 distinct codes: most ties are equal codes, which only `search " in (
        " ".join(text.split())
    )


def test_items_without_a_label_are_left_out(run, place, tmp_path):
    np.save(tmp_path / "y.npy", np.where(np.arange(200) < 150, place.y, -1))
    words = ("--query-labels", "queries-labels.npy", "--database-labels", tmp_path / "y.npy")
    found = json.loads(run("evaluate", *NPY, *words, "--json").stdout)
    assert (found["n_database"], found["n_left_out"]) == (150, [0, 50])


def test_measures_are_those_of_the_searchs_results(run, place, tmp_path):
    # A file sorted by label, whose codes are mostly equal: ties decide.
    order = np.argsort(place.y, kind="stable")
    coarse = LSHHasher(4, random_state=0).fit(place.X)
    coarse.save(tmp_path / "coarse.hashlearn")
    np.save(tmp_path / "x.npy", place.X[order])
    np.save(tmp_path / "y.npy", place.y[order])
    model, x = tmp_path / "coarse.hashlearn", tmp_path / "x.npy"
    words = ("--query-labels", "queries-labels.npy", "--database-labels", tmp_path / "y.npy")
    found = json.loads(run("evaluate", model, "queries.npy", x, *words, "-k", 1, "--json").stdout)
    run("index", x, "-m", model, "-o", tmp_path / "x.index")
    hits = run("search", tmp_path / "x.index", "queries.npy", "-m", model, "-k", 1, "--json").stdout
    first = [json.loads(line)["ids"][0] for line in hits.splitlines()]
    assert found["precision_at_k"] == np.mean(place.y[order][first] == place.query_labels)


def test_ties_are_those_of_an_index_with_ids(run, place, tmp_path):
    coarse = LSHHasher(4, random_state=0).fit(place.X)
    coarse.save(tmp_path / "coarse.hashlearn")
    names = np.array([f"item {i}" for i in range(200)])
    np.save(tmp_path / "ids.npy", names)
    model, ids = tmp_path / "coarse.hashlearn", ("--ids", tmp_path / "ids.npy")
    words = (model, "queries.npy", "digits.npy", *FILES, *ids, "-k", 1, "--json")
    measured = json.loads(run("evaluate", *words).stdout)["precision_at_k"]
    run("index", "digits.npy", "-m", model, *ids, "-o", tmp_path / "x.index")
    hits = run("search", tmp_path / "x.index", "queries.npy", "-m", model, "-k", 1, "--json").stdout
    first = [int(json.loads(line)["ids"][0].split()[1]) for line in hits.splitlines()]
    assert measured == np.mean(place.y[first] == place.query_labels)


def test_labels_are_text_if_one_of_them_is(run, place, tmp_path):
    # '7.0' and '7' are one number, but two words.
    tables = {"q": ["7", "8"], "numbers": ["7.0", "8.0"], "words": ["7", "cat"]}
    for name, labels in tables.items():
        rows = [[*row, y] for row, y in zip(place.X[:2].tolist(), labels, strict=True)]
        text = "\n".join(",".join(map(str, row)) for row in [[*place.names, "digit"], *rows])
        (tmp_path / f"{name}.csv").write_text(text)

    def precision(database):
        words = ("named.hashlearn", tmp_path / "q.csv", tmp_path / database, "--labels", "digit")
        return json.loads(run("evaluate", *words, "-k", 1, "--json").stdout)["precision_at_k"]

    assert precision("numbers.csv") == 1
    assert precision("words.csv") == 0.5


def test_the_table_says_cut_offs_and_ties(run, place):
    result = run("evaluate", *CSV, "--labels", "digit", "--no-progress")
    text = " ".join(result.stdout.split())
    measures = expected(place, ties="neutral")
    assert "60 queries in 200 items, 20 bits" in text
    # A database of 200 is taken whole where a cut-off asks for more.
    assert f"mean average precision, first 200 {measures['mean_average_precision']:.4f}" in text
    assert f"precision at 200 (a perfect ranking: {measures['precision_at_k']:.4f})" in text
    assert f"precision within radius 2 {measures['precision_within_radius']:.4f}" in text
    assert "Ties: neutral" in text
    assert result.stderr == ""


def test_a_measure_that_is_not_defined_is_null(run, tmp_path):
    np.save(tmp_path / "strange.npy", np.full(60, 77))
    files = ("--query-labels", tmp_path / "strange.npy", *FILES[2:])
    result = run("evaluate", *NPY, *files, "--json")
    assert json.loads(result.stdout)["mean_average_precision"] is None
    assert result.stderr.startswith("hashlearn: warning: No query has a relevant item")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (CSV, "'queries.csv' needs labels: give --labels for both inputs, or --query-labels"),
        ((*CSV, "--query-labels", "digit"), "'digits.csv' needs labels"),
        ((*CSV, "--labels", "cat"), "--labels cat is not a file, and 'queries.csv' has no col"),
        ((*NPY, "--labels", "digits-labels.npy"), "has 200 values for 60 items"),
        (
            (*CSV, "--labels", "digit", "--ties", "lucky"),
            "'insertion'; got 'lucky'",
        ),
        ((*CSV, "--labels", "digit", "-k", 0), "-k"),
        (("plain.hashlearn", "codes.npy", "digits.npy", *FILES), "has 60 values for 200 items"),
    ],
)
def test_what_does_not_fit_is_told_in_one_sentence(fail, words, sentence):
    assert sentence in fail("evaluate", *words)


def test_labels_are_numbers_only_if_both_sides_are():
    three, mixed = np.array(["3"]), np.array(["3.0", "cat"])
    assert as_one_kind(three, mixed) == (three, mixed)
    assert [side.tolist() for side in as_one_kind(three, mixed[:1])] == [[3], [3]]
