"""The Gaussian kernel in blocks: right values, also far from the origin."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from hashlearn._numerics import rbf
from hashlearn._numerics.rbf import (
    GaussianKernel,
    SquaredDistances,
    expansion_margins,
    kept_kernel,
    mean_neighbor_distance,
    pairwise_squared_distances,
)


def items(n=40, n_features=7, seed=0):
    return np.random.default_rng(seed).normal(size=(n, n_features))


@pytest.mark.parametrize("points_as", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("rows_as", [np.asarray, sp.csr_array])
def test_kernel_is_its_formula(points_as, rows_as):
    X, P = items(), items(12, seed=1)
    K = GaussianKernel(points_as(P), sigma=1.7)(rows_as(X))
    np.testing.assert_allclose(K, np.exp(-(cdist(X, P) ** 2) / (2 * 1.7**2)), atol=1e-12)


@pytest.mark.parametrize("offset", [0, 10, 1000])
def test_float32_far_from_the_origin_keeps_its_digits(offset):
    X = (items() + offset).astype(np.float32)
    K = GaussianKernel(X[:9], sigma=1.0)(X)
    assert K.dtype == np.float32
    exact = np.exp(-(cdist(X.astype(float), X[:9].astype(float)) ** 2) / 2)
    np.testing.assert_allclose(K, exact, atol=1e-5)


def test_rows_are_not_changed():
    X = items()
    before = X.copy()
    SquaredDistances(X[:5])(X)
    pairwise_squared_distances(X, X)
    assert np.array_equal(X, before)


def test_distances_are_never_negative():
    X = np.repeat(items(3).astype(np.float32), 4, axis=0)
    assert (pairwise_squared_distances(X, X) >= 0).all()


@pytest.mark.parametrize("entries", [1, 100, 10**6])
def test_blocks_change_nothing(monkeypatch, entries):
    X = items()
    monkeypatch.setattr(rbf, "_BLOCK_ENTRIES", entries)
    np.testing.assert_allclose(pairwise_squared_distances(X, X), cdist(X, X) ** 2, atol=1e-10)
    nearest = np.sort(cdist(X, X), axis=1)[:, 1:6]
    assert mean_neighbor_distance(X, k=5) == pytest.approx(nearest.mean())


@pytest.mark.parametrize("n", [2, 3, 50])
def test_at_most_the_other_rows_are_neighbours(n):
    X = items(n)
    expected = cdist(X, X).sum() / (n * (n - 1))
    assert mean_neighbor_distance(X, k=100) == pytest.approx(expected)
    assert mean_neighbor_distance(sp.csr_array(X), k=100) == pytest.approx(expected)


def test_sampled_rows_estimate_the_mean(monkeypatch):
    X = items(2000, 3)
    exact = mean_neighbor_distance(X, k=10)
    monkeypatch.setattr(rbf, "_NEIGHBOR_ROWS", 500)
    assert mean_neighbor_distance(X, k=10, random_state=0) == pytest.approx(exact, rel=0.1)


@pytest.mark.parametrize("n", [1, 4])
def test_one_point_has_unit_scale(n):
    assert mean_neighbor_distance(np.ones((n, 2))) == 1.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("points_as", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n_points", [1, 15, 300])
@pytest.mark.parametrize("n_features", [1, 7, 130])
@pytest.mark.parametrize("n_machines", [1, 13, 64])
def test_a_row_has_the_same_margins_everywhere(n_points, n_features, n_machines, points_as, dtype):
    X = items(300, n_features).astype(dtype)
    kernel = GaussianKernel(points_as(X[:n_points]), sigma=2.0)
    coef, intercept = items(n_points, n_machines, seed=1), items(1, n_machines, seed=2)[0]

    def margins(rows):
        return expansion_margins(rows, kernel, coef, intercept)

    np.testing.assert_allclose(margins(X), kernel(X) @ coef + intercept, atol=1e-3)
    everywhere = margins(np.repeat(X[9:10], 130, axis=0))
    np.testing.assert_array_equal(everywhere, np.repeat(margins(X[9:10]), 130, axis=0))
    np.testing.assert_array_equal(margins(X[17:230]), margins(X)[17:230])


def test_rows_far_from_narrow_points_have_values_of_zero():
    X = np.array([[1e15], [2e15]], dtype=np.float32)
    np.testing.assert_array_equal(GaussianKernel(X, sigma=1e-10)(X), np.eye(2))


def test_a_kernel_is_kept_until_a_part_of_it_is_another():
    class Owner:
        pass

    owner, points = Owner(), items(3)

    def kept(*parts):
        return kept_kernel(owner, parts, lambda: GaussianKernel(points, 1.0))

    first = kept(points, 1.0)
    assert kept(points, 1.0) is first
    assert kept(points.copy(), 1.0) is not first
