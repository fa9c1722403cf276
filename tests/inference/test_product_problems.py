"""Step 1 on label sets: the storage of their pairs changes nothing."""

import numpy as np
import pytest

from hashlearn.affinity import MultilabelAffinity
from hashlearn.affinity._label_sets import ListedPairs, PackedPairs
from hashlearn.inference import CoordinateDescent
from hashlearn.inference._product_problems import LabelSetProblem
from hashlearn.losses import as_loss

SHARES = {PackedPairs: 0.0, ListedPairs: 2.0}


def random_indicator(n, seed, density=0.15):
    return np.random.default_rng(seed).random((n, 10)) < density


def stored(indicator, form, monkeypatch):
    monkeypatch.setattr("hashlearn.affinity._label_sets.LISTED_SHARE", SHARES[form])
    affinity = MultilabelAffinity(indicator)
    assert isinstance(affinity.label_sets.pairs, form)
    return affinity


def infer(affinity, loss="ksh", n_bits=16, **params):
    return CoordinateDescent().infer(
        affinity, as_loss(loss), n_bits, random_state=np.random.RandomState(0), **params
    )


def problem_of(affinity, weights, seed=0):
    rng = np.random.default_rng(seed)
    Z = 2 * rng.integers(2, size=(affinity.n_items, 5), dtype=np.int8) - 1
    counted = np.array([True, True, False, True, True])
    return LabelSetProblem(Z, counted, affinity, weights, np.zeros(affinity.n_items))


def matrix_of(problem):
    others = problem.Z[:, problem.counted > 0].astype(float)
    Y = problem.affinity.block(slice(None)).astype(float)
    A = problem.weights[:, None] * (others @ others.T - problem.n_bits * Y) * problem.weights
    return A - np.diag(np.diagonal(A))


def check_flips(affinity, seed, largest_gain=1e-6):
    """Check products of a problem, and that its flips end where no single one helps."""
    weights = np.random.default_rng(seed).uniform(0.5, 9, 120)
    problem = problem_of(affinity, weights, seed)
    A = matrix_of(problem)
    z = np.where(np.random.default_rng(seed).random(120) < 0.5, -1.0, 1.0)
    np.testing.assert_allclose(problem.dot(z), A @ z, rtol=1e-9, atol=1e-6)
    flipped = problem.flip(z, problem.dot(z))
    assert flipped @ A @ flipped < z @ A @ z
    assert (flipped * (A @ flipped) <= largest_gain).all()
    moved = problem.moved(z, problem.dot(z), flipped)
    np.testing.assert_allclose(moved, A @ flipped, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("form", SHARES)
@pytest.mark.parametrize("seed", range(2))
def test_flips_end_where_no_single_flip_helps(form, seed, monkeypatch):
    check_flips(stored(random_indicator(120, seed), form, monkeypatch), seed)


@pytest.mark.parametrize("group", ["auto", False])
def test_codes_do_not_depend_on_the_storage(group, monkeypatch):
    indicator = random_indicator(400, 0)
    weights = np.random.default_rng(0).integers(1, 5, 400).astype(float)
    packed, listed = (
        infer(stored(indicator, form, monkeypatch), group=group, sample_weight=weights)
        for form in SHARES
    )
    assert np.array_equal(packed.codes, listed.codes)
    np.testing.assert_allclose(packed.objective, listed.objective, rtol=1e-12)


@pytest.mark.parametrize("form", SHARES)
def test_the_objective_is_that_of_the_codes_and_never_rises(form, monkeypatch):
    monkeypatch.setattr(LabelSetProblem, "rough_above", 64)
    affinity = stored(random_indicator(300, 1), form, monkeypatch)
    step_one = infer(affinity)
    Z, Y = 2.0 * step_one.codes - 1, affinity.block(slice(None)).astype(float)
    value = np.where(Y != 0, (Z @ Z.T - 16 * Y) ** 2, 0).sum()
    np.testing.assert_allclose(step_one.objective[-1], value, rtol=1e-12)
    assert (np.diff(step_one.objective) <= 1e-9 * value).all()


def test_rough_eigenvectors_end_no_higher(monkeypatch):
    """Over four problems; the mean ratio is what one run scatters around."""
    ratios = []
    for seed in range(4):
        affinity = MultilabelAffinity(random_indicator(1_200, seed, 0.2 + 0.04 * seed))
        monkeypatch.setattr(LabelSetProblem, "rough_above", 10_000)
        exact = infer(affinity).objective[-1]
        monkeypatch.setattr(LabelSetProblem, "rough_above", 64)
        ratios.append(infer(affinity).objective[-1] / exact)
    assert np.mean(ratios) < 1.002


@pytest.mark.parametrize("form", SHARES)
def test_many_items_without_labels_get_codes_far_apart(form, monkeypatch):
    indicator = np.zeros((1_500, 10), dtype=bool)
    indicator[:500] = random_indicator(500, 2)
    step_one = infer(stored(indicator, form, monkeypatch), n_bits=32)
    alone = step_one.codes[500:].astype(int)
    distances = (alone[:300, None] != alone[None, 300:600]).sum(axis=2)
    assert abs(distances.mean() - 16) < 1


@pytest.mark.parametrize("form", SHARES)
def test_other_losses_take_sampled_pairs_of_many_sets(form, monkeypatch):
    monkeypatch.setattr("hashlearn.inference._objectives.MAX_DENSE_ITEMS", 50)
    affinity = stored(random_indicator(400, 3), form, monkeypatch)
    with pytest.warns(UserWarning, match="a sample of the dissimilar ones"):
        codes = infer(affinity, "hinge").codes
    distances = (codes[:, None] != codes).sum(axis=2)
    Y = affinity.block(slice(None))
    assert distances[Y > 0].mean() + 2 < distances[Y < 0].mean()


@pytest.mark.parametrize("similarity", ["jaccard", "idf-cosine"])
@pytest.mark.parametrize("seed", range(2))
def test_flips_of_graded_sets_end_where_no_single_flip_helps(similarity, seed):
    affinity = MultilabelAffinity(random_indicator(120, seed), similarity=similarity)
    check_flips(affinity, seed, largest_gain=1e-5)


@pytest.mark.parametrize("loss", ["ksh", "splh"])
@pytest.mark.parametrize("similarity", ["jaccard", "idf-cosine"])
def test_the_graded_objective_is_that_of_the_codes_and_never_rises(similarity, loss):
    """A grade of 0 is a number here, not an undefined pair."""
    indicator = random_indicator(150, 1)
    affinity = MultilabelAffinity(indicator, similarity=similarity)
    Y = affinity.block(slice(None))
    assert similarity != "jaccard" or (Y[~np.eye(150, dtype=bool)] == 0).any()
    weights = np.random.default_rng(0).integers(1, 4, 150).astype(float)
    step_one = infer(affinity, loss, sample_weight=weights)
    Z = 2.0 * step_one.codes - 1
    losses = np.outer(weights, weights) * as_loss(loss)(Z @ Z.T, Y, 16)
    copies = (weights * (weights - 1))[indicator.any(axis=1)] * as_loss(loss)(16.0, 1.0, 16)
    value = losses.sum() - np.trace(losses) + copies.sum()
    np.testing.assert_allclose(step_one.objective[-1], value, rtol=1e-9)
    assert (np.diff(step_one.objective) <= 1e-9 * abs(value)).all()


def test_other_losses_refuse_more_graded_groups_than_fit(monkeypatch):
    monkeypatch.setattr("hashlearn.inference._objectives.MAX_GRADED_ITEMS", 50)
    affinity = MultilabelAffinity(random_indicator(400, 3), similarity="idf-cosine")
    with pytest.raises(ValueError, match=r"'ksh' or 'bre'.*similarity='shared'"):
        infer(affinity, "splh")


def test_sweeps_over_many_graded_sets_stop_early_and_end_little_higher(monkeypatch):
    affinity = MultilabelAffinity(random_indicator(1_000, 0, 0.3), similarity="idf-cosine")
    whole = infer(affinity, group=False).objective[-1]
    monkeypatch.setattr("hashlearn.inference._product_problems.MANY_SETS", 64)
    assert infer(affinity, group=False).objective[-1] < 1.02 * whole
