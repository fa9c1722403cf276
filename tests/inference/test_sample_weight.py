"""Laws of item weights in Step 1: a whole number equals repetition."""

import numpy as np
import pytest

from hashlearn.affinity import (
    DenseAffinity,
    LabelAffinity,
    MultilabelAffinity,
    NeighborAffinity,
    SparseAffinity,
)
from hashlearn.inference import CoordinateDescent, as_inference
from hashlearn.inference._product_problems import GraphProblem
from hashlearn.losses import as_loss
from tests.affinities import KINDS, random_affinity

pytestmark = pytest.mark.filterwarnings("ignore:.* different labels, so hardly")


def infer(affinity, loss, n_bits, **params):
    return CoordinateDescent().infer(
        affinity, as_loss(loss), n_bits, random_state=np.random.RandomState(0), **params
    )


def make(kind, seed):
    """Return an affinity, without items that have no label and without similar groups."""
    rng = np.random.default_rng(seed)
    if kind == "labels":
        return LabelAffinity(rng.integers(0, 5, 20))
    if kind == "label-classes":
        return LabelAffinity(np.append(np.arange(90), rng.integers(0, 90, 60)))
    if kind == "multilabel":
        indicator = rng.random((20, 6)) < 0.3
        indicator[~indicator.any(axis=1), 0] = True
        return MultilabelAffinity(indicator)
    Y = np.triu(rng.choice([-1, 0, 1], (20, 20)), 1)
    if kind == "dense":
        return DenseAffinity(Y + Y.T)
    i, j = np.nonzero(Y)
    return SparseAffinity.from_pairs(np.stack([i, j, Y[i, j]], axis=1), 20)


@pytest.mark.parametrize("loss", ["bre", "splh", "hinge"])
@pytest.mark.parametrize("kind", ["labels", "label-classes", "multilabel", "dense", "pairs"])
@pytest.mark.parametrize("seed", range(3))
def test_whole_weights_equal_repetition(kind, loss, seed):
    affinity = make(kind, seed)
    weights = np.random.default_rng(seed).integers(1, 5, affinity.n_items)
    items = np.repeat(np.arange(affinity.n_items), weights)
    weighted = infer(affinity, loss, 6, sample_weight=weights.astype(float))
    repeated = infer(affinity[items], loss, 6)
    assert np.array_equal(weighted.codes[items], repeated.codes)
    np.testing.assert_allclose(weighted.objective, repeated.objective, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("group", ["auto", False])
@pytest.mark.parametrize("seed", range(3))
def test_the_objective_is_the_loss_over_copies(kind, group, seed):
    affinity = random_affinity(kind, 10, seed)
    weights = np.random.default_rng(seed).integers(1, 4, 10)
    if kind == "multilabel":  # copies of an item without labels are dissimilar, and not counted
        weights[~affinity.copies_are_similar()] = 1
    items = np.repeat(np.arange(10), weights)
    step_one = infer(affinity, "ksh", 5, group=group, sample_weight=weights.astype(float))
    Z = 2.0 * step_one.codes[items] - 1
    Y = affinity[items].block(slice(None)).astype(float)
    expected = np.where(Y != 0, (Z @ Z.T - 5 * Y) ** 2, 0).sum()
    assert step_one.objective[-1] == pytest.approx(expected, rel=1e-9)


def graph(n, seed):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return NeighborAffinity.from_data(X, n_neighbors=8)


@pytest.mark.parametrize("weight", [3.0, 0.5])
@pytest.mark.parametrize("n", [50, 600])
def test_equal_weights_of_neighbours_give_the_codes_of_none(n, weight):
    plain, weighted = (infer(graph(n, 0), "ksh", 8, sample_weight=w) for w in (None, [weight] * n))
    assert np.array_equal(weighted.codes, plain.codes)
    assert np.array_equal(weighted.objective, weight**2 * plain.objective)


@pytest.mark.parametrize("seed", range(2))
def test_weighted_neighbours_end_as_low_as_their_copies(seed):
    affinity = graph(150, seed)
    weights = np.random.default_rng(seed).integers(1, 4, 150)
    items = np.repeat(np.arange(150), weights)
    weighted = infer(affinity, "ksh", 12, sample_weight=weights.astype(float))
    Z = 2.0 * weighted.codes[items] - 1
    Y = affinity[items].block(slice(None)).astype(float)
    losses = np.where(Y != 0, (Z @ Z.T - 12 * Y) ** 2, 0)
    assert weighted.objective[-1] == losses.sum()
    assert weighted.objective[-1] <= 1.01 * infer(affinity[items], "ksh", 12).objective[-1]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_no_flip_of_an_item_helps_where_sweeps_over_a_graph_end(seed, weighted, monkeypatch):
    rng, n = np.random.default_rng(seed), 90
    weights = rng.uniform(0.5, 3, n) if weighted else np.ones(n)
    Z, counted = rng.choice(np.array([-1, 1], dtype=np.int8), (n, 6)), np.arange(6) != 2
    problem = GraphProblem(Z, counted, graph(n, seed), weights, np.zeros(n))
    z = rng.choice([-1.0, 1.0], n)
    A = np.stack([problem.column(i) for i in range(n)])
    np.testing.assert_allclose(problem.dot(z), A @ z)
    flipped = problem.flip(z, A @ z)
    assert (flipped * (A @ flipped) <= 1e-9 * np.abs(A).max()).all()
    monkeypatch.setattr(
        "hashlearn.inference._product_problems.MAX_COUNT", 0
    )  # integers would not do
    assert np.array_equal(problem.flip(z, A @ z), flipped)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_one_change_nothing(kind):
    affinity = random_affinity(kind, 12, 0)
    one, none = (infer(affinity, "bre", 4, sample_weight=w) for w in (np.ones(12), None))
    assert np.array_equal(one.codes, none.codes)
    assert np.array_equal(one.objective, none.objective)


def test_weights_below_one_leave_no_negative_pairs():
    step_one = infer(LabelAffinity([0, 0, 1]), "bre", 4, sample_weight=np.array([0.2, 0.2, 0.5]))
    assert (step_one.objective >= 0).all()


def test_wrong_weights_are_refused():
    affinity = LabelAffinity([0, 0, 1])
    with pytest.raises(ValueError, match=r"shape \(3,\); got \(2,\)"):
        infer(affinity, "bre", 4, sample_weight=np.ones(2))
    for bad in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="above 0"):
            infer(affinity, "bre", 4, sample_weight=np.array([1, 1, bad]))
    laplacian = as_loss("laplacian")
    with pytest.raises(ValueError, match="cannot be used with inference='eigenmap'"):
        as_inference("auto", laplacian).infer(
            affinity,
            laplacian,
            1,
            sample_weight=np.array([1.0, 2, 1]),
            random_state=np.random.RandomState(0),
        )
