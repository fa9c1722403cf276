"""Measures on the command line are the library's, and say what they depend on."""

import json

import numpy as np
import pytest

from hashlearn.cli.evaluate._measures import _as_one_kind
from hashlearn.metrics import evaluate, relevance_from_labels

CSV = ("named.hashlearn", "queries.csv", "digits.csv")
NPY = ("plain.hashlearn", "queries.npy", "digits.npy")
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
    assert found == {
        **{"n_queries": 60, "n_database": 200, "n_bits": 20},
        **{"k": 30, "cutoff": 90, "radius": 3, "ties": ties},
        **expected(place, k=30, map_cutoff=90, radius=3, ties=ties),
    }


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
    measures = expected(place)
    assert "60 queries in 200 items, 20 bits" in text
    # A database of 200 is taken whole where a cut-off asks for more.
    assert f"mean average precision, first 200 {measures['mean_average_precision']:.4f}" in text
    assert f"precision at 200 {measures['precision_at_k']:.4f}" in text
    assert f"precision within radius 2 {measures['precision_within_radius']:.4f}" in text
    assert "Ties: expected" in text
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
    assert _as_one_kind(three, mixed) == (three, mixed)
    assert [side.tolist() for side in _as_one_kind(three, mixed[:1])] == [[3], [3]]
