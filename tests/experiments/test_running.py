"""Laws of the runner: records are right, repeatable, and kept."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from hashlearn import TwoStepHasher, pack_codes
from hashlearn.experiments import running
from hashlearn.experiments.cells import Cell
from hashlearn.experiments.protocol import draw_split
from hashlearn.experiments.running import Runner
from hashlearn.files import RecordStore
from hashlearn.hash_functions import RBFSVMHash
from hashlearn.methods import BinaryAutoencoderHasher, ITQHasher
from hashlearn.metrics import evaluate, mean_average_precision, ndcg, precision_at_k
from tests.experiments.small_sets import digits, several_labels, without_labels

SETS = {data.name: data for data in (digits(), several_labels(), without_labels())}
CELL = Cell("digits", "usual", "tsh-bre", "rbf-svm", 16, seed=0, n_queries=150, n_training=200)


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    return Runner(SETS, RecordStore(tmp_path_factory.mktemp("cells")))


@pytest.fixture(scope="module")
def record(runner):
    runner.compute(CELL)
    return runner.finished(CELL)


def timeless(record):
    """Return a record without what differs from run to run."""
    record = {**record, "seconds": None, "versions": None}
    if record["selection"]:
        record["selection"] = {**record["selection"], "seconds": None}
    return record


def test_the_record_is_what_the_library_gives_by_hand(record):
    data = SETS["digits"]
    split = draw_split(data, "usual", CELL.sizes, seed=0)
    function = RBFSVMHash(
        C=record["selection"]["C"], sigma=record["selection"]["sigma"], random_state=0
    )
    hasher = TwoStepHasher(16, hash_function=function, random_state=0)
    hasher.fit(data.X[split.training], data.y[split.training])
    queries, database = (hasher.encode(data.X[rows]) for rows in (split.queries, split.database))
    testing = evaluate(queries, database, split.relevance, ties="insertion", n_bits=16)
    whole = mean_average_precision(queries, database, split.relevance, n_bits=16)
    first = precision_at_k(queries, database, split.relevance, 10, ties="insertion", n_bits=16)
    assert record["testing"] == pytest.approx(
        testing._asdict() | {"full_mean_average_precision": whole, "precision_at_10": first.mean()}
    )
    codes = pack_codes(hasher.codes_)
    training = evaluate(codes, codes, split.training_relevance, ties="insertion", n_bits=16)
    assert training._asdict().items() <= approximately(record["training"]).items()


def approximately(values):
    """Return a mapping whose numbers equal those that are nearly the same."""
    return {name: pytest.approx(value) for name, value in values.items()}


def test_several_labels_have_the_ndcg_of_shared_labels(runner):
    cell = replace(CELL, dataset="several", method="itq", n_bits=8, hash_function=None)
    runner.compute(cell)
    data, testing = SETS["several"], runner.finished(cell)["testing"]
    split = draw_split(data, "usual", cell.sizes, seed=0)
    hasher = ITQHasher(8, random_state=0).fit(data.X[split.training])
    queries, database = (hasher.encode(data.X[rows]) for rows in (split.queries, split.database))
    shared = data.y[split.queries].astype(int) @ data.y[split.database].T
    expected = ndcg(queries, database, shared, k=len(database), ties="insertion", n_bits=8)
    assert testing["ndcg"] == pytest.approx(np.nanmean(expected))
    by_any = evaluate(queries, database, shared > 0, ties="insertion", n_bits=8)
    assert by_any._asdict().items() <= approximately(testing).items()


def test_float_queries_rank_the_codes_of_the_methods_own_row(runner):
    plain = replace(CELL, method="bae", hash_function=None)
    rows = [plain, replace(plain, method="bae:float")]
    for cell in rows:
        runner.compute(cell)
    hamming, floats = (runner.finished(cell) for cell in rows)
    data = SETS["digits"]
    split = draw_split(data, "usual", CELL.sizes, seed=0)
    hasher = BinaryAutoencoderHasher(16, random_state=0).fit(data.X[split.training])
    asked, database = (
        hasher.encode_queries(data.X[split.queries]),
        hasher.encode(data.X[split.database]),
    )
    assert floats["training"] is None
    assert floats["testing"]["full_mean_average_precision"] == pytest.approx(
        mean_average_precision(asked, database, split.relevance)
    )
    radius = "precision_within_radius"  # a look-up needs bits
    assert floats["testing"][radius] == hamming["testing"][radius]
    assert floats["testing"]["pr_area"] != hamming["testing"]["pr_area"]


def test_what_nothing_is_relevant_to_gives_no_numbers(tmp_path):
    data = replace(SETS["digits"], y=np.arange(1797))
    runner = Runner({"digits": data}, RecordStore(tmp_path))
    cell = replace(CELL, method="lsh", hash_function=None)
    with pytest.warns(UndefinedMetricWarning):
        runner.compute(cell)
    assert runner.finished(cell)["testing"]["mean_average_precision"] is None


def test_the_record_says_all_that_it_depends_on(record):
    assert record["cell"]["fingerprint"] == SETS["digits"].fingerprint
    assert record["sizes"] == {"n_queries": 150, "n_training": 200, "n_database": 1647}
    assert record["n_encoded"] == 150 + 1647
    assert set(record["selection"]) == {"t", "sigma", "C", "bit_error", "seconds"}
    assert record["versions"]["hashlearn"]
    assert record["versions"]["threads"] == "1"
    assert record["seconds"]["step_one"] <= record["seconds"]["fit"]


def test_curves_end_where_the_measures_are(record):
    curves = record["curves"]
    assert curves["precision_at_k"][curves["k"].index(300)] == pytest.approx(
        record["testing"]["precision_at_k"]
    )
    assert len(curves["recall"]) == len(curves["precision"]) == 17
    assert curves["recall"][-1] == 1


def test_examples_are_the_nearest_items_and_say_which_are_wrong(record):
    y, examples = SETS["digits"].y, record["examples"]
    neighbours = np.array(examples["neighbours"])
    assert neighbours.shape == (8, 30)
    expected = y[neighbours] != y[np.array(examples["queries"])][:, None]
    assert (np.array(examples["wrong"]) == expected).all()


def test_a_finished_cell_is_the_same_in_another_run(runner, record, tmp_path):
    other = Runner(SETS, RecordStore(tmp_path), n_jobs=2)
    other.compute(CELL)
    assert timeless(other.finished(CELL)) == timeless(record)


@pytest.mark.parametrize(
    "changes",
    [
        {"method": "lsh", "hash_function": None},
        {"method": "classifier-codes"},
        {"protocol": "unseen"},
        pytest.param(
            {"protocol": "all-labels", "hash_function": "kernel-features", "n_anchors": 400},
            marks=pytest.mark.slow,
        ),
        {"hash_function": "linear-svm"},
        {"hash_function": "boosted-stumps"},
        {"dataset": "several"},
        {"dataset": "several", "protocol": "unseen", "method": "classifier-codes"},
        pytest.param({"dataset": "several", "protocol": "unseen"}, marks=pytest.mark.slow),
        pytest.param({"dataset": "vectors", "protocol": "l2"}, marks=pytest.mark.slow),
        {"dataset": "vectors", "protocol": "l2", "method": "tsh-ee"},
        {"dataset": "vectors", "protocol": "l2", "method": "lsh", "hash_function": None},
    ],
    ids=str,
)
def test_every_kind_of_cell_gives_a_record_of_json(runner, changes):
    cell = replace(CELL, **changes)
    runner.compute(cell)
    record = runner.finished(cell)
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert 0 < record["testing"]["mean_average_precision"] <= 1
    assert (record["training"] is None) == (cell.protocol == "all-labels")


def test_sdh_has_the_published_bandwidth():
    cell = replace(CELL, method="sdh", hash_function=None)
    assert running.build_hasher(cell, None, n_jobs=None).get_params()["sigma"] == 0.4


def test_the_default_row_has_all_defaults():
    cell = replace(CELL, method="tsh", hash_function=None)
    hasher = running.build_hasher(cell, None, n_jobs=None)
    assert hasher.get_params() == TwoStepHasher(16, random_state=0).get_params()


def test_parameters_are_chosen_once_per_split_and_function(tmp_path, monkeypatch):
    chosen = []

    def choose(cell, *_):
        chosen.append((cell.hash_function, cell.seed))
        return {"C": 1.0, "sigma": 1.0, "seconds": 0.0}

    monkeypatch.setattr(running, "choose", choose)
    for _ in range(2):  # a second run finds the first one's choice on disk
        runner = Runner(SETS, RecordStore(tmp_path))
        for method in ("tsh-bre", "tsh-ksh"):
            for n_bits in (8, 16):
                for seed in (0, 1):
                    runner.compute(replace(CELL, method=method, n_bits=n_bits, seed=seed))
    assert chosen == [("rbf-svm", 0), ("rbf-svm", 1)]


def test_parameters_are_chosen_on_training_items_alone(runner, record, tmp_path):
    data = SETS["digits"]
    split = draw_split(data, "usual", CELL.sizes, seed=0)
    X, y = data.X.copy(), data.y.copy()
    elsewhere = np.setdiff1d(np.arange(len(y)), split.training)
    X[elsewhere] = np.random.RandomState(0).random_sample(X[elsewhere].shape)
    changed = Runner({"digits": replace(data, X=X)}, RecordStore(tmp_path))
    changed.compute(CELL)
    assert timeless(changed.finished(CELL))["selection"] == timeless(record)["selection"]
