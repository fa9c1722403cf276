"""A recommendation says what it keeps and costs, and how to make it: both can be run."""

import json
import shlex
from dataclasses import replace
from itertools import product

import numpy as np
import pandas
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

from hashlearn import HammingIndex, make_hasher
from hashlearn.affinity import DenseAffinity
from hashlearn.cli.app import app
from hashlearn.comparison import Comparison, Source, _making, _running
from hashlearn.comparison._choice import Target
from hashlearn.comparison._recommending import recommend
from hashlearn.comparison._tables import figure
from hashlearn.items import is_missing
from hashlearn.metrics import VectorQueries
from tests.comparison.conftest import compare
from tests.comparison.records import MEASURE, MadeMeasure, made_option


def test_the_sentence_has_the_size_the_method_and_fresh_figures(found):
    said = found.recommend()
    row = next(
        row
        for row in found.rows
        if (row["method"], row["bits"], row["search"], row["candidates"])
        == (said.method, said.n_bits, said.search, said.candidates)
    )
    assert said.value == row[f"{said.measure} fresh"]
    assert said.n_bytes == row["bytes"]
    figure = f"{said.value:.3f}".lstrip("0")
    for words in (f"{said.n_bits} bits", f"by {said.method}", "instead of 256", figure):
        assert words in str(said)


def test_the_python_lines_run(found, digits):
    said = found.recommend()
    names = {"make_hasher": make_hasher, "X": digits.X, "y": digits.y, "queries": digits.X[:3]}
    exec(said.python, names)
    assert repr(names["hasher"]) == repr(said.hasher)
    assert names["codes"].shape == (300, -(-said.n_bits // 8))
    assert len(names["asked"]) == 3
    assert (said.search == "asymmetric") == hasattr(names["asked"], "weights")


def test_the_hasher_is_not_fitted_and_gives_the_codes_of_the_python_lines(found, digits):
    said = found.recommend()
    names = {"make_hasher": make_hasher, "X": digits.X, "y": digits.y, "queries": digits.X[:3]}
    exec(said.python, names)
    assert not hasattr(said.hasher, "n_features_in_")
    given = (digits.y,) if said.hasher.supervised else ()
    codes = said.hasher.fit(digits.X, *given).encode(digits.X)
    np.testing.assert_array_equal(codes, names["codes"])


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("seed", [0, 3])
def test_the_commands_run_and_search_as_the_python_lines_do(
    digits, tmp_path, monkeypatch, metric, seed
):
    monkeypatch.chdir(tmp_path)
    np.save("my items.npy", digits.X)
    np.save("queries.npy", digits.X[:5] + 1)
    found = compare(digits.X, methods=["bae"], n_bits=8, metric=metric, random_state=seed)
    said = found.recommend(source=Source("my items.npy"))
    *_, printed = run_lines(said.command.replace("QUERIES", "queries.npy --json"))
    names = {"make_hasher": make_hasher, "X": digits.X, "queries": digits.X[:5] + 1}
    exec(said.python, names)
    index = HammingIndex(8)
    index.add(names["codes"])
    ids = [json.loads(line)["ids"] for line in printed.splitlines()]
    np.testing.assert_array_equal(ids, index.search(names["asked"], len(ids[0])).ids)


@pytest.mark.parametrize("metric", ["cosine", "inner_product", "euclidean"])
def test_candidates_are_ordered_by_the_metric_that_was_measured(
    digits, tmp_path, monkeypatch, metric
):
    monkeypatch.chdir(tmp_path)
    X = digits.X * np.random.default_rng(0).uniform(0.2, 5, (300, 1)).astype(np.float32)
    np.save("items.npy", X)
    np.save("queries.npy", X[:20])
    monkeypatch.setattr(_running, "measure", MadeMeasure(lambda task: 0.5))
    found = compare(X, methods="itq", n_bits=16, metric=metric)
    for option in found._options:
        option.candidates = 4
    said = found.recommend("recall@10", 0.3, rescored=True, source=Source("items.npy"))
    names = {"X": X, "queries": X[:20]}
    exec(said.python, names)
    *_, printed = run_lines(said.command.replace("QUERIES", "queries.npy --json"))
    ids = [json.loads(line)["ids"] for line in printed.splitlines()]
    np.testing.assert_array_equal(ids, names["found"].ids)
    nearness = VectorQueries(X[:20], metric).nearness(X)
    ordered = np.take_along_axis(nearness, names["found"].ids, axis=1)
    assert (np.diff(ordered, axis=1) <= 1e-5 * np.abs(nearness).max()).all()


def run_lines(text):
    """Run commands, each of which must succeed; return what they print."""
    outputs = []
    for line in text.splitlines():
        program, *words = shlex.split(line)
        assert program == "hashlearn"
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
        outputs.append(result.stdout)
    return outputs


def test_labels_are_in_the_commands_and_in_the_python_lines(labelled):
    source = Source("digits.csv", "digit", columns=["digit"], delimiter=";", ignore=["id"])
    said = labelled.comparison.recommend("precision@10", 0.8, source=source)
    assert said.method == "itq-cca"
    assert ".fit(X, y)" in said.python
    fit, index, search = map(shlex.split, said.command.splitlines())
    assert fit[:2] == ["hashlearn", "fit"]
    assert "--ignore id --labels digit --delimiter ;" in " ".join(fit)
    assert "--labels" not in index
    assert index[index.index("--delimiter") + 1] == ";"
    assert ("--asymmetric" in search) == (said.search == "asymmetric")


def test_a_target_is_said_as_it_was_given(neighbours):
    assert "of at least .9875. " in str(neighbours.comparison.recommend("recall@10", 0.9875))
    assert "at least 1. The nearest: " in str(neighbours.comparison.recommend("recall@10", 1))


def test_a_number_alone_is_of_the_measure_of_the_target(labelled):
    settings = replace(labelled.comparison.settings, target=Target("new-map", 0.1))
    found = Comparison(labelled.comparison._options, settings)
    assert found.recommend(at_least=0.2).measure == "new-map"


@pytest.mark.parametrize(
    ("source", "ignored"),
    [
        (Source("a.csv", "digit", columns=["digit"]), ["digit"]),
        (Source("a.npz", "digit", columns=["digit"], array="X"), []),
        (Source("a.csv", "labels.csv"), []),
    ],
)
def test_columns_of_labels_are_left_out_where_these_are_not_learned_from(
    labelled, source, ignored, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "digit").touch()  # a file of that name changes nothing
    said = labelled.comparison.recommend("new-map", source=source)
    assert said.method == "itq"
    words = shlex.split(said.command)
    assert [words[i + 1] for i, word in enumerate(words) if word == "--ignore"] == ignored


def test_items_without_a_label_are_left_out_of_the_python_lines(digits, monkeypatch, capsys):
    y = np.where(np.arange(300) % 3, digits.y, -1)
    monkeypatch.setattr(_running, "measure", MadeMeasure(lambda task: 0.5))
    lines = {"itq-cca": "fit(X[known], y[known])", "mixed": "fit(X, classes)", "itq": "fit(X)"}
    for method, line in lines.items():
        found = compare(digits.X, y, methods=[method], n_bits=8)
        assert found.settings.n_missing == 100
        assert line in found.recommend().python
        found.best()
        wanted = {"itq-cca": "leave out the 100 items", "mixed": "label the 100 items without a"}
        assert wanted.get(method, "") in capsys.readouterr().err


ARRAYS = [np.asarray, sp.csr_array, pandas.DataFrame]


@pytest.mark.parametrize(
    ("method", "form"),
    [*product(["itq-cca", "itq"], ARRAYS), ("mixed", np.asarray)],
)
@pytest.mark.parametrize("some_are_missing", [False, True])
def test_the_python_lines_learn_from_as_many_items_as_were_measured(
    digits, monkeypatch, capsys, method, some_are_missing, form
):
    """Of more than 16,000 items, "auto" learns in another way, whose codes were worse."""
    y = np.where(np.arange(300) % 3 == 0, -1, digits.y) if some_are_missing else digits.y
    monkeypatch.setattr(_running, "measure", MadeMeasure(lambda task: 0.5))
    monkeypatch.setattr(_making, "MOST_TRAINING", 60)
    found = compare(digits.X, y, methods=[method], n_bits=8)
    y_given = pandas.Series(y, index=np.arange(300)[::-1]) if form is pandas.DataFrame else y
    names = {"X": form(digits.X), "y": y_given, "queries": form(digits.X[:3])}
    exec(found.recommend().python, names)
    found.best()
    is_said = "Fit it to a random 60 items" in capsys.readouterr().err
    assert is_said == (method != "itq")
    assert ("some" in names) == is_said
    if is_said:
        assert names["some"].sum() == 60
        assert (y[names["some"]] >= 0).all()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, DenseAffinity])
def test_the_python_lines_learn_from_some_of_many_pairs(digits, monkeypatch, form):
    pairs = np.where(digits.y[:, None] == digits.y, 1, -1)
    pairs[:150] = pairs[:, :150] = 0  # nothing is known of these
    monkeypatch.setattr(_running, "measure", MadeMeasure(lambda task: 0.5))
    monkeypatch.setattr(_making, "MOST_TRAINING", 60)
    found = compare(digits.X, affinity=form(pairs), methods=["tsh"], n_bits=8)
    names = {"X": digits.X, "affinity": form(pairs), "queries": digits.X[:3]}
    exec(found.recommend().python, names)
    some = np.flatnonzero(names["some"])
    assert len(some) == 60
    assert some.min() >= 150
    expected = make_hasher("tsh", n_bits=8, random_state=0)
    expected.fit(digits.X[some], affinity=form(pairs[np.ix_(some, some)]))
    np.testing.assert_array_equal(names["codes"], expected.encode(digits.X))


def test_the_python_lines_learn_from_some_vectors_where_their_number_matters(digits, monkeypatch):
    monkeypatch.setattr(_running, "measure", MadeMeasure(lambda task: 0.5))
    monkeypatch.setattr(_making, "MOST_TRAINING", 60)
    said = [compare(digits.X, methods=[name], n_bits=8).recommend() for name in ("tsh", "bae")]
    assert ["fit(X[some])" in one.python for one in said] == [True, False]


@pytest.mark.parametrize("unlabelled", [None, "unknown"])
def test_the_python_lines_learn_from_the_classes_that_were_measured(
    digits, unlabelled, monkeypatch
):
    """Mixed codes once took '' for a class, and a value of --unlabelled for one."""
    words = np.where(np.arange(300) % 3, digits.y.astype("U9"), unlabelled or "")
    y = np.where(is_missing(words, unlabelled or ()), -1, digits.y)
    monkeypatch.setattr(_running, "measure", MadeMeasure(lambda task: 0.5))
    found = compare(digits.X, y, methods=["mixed"], n_bits=8)
    said = found.recommend(source=Source("items.npy", "labels.csv", unlabelled))
    names = {"X": digits.X, "y": words, "queries": digits.X[:3]}
    exec(said.python, names)
    expected = make_hasher("mixed", n_bits=8, random_state=0).fit(digits.X, y)
    np.testing.assert_array_equal(names["codes"], expected.encode(digits.X))


def test_codes_that_reach_a_target_are_told_from_those_that_come_nearest(found):
    measure = found.settings.measure
    for at_least in (0.05, 0.3, 0.999):
        said = found.recommend(measure, at_least)
        row_reaches = [
            row[measure] - row[f"{measure} error"] >= at_least
            for row in found.rows
            if row["candidates"] == 1 and row["method"] != "vectors"
        ]
        assert said.reached == any(row_reaches)
        nearest = "Nothing that was measured is certain to reach" in said.sentence
        assert nearest != said.reached
        assert not nearest or "The nearest: " in said.sentence


def test_best_is_the_hasher_of_the_recommendation(found, capsys):
    measure = found.settings.measure
    hasher = found.best(measure, 0.05)
    said = found.recommend(measure, 0.05)
    assert repr(hasher) == repr(said.hasher)
    assert " ".join(said.sentence.split()) in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("named", [True, False])
def test_best_raises_if_nothing_reaches_the_target_and_names_the_nearest(found, named):
    measure = found.settings.measure
    nearest = found.recommend(measure, 1)
    with pytest.raises(ValueError, match="Nothing that was measured is certain to reach") as error:
        found.best(*([measure] if named else []), at_least=1)
    assert f"{nearest.n_bits} bits" in str(error.value)
    assert f"by {nearest.method}" in str(error.value)


def test_best_raises_if_nothing_reaches_the_target_of_the_comparison(digits):
    found = compare(digits.X, methods=["lsh"], n_bits=8, target="recall@10=0.99")
    assert not found.recommend().reached
    with pytest.raises(ValueError, match=r"recall at 10 of at least \.99.* The nearest: 8 bits"):
        found.best()
    assert found.best(at_least=0.01).n_bits == 8


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("recall@5", 0.5), "'recall@5' is not measured here; the measures of these data are"),
        (("recall@10", 2), "must be a measure and a number from 0 to 1"),
    ],
)
def test_a_target_that_was_not_measured_is_refused(neighbours, args, sentence):
    for asked in (neighbours.comparison.best, neighbours.comparison.recommend):
        with pytest.raises(ValueError, match=sentence):
            asked(*args)


def test_with_vectors_at_hand_smaller_codes_reach_a_target(neighbours):
    found = neighbours.comparison
    alone, rescored = (found.recommend("recall@10", 0.85, rescored=r) for r in (False, True))
    assert (alone.reached, rescored.reached) == (False, True)
    assert rescored.candidates > 1
    assert rescored.n_bytes <= alone.n_bytes
    assert "ordered by the vectors" in rescored.sentence
    codes = f"{rescored.n_bits} bits ({rescored.n_bytes} bytes) by {rescored.method}"
    assert codes.replace("(1 bytes)", "(1 byte)") in alone.sentence
    assert "With the vectors at hand" in alone.sentence


def test_no_more_candidates_are_recommended_than_are_needed(neighbours):
    found = neighbours.comparison
    said = found.recommend("recall@10", 0.85, rescored=True)
    fewer = [
        row["candidates"]
        for row in found.rows
        if row["bytes"] == said.n_bytes and row["recall@10"] - row["recall@10 error"] >= 0.85
    ]
    assert said.candidates == min(fewer)


def test_new_classes_are_spoken_of_where_they_were_measured(labelled, neighbours):
    said = str(labelled.comparison.recommend("precision@10", 0.5))
    assert "On classes kept out of training: ." in said
    assert "kept out" not in str(neighbours.comparison.recommend())


@pytest.mark.parametrize("measure", ["precision@10", "map"])
def test_codes_for_new_classes_are_those_that_would_be_chosen_by_them(labelled, measure):
    found = labelled.comparison
    said, other = found.recommend(measure, 0.5), found.recommend(f"new-{measure}")
    assert other.method == "itq"
    assert f"If new classes matter, {other.n_bits} bits by itq" in said.sentence
    on_these = f"{figure(other.value)} ± {figure(other.error)}."
    assert f", on new classes {on_these}" in said.sentence
    assert said.runner_up == (other.method, other.n_bits)
    row = next(row for row in found.rows if row["method"] == "vectors")
    assert f", the vectors {figure(row[f'new-{measure} fresh'])}. If new" in said.sentence
    assert "On all classes: " in other.sentence
    assert "If new classes matter" not in other.sentence


def test_the_runner_up_is_of_other_codes(found):
    said = found.recommend()
    assert said.runner_up is not None
    assert said.runner_up != (said.method, said.n_bits)


@pytest.mark.parametrize("shuffled", [False, True])
def test_labels_that_belong_to_other_items_are_doubted(labelled, shuffled):
    y = np.random.default_rng(0).permutation(labelled.y) if shuffled else labelled.y
    said = compare(labelled.X, y, methods=["itq"], n_bits=8).recommend().sentence
    assert ("do the labels belong to these items" in said) == shuffled
    assert ("Neither is better than a random order (.0" in said) == shuffled


def test_labels_of_few_items_are_not_doubted(digits):
    """A perfect ranking was said to be no better than a random one: there was little to find."""
    said = compare(digits.X[:60], digits.y[:60], methods=["itq"], n_bits=8).recommend().sentence
    assert "do the labels belong" not in said


def test_the_ceiling_is_said_where_there_is_less_to_find(digits):
    found = compare(digits.X[:60], digits.y[:60], methods=["itq"], n_bits=8)
    assert found.settings.ceiling < 0.5
    wanted = f" of {figure(found.settings.ceiling)} that a perfect ranking has"
    assert wanted in found.recommend().sentence


def test_codes_that_are_no_smaller_than_vectors_are_said(digits):
    said = [compare(digits.X[:, 9:11], methods=["lsh"], n_bits=n).recommend() for n in (32, 64)]
    assert ["no smaller than the vectors" in str(one) for one in said] == [False, True]


def test_more_time_is_asked_for_where_not_all_was_tried(digits, monkeypatch):
    monkeypatch.setattr(_running, "measure", MadeMeasure(lambda task: 0.5))
    said = [
        compare(digits.X, methods=["lsh", "itq"], target="recall@10=0.9", max_time=time).recommend()
        for time in (3, None)
    ]
    assert ["more time may find better ones" in str(one) for one in said] == [True, False]


def test_codes_that_use_no_pairs_are_fitted_without_them(digits, monkeypatch, capsys):
    pairs = np.where(digits.y[:, None] == digits.y, 1, -1)
    monkeypatch.setattr(_running, "measure", MadeMeasure(lambda task: 0.5))
    compare(digits.X, affinity=pairs, methods=["itq"], n_bits=8).best()
    assert "Fit it without the pairs" in capsys.readouterr().err


def test_a_promise_that_is_not_kept_on_other_queries_is_not_called_reached(neighbours):
    rng = np.random.default_rng(0)
    options = [
        made_option("vectors", 0, np.ones(200)),
        made_option("itq", 8, 0.9 + 0.01 * rng.random(200), reporting=[0.5] * 200),
    ]
    found = recommend(options, neighbours.comparison.settings, MEASURE, Target(MEASURE, 0.9))
    assert not found.reached
    assert "That is below .9," in found.sentence
    assert recommend(options, neighbours.comparison.settings, MEASURE, Target(MEASURE, 0.4)).reached
