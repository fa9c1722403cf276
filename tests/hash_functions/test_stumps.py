import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.hash_functions._stumps import (
    CONSTANT,
    best_splits,
    cast_votes,
    cut_points,
    make_splits,
    reweigh,
    weigh_votes,
)

seeds = st.integers(0, 2**32 - 1)


def random_items(seed, n_samples, n_features, n_values=5):
    """Items with many equal values, as images and counts have."""
    random = np.random.default_rng(seed)
    return random.integers(0, n_values, size=(n_samples, n_features)) / 4


def random_signed_weights(seed, n_samples, n_machines):
    random = np.random.default_rng(seed)
    weights = random.dirichlet(np.ones(n_samples), size=n_machines).T
    return np.ascontiguousarray(weights * random.choice([-1, 1], size=weights.shape))


def least_error(X, g):
    """The weighted error of the best stump, by trying all of them."""
    weight, z = np.abs(g), np.sign(g)
    stumps = [np.full(len(X), 1)]
    for x in X.T:
        values = np.unique(x)
        stumps += [np.where(x > t, 1, -1) for t in (values[:-1] + values[1:]) / 2]
    return min(weight[p * h != z].sum() for h in stumps for p in (-1, 1))


def members(splits, k):
    return splits.rows[splits.origin[k] : splits.start[k + 1]]


@given(seed=seeds, n_samples=st.integers(1, 40), n_features=st.integers(1, 4))
def test_a_split_sets_apart_the_items_on_its_side(seed, n_samples, n_features):
    X = random_items(seed, n_samples, n_features)
    splits = make_splits(X, 256)
    for k, feature in enumerate(splits.feature):
        above = X[:, feature] > splits.threshold[k]
        expected = np.flatnonzero(above if splits.side[k] > 0 else ~above)
        np.testing.assert_array_equal(np.sort(members(splits, k)), expected)


@given(seed=seeds, n_samples=st.integers(1, 40), n_features=st.integers(1, 4))
def test_every_gap_between_values_is_split_once(seed, n_samples, n_features):
    X = random_items(seed, n_samples, n_features)
    splits = make_splits(X, 256)
    for feature, x in enumerate(X.T):
        values = np.unique(x)
        thresholds = np.sort(splits.threshold[splits.feature == feature])
        np.testing.assert_array_equal(thresholds, (values[:-1] + values[1:]) / 2)


def test_the_most_frequent_level_is_never_visited():
    X = np.array([[0, 0, 0, 0, 1, 2, -1]]).T.astype(float)
    assert sorted(make_splits(X, 256).rows) == [4, 5, 6]


@given(
    seed=seeds,
    n_samples=st.integers(1, 30),
    n_features=st.integers(1, 4),
    n_machines=st.integers(1, 9),
)
def test_the_best_split_has_the_least_error_of_all_stumps(seed, n_samples, n_features, n_machines):
    X = random_items(seed, n_samples, n_features)
    G = random_signed_weights(seed, n_samples, n_machines)
    H = np.empty(G.shape, dtype=np.int8)
    splits = make_splits(X, 256)
    cast_votes(splits, best_splits(splits, G), G, H)
    right, wrong = weigh_votes(G, H)
    np.testing.assert_allclose(wrong, [least_error(X, g) for g in G.T], atol=1e-12)
    np.testing.assert_allclose(right + wrong, 1)


@given(seed=seeds, n_machines=st.integers(2, 40))
def test_a_machine_does_not_depend_on_its_neighbours(seed, n_machines):
    splits = make_splits(random_items(seed, 30, 3), 256)
    G = random_signed_weights(seed, 30, n_machines)
    alone = [best_splits(splits, np.ascontiguousarray(G[:, [j]]))[0] for j in range(n_machines)]
    np.testing.assert_array_equal(best_splits(splits, G), alone)


@given(seed=seeds)
def test_reweighing_scales_hits_and_misses(seed):
    G = random_signed_weights(seed, 20, 3)
    H = np.random.default_rng(seed).choice(np.array([-1, 1], dtype=np.int8), size=G.shape)
    expected = G * np.where(G * H > 0, [2, 3, 0], [5, 7, 0])
    reweigh(G, H, np.array([2.0, 3.0, 0.0]), np.array([5.0, 7.0, 0.0]))
    np.testing.assert_array_equal(G, expected)


@given(seed=seeds)
def test_ties_go_to_the_first_feature(seed):
    X = random_items(seed, 20, 2)
    splits = make_splits(np.column_stack([X, X]), 256)
    best = best_splits(splits, random_signed_weights(seed, 20, 5))
    assert np.all(splits.feature[best[best != CONSTANT]] < 2)


def test_constant_features_leave_the_constant_split():
    splits = make_splits(np.ones((4, 3)), 256)
    assert splits.threshold.size == 0
    np.testing.assert_array_equal(best_splits(splits, np.full((4, 2), 0.25)), CONSTANT)


@given(seed=seeds, n_values=st.integers(1, 300), n_levels=st.integers(2, 256))
def test_cut_points_part_neighbouring_values(seed, n_values, n_levels):
    random = np.random.default_rng(seed)
    values = np.unique(random.normal(size=n_values))
    ordered = np.repeat(values, random.geometric(0.3, size=values.size))
    cuts = cut_points(ordered, n_levels)
    assert cuts.size <= n_levels - 1
    assert cuts.size == values.size - 1 or values.size > n_levels
    np.testing.assert_array_equal(np.setdiff1d(cuts, (values[:-1] / 2 + values[1:] / 2)), [])
    assert np.all(np.diff(cuts) > 0)


@given(seed=seeds, n_levels=st.integers(2, 256))
def test_levels_of_many_distinct_values_are_quantiles(seed, n_levels):
    x = np.sort(np.random.default_rng(seed).normal(size=3000))
    counts = np.bincount(np.searchsorted(cut_points(x, n_levels), x))
    assert counts.size == n_levels
    assert np.ptp(counts) <= 1


def test_a_frequent_value_leaves_resolution_to_the_others():
    x = np.sort(np.concatenate([np.zeros(9000), np.random.default_rng(0).uniform(1, 2, 1000)]))
    cuts = cut_points(x, 256)
    assert cuts.size > 200
    assert np.bincount(np.searchsorted(cuts, x))[1:].max() < 10


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("part", [0, 1e-30, 0.5, 0.999, -0.999])
def test_neighbouring_floats_are_parted(part, dtype):
    low = np.finfo(dtype).max * dtype(part)
    high = np.nextafter(low, dtype(np.inf))
    (cut,) = cut_points(np.array([low, high], dtype=np.float64), 256)
    assert low <= cut < high
