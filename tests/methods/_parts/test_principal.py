"""Principal directions against a singular value decomposition, in all three ways to them."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn.methods._parts import principal
from hashlearn.methods._parts.principal import mean_of, principal_directions
from tests.processes import alone, peak_memory


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 20)) * np.linspace(3, 0.3, 20) + 5
    X[rng.uniform(size=X.shape) < 0.5] = 0
    return X


@pytest.mark.parametrize("dense_features", [3000, 1])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_directions_are_the_singular_vectors_of_centred_items(X, form, dense_features, monkeypatch):
    monkeypatch.setattr(principal, "DENSE_FEATURES", dense_features)
    V = np.linalg.svd(X - X.mean(axis=0))[2][:4].T
    found = principal_directions(form(X), mean_of(form(X)), 4)
    np.testing.assert_allclose(np.abs((V * found).sum(axis=0)), 1, atol=1e-6)
    np.testing.assert_allclose(found.T @ found, np.eye(4), atol=1e-9)
    assert np.all(found[np.abs(found).argmax(axis=0), np.arange(4)] > 0)


@pytest.mark.parametrize("dense_features", [3000, 1])
def test_more_directions_than_the_items_span_are_orthonormal(X, dense_features, monkeypatch):
    monkeypatch.setattr(principal, "DENSE_FEATURES", dense_features)
    found = principal_directions(X[:3], X[:3].mean(axis=0), 6)
    np.testing.assert_allclose(found.T @ found, np.eye(6), atol=1e-9)


def test_float32_items_give_the_directions_of_float64_ones(X):
    single = X.astype(np.float32)
    np.testing.assert_allclose(
        principal_directions(single, mean_of(single), 3),
        principal_directions(X, mean_of(X), 3),
        atol=1e-5,
    )


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_scatter_is_the_sum_of_outer_products_in_stripes_of_any_size(X, form, monkeypatch):
    monkeypatch.setattr(principal, "_BLOCK_ROWS", 7)
    centred = X - X.mean(axis=0)
    found = principal.scatter(form(X), mean_of(form(X)))
    np.testing.assert_allclose(found, centred.T @ centred, atol=1e-8)


def peak_of_directions():
    principal.DENSE_FEATURES = 1
    X = np.random.default_rng(0).normal(size=(4000, 1000)).astype(np.float32)
    X[:, :2] *= [20, 10]
    return peak_memory(principal_directions, X, mean_of(X), 2)


def test_float32_items_are_not_copied_to_float64_as_a_whole():
    assert alone(peak_of_directions) < 1.5 * 4 * 4000 * 1000


def test_the_mean_of_sparse_float32_rows_is_that_of_dense_ones():
    X = np.random.default_rng(0).normal(1e4, 1, size=(3000, 5)).astype(np.float32)
    exact = X.astype(np.float64).mean(axis=0)
    np.testing.assert_allclose(mean_of(sp.csr_array(X)), exact, rtol=1e-12)
    np.testing.assert_allclose(mean_of(X), exact, rtol=1e-12)
