"""Laws of stagewise learning: what a bit's problem sees, weights, sampled pairs, files."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import ConvergenceWarning

import hashlearn
from hashlearn import TwoStepHasher
from hashlearn.affinity import DenseAffinity, LabelAffinity, SparseAffinity
from hashlearn.hash_functions import BoostedTreesHash, HashFunction
from hashlearn.inference import SOLVERS, CoordinateDescent, GraphCut, Solver
from hashlearn.inference._problems import DenseProblem
from hashlearn.inference.bit_by_bit import _influence
from hashlearn.losses import as_loss
from hashlearn.two_step._items import TrainingItems
from hashlearn.two_step._stagewise import learn_stagewise, linear_in_items
from tests.affinities import KINDS, random_affinity
from tests.sklearn_checks import scikit_learn_checks

pytestmark = pytest.mark.filterwarnings("ignore:The objective rose")

QUICK = BoostedTreesHash(n_rounds=3, max_depth=2)
STAGEWISE = {"inference": "graph-cut", "stagewise": True, "random_state": 0}


@scikit_learn_checks(
    [TwoStepHasher(n_bits=2, inference="graph-cut", hash_function=QUICK, stagewise=True)]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, n_features=5, centers=4, cluster_std=3.0, random_state=0)


class Memory(HashFunction):
    """Knows every training item's bit; wrong on the items in `misses`."""

    takes_weights = True

    def __init__(self, misses=()):
        self.misses = misses

    def _fit_weighted_machines(self, X, Z, W, verbose):
        self.Z_, self.W_ = Z.astype(float), W
        self.Z_[list(self.misses)] *= -1

    def _fit_machines(self, X, Z, verbose):
        raise AssertionError("weights were not given")

    def _machine_margins(self, X):
        return self.Z_[X[:, 0].astype(int)]


class Spy(Solver):
    """Solves by graph cuts and remembers the matrices."""

    def __init__(self):
        self.seen = []

    def minimise(self, problem, start, random_state):
        assert not start.any()
        self.seen.append(problem.dot(np.eye(problem.size)))
        return GraphCut().minimise(problem, start, random_state)


def learn(affinity, loss="ksh", n_bits=4, solver="graph-cut", hash_function=None, seed=0):
    X = np.arange(affinity.n_items)[:, None].astype(float)
    items = TrainingItems(np.ones(len(X), dtype=bool), X, affinity, None)
    parts = as_loss(loss), CoordinateDescent(solver), hash_function or Memory()
    return X, learn_stagewise(items, *parts, n_bits, np.random.RandomState(seed), verbose=0)


def losses(affinity, loss, codes, n_bits, shift=0):
    Y = np.asarray(affinity.block(slice(None)), dtype=float)
    return np.where(Y != 0, as_loss(loss)(codes @ codes.T + shift, Y, n_bits), 0)


@pytest.mark.parametrize("solver", SOLVERS.names())
@pytest.mark.parametrize("kind", KINDS)
def test_with_perfect_hash_functions_it_is_one_cycle_of_algorithm_1(kind, solver):
    affinity = random_affinity(kind, 12, seed=1)
    _, stages = learn(affinity, solver=solver)
    expected = CoordinateDescent(solver, n_cycles=1, start="empty").infer(
        affinity, as_loss("ksh"), 4, group=False, random_state=np.random.RandomState(0)
    )
    np.testing.assert_array_equal(stages.codes, expected.codes)
    assert stages.objective[-1] == expected.objective[-1]


@pytest.mark.parametrize("loss", ["ksh", "bre", "ee", "hinge"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_bit_sees_the_outputs_of_the_bits_before_it(kind, loss):
    affinity, spy = random_affinity(kind, 14, seed=2), Spy()
    X, stages = learn(affinity, loss, solver=spy, hash_function=Memory(misses=(0, 3)))
    outputs = np.where(stages.hash_function.decision_function(X) > 0, 1.0, -1.0)
    assert (outputs != 2.0 * stages.codes - 1).any()
    for k in range(4):
        before = outputs[:, :k]
        A = losses(affinity, loss, before, 4, +1) - losses(affinity, loss, before, 4, -1)
        scale = np.abs(spy.seen[k]).max() / np.abs(A).max()  # quadratic losses lose a factor
        np.testing.assert_allclose(spy.seen[k], scale * A, atol=1e-9)
        total = losses(affinity, loss, outputs[:, : k + 1], 4).sum()
        assert stages.objective[k] == pytest.approx(total, rel=1e-9)
        part = stages.hash_function.parts_[k]
        if part.machine_[0] >= 0:
            weights = np.abs(A).sum(axis=1)
            np.testing.assert_allclose(part.W_[:, 0], weights / weights.mean(), rtol=1e-9)


def test_a_later_bit_mends_what_an_earlier_one_got_wrong(blobs):
    X, y = blobs
    weak = BoostedTreesHash(n_rounds=1, max_depth=1)
    stagewise = TwoStepHasher(n_bits=24, hash_function=weak, **STAGEWISE).fit(X, y)
    plain = TwoStepHasher(n_bits=24, hash_function=weak, random_state=0).fit(X, y)
    assert stagewise.score(X, y) > plain.score(X, y)
    assert stagewise.objective_[-1] < stagewise.objective_[0]


def test_codes_are_those_of_step_one(blobs):
    X, y = blobs
    hasher = TwoStepHasher(n_bits=8, hash_function=QUICK, **STAGEWISE).fit(X, y)
    assert hasher.codes_.shape == (120, 8)
    assert hasher.codes_.dtype == np.uint8
    assert hasher.groups_ is None
    assert hasher.objective_.shape == (8,)
    np.testing.assert_array_equal(
        hasher.bit_error_, (hasher.transform(X) != hasher.codes_).mean(axis=0)
    )


@pytest.mark.parametrize("name", [QUICK, "linear-svm", "boosted-stumps"])
def test_save_and_load_give_the_same_bits(name, blobs, tmp_path):
    X, y = blobs
    hasher = TwoStepHasher(n_bits=6, hash_function=name, **STAGEWISE).fit(X, y)
    hasher.save(tmp_path / "model.hashlearn")
    loaded = hashlearn.load(tmp_path / "model.hashlearn")
    np.testing.assert_array_equal(loaded.decision_function(X), hasher.decision_function(X))
    assert str(loaded.summary()) == str(hasher.summary())


def test_bits_do_not_depend_on_n_jobs(blobs):
    X, y = blobs
    one, two = (
        TwoStepHasher(n_bits=6, hash_function=QUICK, n_jobs=n_jobs, **STAGEWISE).fit(X, y)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_sparse_items_are_taken_where_the_hash_function_takes_them(blobs):
    X, y = blobs
    hasher = TwoStepHasher(n_bits=4, hash_function="linear-svm", **STAGEWISE)
    assert hasher.fit(sp.csr_matrix(X), y).score(sp.csr_matrix(X), y) > 0.5
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        TwoStepHasher(hash_function="boosted-trees", **STAGEWISE).fit(sp.csr_matrix(X), y)


def test_above_a_number_of_items_pairs_are_sampled(monkeypatch):
    monkeypatch.setattr("hashlearn.two_step._stagewise.MAX_ALL_PAIRS", 200)
    monkeypatch.setattr("hashlearn.two_step._stagewise.N_SIMILAR", 10)
    monkeypatch.setattr("hashlearn.two_step._stagewise.N_DISSIMILAR", 20)
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    affinity = LabelAffinity(y)
    sample = linear_in_items(affinity, np.random.RandomState(0))
    assert isinstance(sample, SparseAffinity)
    i, j = sample.stored_pairs.nonzero()
    np.testing.assert_array_equal(sample.at(i, j), affinity.at(i, j))
    assert 400 * 10 / 2 < sample.n_similar <= 400 * 10
    assert 400 * 20 / 2 < sample.n_dissimilar <= 400 * 20
    trees = BoostedTreesHash(n_rounds=10)
    hasher = TwoStepHasher(n_bits=16, hash_function=trees, **STAGEWISE).fit(X, y)
    assert hasher.score(X, y) > 0.9


def test_few_items_stored_pairs_and_graded_affinities_are_not_sampled(monkeypatch):
    few = LabelAffinity(np.arange(10) % 2)
    assert linear_in_items(few, np.random) is few
    monkeypatch.setattr("hashlearn.two_step._stagewise.MAX_ALL_PAIRS", 1)
    pairs = SparseAffinity.from_pairs([(0, 1, 1), (1, 2, -1)], n_items=4)
    graded = DenseAffinity(np.array([[0, 0.5], [0.5, 0]]))
    assert linear_in_items(pairs, np.random) is pairs
    assert linear_in_items(graded, np.random) is graded


def test_an_item_without_pairs_weighs_nothing():
    affinity, spy = SparseAffinity.from_pairs([(0, 1, 1), (1, 2, -1)], n_items=4), Spy()
    _, stages = learn(affinity, solver=spy)
    assert stages.hash_function.parts_[0].W_[3, 0] == 0


def test_items_weigh_the_same_where_nothing_can_change():
    nothing = DenseProblem(np.zeros((3, 3)), np.ones(3), np.zeros(3))
    np.testing.assert_array_equal(_influence(nothing), np.ones(3))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"stagewise": "yes"}, "stagewise must be .*; got 'yes'"),
        ({"stagewise": True, "loss": "laplacian"}, "one by one"),
    ],
)
def test_wrong_parameters_are_refused_before_any_work(params, message, blobs, monkeypatch):
    monkeypatch.setattr("hashlearn.base.hasher.as_affinity", None)  # any work would fail
    with pytest.raises(ValueError, match=message):
        TwoStepHasher(n_bits=4, **params).fit(*blobs)


def test_verbose_tells_what_runs(blobs, capsys):
    TwoStepHasher(n_bits=2, hash_function=QUICK, verbose=1, **STAGEWISE).fit(*blobs)
    assert "Both steps" in capsys.readouterr().err


def test_weights_count_in_both_steps():
    X, y = make_blobs(60, n_features=3, centers=3, random_state=0)
    hasher = TwoStepHasher(
        3, inference="graph-cut", hash_function=QUICK, stagewise=True, random_state=0
    )
    plain = hasher.fit(X, y).decision_function(X)
    np.testing.assert_array_equal(
        hasher.fit(X, y, sample_weight=np.ones(60)).decision_function(X), plain
    )
    weights = np.where(y == 0, 100.0, 1.0)
    assert (hasher.fit(X, y, sample_weight=weights).decision_function(X) != plain).any()


def test_weights_are_refused_where_bits_of_items_cannot_weigh():
    X, y = make_blobs(60, n_features=3, centers=3, random_state=0)
    hasher = TwoStepHasher(3, hash_function="linear-svm", stagewise=True)
    with pytest.raises(ValueError, match="does not weigh the bits"):
        hasher.fit(X, y, sample_weight=np.ones(60))


def rising(misses, n_bits=12):
    """Fit bits of which the hash function misses most: each makes the codes worse."""
    X = np.arange(40)[:, None].astype(float)
    y = np.arange(40) % 4
    hasher = TwoStepHasher(n_bits, hash_function=Memory(misses), **STAGEWISE)
    return hasher.fit(X, y)


def test_an_objective_that_rises_is_told():
    """On label sets of sparse texts it rose by a third, and codes were worse, without a word."""
    with pytest.warns(ConvergenceWarning, match=r"rose .* after bit \d+ .* stagewise=False"):
        hasher = rising(misses=range(0, 40, 3))
    assert hasher.objective_[-1] > hasher.objective_.min()


def test_an_objective_that_falls_is_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hasher = rising(misses=())
    assert hasher.objective_[-1] == hasher.objective_.min()
