"""Quantised features and the best cut of a node, against brute force."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.hash_functions._stumps import MAX_LEVELS
from hashlearn.hash_functions._trees import NO_CUT, best_cuts, quantise

seeds = st.integers(0, 10_000)


@given(seed=seeds, n_levels=st.integers(2, 256), n_values=st.sampled_from([1, 3, 1000]))
def test_levels_say_on_which_side_of_each_cut_a_value_lies(seed, n_levels, n_values):
    X = np.random.default_rng(seed).integers(0, n_values, (50, 2)) / 7
    levels = quantise(X, n_levels)
    for f in range(2):
        assert levels.n_levels[f] <= n_levels
        for v in range(levels.n_levels[f] - 1):
            above = X[:, f] > levels.cuts[f, v]
            np.testing.assert_array_equal(levels.level[f] > v, above)
            assert 0 < above.sum() < 50
        assert np.isinf(levels.cuts[f, NO_CUT])


def purity(z, w):
    """The sum over a node of what the Gini index loses: (p - q)^2 / (p + q)."""
    return (z @ w) ** 2 / w.sum() if w.sum() > 0 else 0.0


@given(seed=seeds, n=st.integers(1, 40), n_nodes=st.sampled_from([1, 2, 4]))
def test_the_best_cut_is_that_of_brute_force(seed, n, n_nodes):
    rng = np.random.default_rng(seed)
    levels = quantise(rng.integers(0, 6, (n, 3)).astype(float), 256)
    z, w = rng.choice([-1, 1], n), rng.uniform(0.1, 1, n)
    node = rng.integers(0, n_nodes, n).astype(np.uint32)
    gains, cuts = np.empty((3, n_nodes)), np.empty((3, n_nodes), dtype=np.int64)
    slot = (2 * node + (z > 0)) * np.uint32(MAX_LEVELS)
    best_cuts(levels, np.arange(n, dtype=np.uint32), slot, w, gains, cuts, 0, 3)
    for f in range(3):
        for j in range(n_nodes):
            level, z_j, w_j = levels.level[f][node == j], z[node == j], w[node == j]

            def gain(v, level=level, z_j=z_j, w_j=w_j):
                low = level <= v
                parts = purity(z_j[low], w_j[low]) + purity(z_j[~low], w_j[~low])
                return parts - purity(z_j, w_j)

            best = max([gain(v) for v in range(levels.n_levels[f] - 1)], default=0)
            np.testing.assert_allclose(gains[f, j], best, atol=1e-9)
            np.testing.assert_allclose(gain(cuts[f, j]), best, atol=1e-9)
