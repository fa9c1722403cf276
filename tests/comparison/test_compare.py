"""`hashlearn.compare`: what is measured, what is kept, and what is refused before any work."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn.affinity import as_affinity
from hashlearn.comparison import _running, _splits, request
from tests.comparison.conftest import compare
from tests.comparison.records import MadeMeasure, timeless

FEW = {"methods": ["itq", "lsh"]}


def counted(*args, **settings):
    """Compare; return the comparison and the tasks that were begun."""
    begun = []
    found = compare(*args, on_task=lambda seconds, text: begun.append(text), **settings)
    return found, begun


def test_the_same_items_give_the_same_comparison(digits, neighbours):
    again = compare(digits.X, **FEW)
    assert timeless(again.rows) == timeless(neighbours.comparison.rows)
    assert str(again.recommend()) == str(neighbours.comparison.recommend())


def test_threads_change_nothing(digits, neighbours):
    again = compare(digits.X, n_jobs=2, **FEW)
    assert timeless(again.rows) == timeless(neighbours.comparison.rows)


def test_kept_records_are_not_measured_again(digits, neighbours):
    again, begun = counted(digits.X, folder=neighbours.folder, **FEW)
    assert begun == []
    assert again.rows == neighbours.comparison.rows
    assert again.settings == neighbours.comparison.settings
    assert str(again) == str(neighbours.comparison)


@pytest.mark.parametrize("n_tasks", [0, 1, 6])
def test_a_stopped_comparison_goes_on_where_it_was(digits, neighbours, tmp_path, n_tasks):
    begun = []

    def stop(seconds, text):
        if len(begun) == n_tasks:
            raise KeyboardInterrupt
        begun.append(text)

    with pytest.raises(KeyboardInterrupt):
        compare(digits.X, folder=tmp_path, on_task=stop, **FEW)
    found, rest = counted(digits.X, folder=tmp_path, **FEW)
    assert begun + rest == neighbours.tasks
    assert timeless(found.rows) == timeless(neighbours.comparison.rows)
    assert str(found.recommend()) == str(neighbours.comparison.recommend())


@pytest.mark.parametrize(
    "changed",
    [
        {"metric": "euclidean"},
        {"k": 5},
        {"random_state": 1},
        {"X": lambda X: X + np.float32(0.01)},
        {"X": lambda X: X[:299]},
    ],
    ids=["metric", "k", "random_state", "values", "number"],
)
def test_records_of_other_items_or_settings_are_not_used(digits, neighbours, changed):
    def begin(*_):
        raise KeyboardInterrupt

    settings = {name: value for name, value in changed.items() if name != "X"}
    X = changed.get("X", np.asarray)(digits.X)
    with pytest.raises(KeyboardInterrupt):
        compare(X, folder=neighbours.folder, on_task=begin, **FEW, **settings)


def test_choices_never_read_what_is_reported(digits, labelled, neighbours, tmp_path):
    """Any values on the reporting queries: the choice is the same, only its figures change."""
    cases = [
        (neighbours, (digits.X,), ["itq", "lsh"], (None, "recall@10=0.5", "recall@10=1")),
        (labelled, (labelled.X, labelled.y), ["itq-cca", "itq"], (None, "new-precision@10=0.4")),
    ]
    for case, items, methods, targets in cases:
        for poison in (0.0, 1.0, "random"):
            folder = tmp_path / f"{case.folder.name}-{poison}"
            poisoned(case.folder, folder, poison)
            found, begun = counted(*items, methods=methods, folder=folder)
            assert begun == []
            for target in targets:
                args = () if target is None else target.split("=")
                ours, theirs = (vars(one.recommend(*args)) for one in (found, case.comparison))
                assert chosen(ours) == chosen(theirs)
                assert poison == "random" or ours["value"] == poison


def poisoned(source, folder, value):
    """Write records with other values on the queries to report on."""
    (folder / "records").mkdir(parents=True)
    random = np.random.default_rng(0)
    for path in sorted((source / "records").glob("*.json")):
        record = json.loads(path.read_bytes())
        for ranking in record["rankings"]:
            for name, values in ranking["reporting"].items():
                n = len(values)
                new = random.random(n).tolist() if value == "random" else [value] * n
                ranking["reporting"][name] = new
        (folder / "records" / path.name).write_text(json.dumps(record))


def chosen(recommendation):
    left_out = ("sentence", "reached", "value", "error", "hasher")  # a promise may not be kept
    return {name: value for name, value in recommendation.items() if name not in left_out}


def test_a_first_round_drops_methods_and_says_so(digits, monkeypatch):
    monkeypatch.setattr(_splits, "SCREENING_TRAINING", 20)
    methods = ["lsh", "itq", "klsh", "mdsh"]
    target = "recall@10=0.01"  # what was dropped is measured too if nothing reaches it
    found, begun = counted(digits.X, methods=methods, n_bits=8, target=target)
    assert sum("first round" in text for text in begun) == 4
    (dropped,) = found.settings.untried.values()
    assert len(dropped) == 2
    assert {row["method"] for row in found.rows} == {"vectors", *methods} - set(dropped)


def test_a_first_round_is_left_out_if_its_database_is_less_than_k(digits, monkeypatch):
    monkeypatch.setattr(_splits, "SCREENING_TRAINING", 20)
    found, begun = counted(digits.X, methods=["lsh", "itq"], n_bits=8, k=61)
    assert not found.settings.has_first_round
    assert not any("first round" in text for text in begun)


def test_classes_kept_out_are_measured_first_where_the_first_round_was_good_at_them(
    labelled, monkeypatch
):
    def quality(task):
        order = ["sdh", "mixed", "itq-cca"] if task.new else ["itq-cca", "sdh", "mixed"]
        return 0.0 if task.method == "vectors" else 0.9 - 0.1 * order.index(task.method)

    made = MadeMeasure(quality)
    monkeypatch.setattr(_running, "measure", made)
    monkeypatch.setattr(_splits, "SCREENING_TRAINING", 20)
    compare(labelled.X, labelled.y, methods=["mixed", "itq-cca", "sdh"])
    kept_out = [(t.method, t.n_bits) for t in made.tasks if t.new and not (t.screening or t.fold)]
    likely = [("sdh", 16), ("sdh", 8), ("mixed", 16), ("mixed", 8), ("itq-cca", 16)]
    assert kept_out == [("itq-cca", 8), *likely]  # first what would be chosen


def test_queries_whose_neighbours_are_not_told_apart_are_said(digits):
    far = np.column_stack([digits.X, np.full(300, 1e6)])
    found = compare(far, methods="lsh", n_bits=8)
    assert found.settings.tied == 1
    assert "100 percent of the queries have many more items that are as near" in str(
        found.recommend()
    )
    assert compare(digits.X, methods="lsh", n_bits=8).settings.tied == 0


def test_labels_that_pandas_calls_missing_are_no_class(digits):
    pandas = pytest.importorskip("pandas")
    y = [None if i % 5 == 0 else f"digit {y}" for i, y in enumerate(digits.y)]
    settings = {"methods": "itq", "n_bits": 8}
    found = compare(digits.X, pandas.Series(y, dtype="string"), **settings)
    assert found.settings.n_missing == 60
    assert timeless(found.rows) == timeless(compare(digits.X, y, **settings).rows)


def test_the_largest_seed_can_be_used_in_all_folds(digits):
    found = compare(digits.X, methods=["lsh", "itq"], n_bits=8, random_state=2**32 - 1)
    assert found.settings.untried == {}


def test_codes_are_recommended_where_no_reporting_query_has_anything_to_find(
    digits, neighbours, tmp_path
):
    poisoned(neighbours.folder, tmp_path, None)
    found = compare(digits.X, folder=tmp_path, **FEW).recommend()
    assert "not measured" in found.sentence
    assert chosen(vars(found)) == chosen(vars(neighbours.comparison.recommend()))


@pytest.fixture
def little_memory(monkeypatch):
    """Let items alone take memory."""
    monkeypatch.setattr(request, "PROGRAM_BYTES", 0)
    monkeypatch.setattr(request, "TRAINING_BYTES", 1)


def test_more_items_than_fit_are_sampled(digits, little_memory):
    found = compare(
        digits.X,
        digits.y,
        methods="lsh",
        n_bits=8,
        max_memory=int(150.5 * 4 * 64 / request.ROWS_SHARE),
    )
    assert (found.settings.n_items, found.settings.n_sampled) == (300, 150)


def test_fewer_items_are_learned_from_in_less_memory(digits, monkeypatch):
    monkeypatch.setattr(request, "LEAST_TRAINING", 1)
    for memory, n in (("607MB", 50), ("700MB", 166)):
        found = compare(digits.X, digits.y, methods="lsh", n_bits=8, max_memory=memory)
        assert (found.settings.n_sampled, found.settings.sizes.n_training) == (300, n)


def test_a_sample_has_the_items_that_are_labelled(digits, little_memory):
    y = np.where(np.arange(300) % 4 == 0, digits.y, -1)
    found = compare(
        digits.X, y, methods="lsh", n_bits=8, max_memory=int(80.5 * 4 * 64 / request.ROWS_SHARE)
    )
    assert (found.settings.n_sampled, found.settings.n_missing) == (80, 225)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_queries_that_are_copies_of_other_items_are_said(digits, kind):
    settings = {"methods": "lsh", "n_bits": 8}
    found = compare(kind(np.repeat(digits.X[:100], 3, axis=0)), **settings)
    assert found.settings.copied > 0.9
    assert f"{100 * found.settings.copied:.0f} percent of the queries are copies" in str(
        found.recommend()
    )
    found = compare(kind(digits.X), **settings)
    assert found.settings.copied == 0
    assert "copies" not in str(found.recommend())


@pytest.mark.parametrize("kind", ["list", "sparse", "memory-mapped", "frame"])
def test_items_of_any_kind_are_the_same_items(digits, tmp_path, kind):
    settings = {"methods": "lsh", "n_bits": 8}
    if kind == "sparse":
        X = sp.csr_matrix(digits.X)
    elif kind == "memory-mapped":
        np.save(tmp_path / "x.npy", digits.X)
        X = np.load(tmp_path / "x.npy", mmap_mode="r")
    elif kind == "frame":
        X = pytest.importorskip("pandas").DataFrame(digits.X)
    else:
        X = digits.X.tolist()
    same = compare(digits.X, digits.y, **settings)
    found = compare(X, digits.y.tolist(), **settings)
    for ours, theirs in zip(timeless(found.rows), timeless(same.rows), strict=True):
        if kind == "sparse" and ours["method"] == "vectors":
            assert ours.pop("bytes") == 8 * -(-X.nnz // 300)  # values and columns
            assert theirs.pop("bytes") == 4 * 64
        assert ours == pytest.approx(theirs, abs=0.02)


def test_methods_that_refuse_sparse_items_are_said_and_others_go_on(digits):
    found = compare(sp.csr_matrix(digits.X), methods=["bae", "mdsh", "lsh", "itq"], n_bits=8)
    assert {row["method"] for row in found.rows} > {"lsh", "vectors"}
    assert any("parse" in reason for reason in found.settings.untried)


def test_several_labels_are_measured_by_what_they_share(digits):
    Y = np.column_stack([digits.y == 0, digits.y < 5, digits.y % 2, digits.y > 3]).astype(int)
    found = compare(digits.X, Y, methods=["itq"], n_bits=8, k=5)
    assert found.settings.measures[:3] == ["precision@5", "map", "ndcg@5"]
    assert all(0 < row["ndcg@5"] <= 1 for row in found.rows)
    sparse = compare(digits.X, sp.csr_matrix(Y), methods=["itq"], n_bits=8, k=5)
    assert timeless(sparse.rows) == timeless(found.rows)


def test_pairs_take_the_place_of_labels_as_in_fit(digits):
    same = np.where(digits.y[:, None] == digits.y, 1, -1) * (1 - np.eye(300, dtype=int))
    settings = {"methods": ["itq", "lsh"], "n_bits": 8}
    found = compare(digits.X, affinity=same, **settings)
    assert (found.settings.supervision, found.settings.measure) == ("pairs", "map")
    pairs = as_affinity(same, None, digits.X)
    others = compare(digits.X, digits.y, affinity=pairs, **settings)
    assert timeless(others.rows) == timeless(found.rows)


BAD_ITEMS = [
    (lambda X, y: (X[:5],), "at least 50 items are needed.*got 5"),
    (lambda X, y: (X[0],), "2D array"),
    (lambda X, y: (np.where(X > 15, np.nan, X),), "NaN"),
    (lambda X, y: ("items.npy",), "2D array"),
    (lambda X, y: (None,), "2D array"),
    (lambda X, y: (X, np.zeros(300)), "y must have at least two classes; got 1"),
    (lambda X, y: (X, np.zeros((300, 2))), "all items have the same"),
    (lambda X, y: (X, np.full((300, 2), -1)), "all items have the same, or none"),
    (lambda X, y: (X, np.column_stack([y, y])), "y is 2-D, so it must be a 0/1 indicator"),
    (lambda X, y: (X, y[:10]), r"y must have a label for each of 300 items; got shape \(10,\)"),
    (lambda X, y: (np.ones((300, 4)), None), "X has the same values in all items"),
    (lambda X, y: (sp.csr_array(np.ones((300, 4))), y), "X has the same values in all items"),
    (lambda X, y: (X, 5), r"y must have a label for each of 300 items; got shape \(\)"),
    (lambda X, y: (X, [[0] * (1 + i % 2) for i in range(300)]), "MultiLabelBinarizer makes; got"),
    (lambda X, y: (X, np.arange(300)), "no query has anything to find.*Are the labels ids"),
    (lambda X, y: (X, [f"item {i}" for i in range(300)]), "Are the labels ids"),
    (lambda X, y: (X, np.where(np.arange(300) < 40, y, -1)), "at least 50 items.*got 40"),
]
BAD_SETTINGS = [
    ({"target": "precision@10=0.9"}, "the measures of these data are recall@10"),
    ({"target": "recall@10"}, "such as recall@10=0.95; got 'recall@10'"),
    ({"target": "recall@10=0.9", "k": 5}, "k=5 and the target's @10 must be the same"),
    ({"k": 0}, "k must be an integer of at least 1; got 0"),
    ({"k": 2.5}, "k must be an integer of at least 1; got 2.5"),
    ({"k": True}, "k must be an integer of at least 1; got True"),
    ({"k": 1000}, "k must be at most 215, the size of the database.*got 1000"),
    ({"metric": "manhattan"}, "metric must be one of 'cosine'.*got 'manhattan'"),
    ({"methods": ["nope"]}, "got 'nope'"),
    ({"methods": []}, r"methods must be 'auto', 'all' or names.*got \[\]"),
    ({"methods": 3}, "methods must be 'auto', 'all' or names.*got 3"),
    ({"methods": [3]}, r"methods must be 'auto', 'all' or names.*got \[3\]"),
    ({"methods": ["sdh"]}, "method 'sdh' learns from labels; it cannot learn from items alone"),
    ({"n_bits": 0}, "n_bits must be an integer from 1 to 4096; got 0"),
    ({"n_bits": []}, r"n_bits must be 'auto', or numbers of bits; got \[\]"),
    ({"n_bits": "many"}, "n_bits must be 'auto', or numbers of bits; got 'many'"),
    ({"max_time": -1}, "max_time must be 0 or a positive number; got -1"),
    ({"max_memory": "big"}, "such as '512MB'; got 'big'"),
    (
        {"max_memory": "1KB"},
        "max_memory must be at least 740MB, of which libraries take 600MB; got 1,000",
    ),
    ({"random_state": "a"}, "random_state must be an integer from 0.*got 'a'"),
    ({"random_state": -1}, "random_state must be an integer from 0.*got -1"),
    ({"target": 0.9}, "such as recall@10=0.95; got 0.9"),
]


@pytest.fixture
def unmeasured(monkeypatch):
    monkeypatch.setattr(_running, "measure", None)


@pytest.mark.parametrize(("change", "sentence"), BAD_ITEMS)
def test_items_that_cannot_be_compared_on_are_refused(
    digits, unmeasured, change, sentence, tmp_path
):
    with pytest.raises(ValueError, match=sentence):
        compare(*change(digits.X, digits.y), folder=tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_pairs_of_which_no_query_has_both_kinds_are_refused(digits, unmeasured):
    pairs = sp.lil_matrix((300, 300))
    for i in range(0, 300, 2):
        pairs[i, i + 1] = pairs[i + 1, i] = 1 if i % 4 else -1
    with pytest.raises(ValueError, match=r"too few pairs are known: none of .* has both"):
        compare(digits.X, affinity=pairs.tocsr())


def test_pairs_that_are_all_similar_are_refused(digits, unmeasured):
    for affinity in (np.zeros((300, 300)), digits.y[:, None] == digits.y):
        with pytest.raises(ValueError, match="no dissimilar pair"):
            compare(digits.X, affinity=affinity)


@pytest.mark.parametrize(("settings", "sentence"), BAD_SETTINGS)
def test_settings_that_cannot_be_are_refused(digits, unmeasured, settings, sentence, tmp_path):
    with pytest.raises(ValueError, match=sentence):
        compare(digits.X, folder=tmp_path / "kept", **{"methods": ["itq"], **settings})
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("y", ["digits", None])
def test_without_time_nothing_can_be_recommended(digits, y):
    with pytest.raises(ValueError, match="No time was left"):
        compare(digits.X, digits.y if y else None, max_time=0, methods=["itq"]).best()


def test_if_every_method_fails_the_reason_is_said(digits):
    with pytest.raises(ValueError, match="64"):
        compare(digits.X, methods=["itq"], n_bits=128).best()


def test_a_comparison_of_nothing_can_still_be_printed(digits):
    try:
        found = compare(digits.X, max_time=0, methods=["itq"])
    except ValueError:
        return  # refused at once: as good
    assert "No time was left" in repr(found)
