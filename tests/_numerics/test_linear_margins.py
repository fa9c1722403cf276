"""Linear margins are their formula, and every row's from that row alone."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn._numerics.padded_blocks import linear_margins


def parts(n_features, n_machines, dtype, seed=0):
    random = np.random.default_rng(seed)
    shapes = [(300, n_features), (n_features, n_machines), (n_features,), (n_machines,)]
    return [random.normal(size=shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("with_intercept", [False, True])
def test_margins_are_their_formula(container, with_intercept):
    X, W, center, intercept = parts(7, 5, np.float64)
    expected = (X - center) @ W + (intercept if with_intercept else 0)
    given = intercept if with_intercept else None
    found = linear_margins(container(X), W, center, given, dtype=np.float64)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_items_far_from_the_origin_keep_their_digits():
    X, W, center, _ = parts(20, 3, np.float64)
    far = [(X + 1e4).astype(np.float32), W.astype(np.float32), (center + 1e4).astype(np.float32)]
    exact = (far[0].astype(np.float64) - far[2]) @ far[1].astype(np.float64)
    np.testing.assert_allclose(linear_margins(*far, dtype=np.float32), exact, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 2, 5, 16, 33, 100, 785, 1100])
@pytest.mark.parametrize("n_machines", [1, 7, 16, 60, 64, 100, 300])
def test_a_row_has_the_same_margins_at_every_place(n_features, n_machines, dtype):
    X, W, center, _ = parts(n_features, n_machines, dtype)
    everywhere = np.repeat(X[:1], 300, axis=0)
    margins = linear_margins(everywhere, W, center, dtype=dtype)
    np.testing.assert_array_equal(margins, np.repeat(margins[:1], 300, axis=0))
    whole = linear_margins(X, W, center, dtype=dtype)
    for batch in (slice(1), slice(5, 12), slice(100, 300)):
        found = linear_margins(X[batch], W, center, dtype=dtype)
        np.testing.assert_array_equal(found, whole[batch])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_has_the_same_margins_among_any_number(dtype):
    X, W, center, _ = parts(13, 37, dtype)
    whole = linear_margins(X, W, center, dtype=dtype)
    for n in range(1, 301):
        found = linear_margins(X[300 - n :], W, center, dtype=dtype)
        np.testing.assert_array_equal(found, whole[300 - n :])
