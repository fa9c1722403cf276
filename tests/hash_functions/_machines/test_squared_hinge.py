"""The solver solves LinearSVC's problem, for all bits at once."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn.hash_functions._machines import row_products
from hashlearn.hash_functions._machines.squared_hinge import fit_squared_hinge


def problem(n, n_features, n_machines=5, seed=0, dtype=np.float64, offset=0.0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, n_features)) * random.uniform(0.2, 3, n_features) + offset
    margins = X @ random.normal(size=(n_features, n_machines)) + random.normal(size=n_machines)
    noise = random.normal(size=margins.shape) * margins.std()
    Z = np.where(margins + noise > np.median(margins), 1, -1)
    return X.astype(dtype), Z


def objective(X, Z, coef, intercept, C):
    gap = np.maximum(0, 1 - Z * (X @ coef + intercept))
    return 0.5 * ((coef**2).sum(axis=0) + intercept**2) + C * (gap**2).sum(axis=0)


def peer_objective(X, Z, C):
    X = X.astype(np.float64)
    values = []
    for z in Z.T:
        peer = LinearSVC(C=C, tol=1e-10, max_iter=100_000, dual=False).fit(X, z)
        values.append(objective(X, z, peer.coef_[0], peer.intercept_[0], C))
    return np.array(values)


SHAPES = [(200, 10), (30, 100), (500, 3), (50, 1)]


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_objective_is_that_of_linear_svc(shape, C):
    X, Z = problem(*shape)
    solution = fit_squared_hinge(X, Z, C, tol=1e-10)
    reached = objective(X, Z, solution.coef, solution.intercept, C)
    np.testing.assert_allclose(reached, solution.objective, rtol=1e-9)
    np.testing.assert_allclose(reached, peer_objective(X, Z, C), rtol=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_gradient_vanishes_at_the_solution(shape):
    X, Z = problem(*shape)
    solution = fit_squared_hinge(X, Z, 2.0, tol=1e-12)
    R = np.maximum(0, 1 - Z * (X @ solution.coef + solution.intercept)) * Z
    size = np.abs(4 * X.T @ R).max()
    np.testing.assert_allclose(solution.coef, 4 * X.T @ R, atol=1e-5 * size)
    np.testing.assert_allclose(solution.intercept, 4 * R.sum(axis=0), atol=1e-5 * size)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_float32_comes_within_a_thousandth_by_default(C):
    X, Z = problem(2000, 40, dtype=np.float32)
    solution = fit_squared_hinge(X, Z, C)
    assert solution.coef.dtype == np.float32
    reached = objective(X, Z, solution.coef, solution.intercept, C)
    assert (reached <= peer_objective(X, Z, C) * 1.001).all()


@pytest.mark.parametrize("dense_columns", [4000, 5], ids=["cholesky", "diagonal"])
def test_sparse_is_dense(monkeypatch, dense_columns):
    monkeypatch.setattr(row_products, "DENSE_COLUMNS", dense_columns)
    X, Z = problem(150, 30)
    X[np.abs(X) < 1] = 0
    dense = fit_squared_hinge(X, Z, tol=1e-12)
    sparse = fit_squared_hinge(sp.csr_array(X), Z, tol=1e-12)
    np.testing.assert_allclose(sparse.coef, dense.coef, atol=1e-6)
    np.testing.assert_allclose(sparse.objective, peer_objective(X, Z, 1.0), rtol=1e-6)


def test_more_columns_than_a_cholesky_factor_is_worth():
    random = np.random.default_rng(0)
    X = sp.random_array((80, 5000), density=0.01, random_state=random, format="csr")
    Z = np.where(random.random((80, 3)) < 0.5, -1, 1)
    solution = fit_squared_hinge(X, Z, 10.0, tol=1e-8)
    np.testing.assert_allclose(solution.objective, peer_objective(X, Z, 10.0), rtol=1e-4)


@pytest.mark.parametrize("block_rows", [1, 64, 10_000])
def test_block_size_changes_nothing(block_rows):
    X, Z = problem(150, 8)
    whole = fit_squared_hinge(X, Z, tol=1e-12)
    blocks = fit_squared_hinge(RowBlocks(X, block_rows=block_rows), Z, tol=1e-12)
    np.testing.assert_allclose(blocks.coef, whole.coef, atol=1e-7)


def test_recomputed_features_are_as_good_as_stored_ones():
    X, Z = problem(300, 8)
    stored = fit_squared_hinge(np.tanh(X), Z, tol=1e-12)
    recomputed = fit_squared_hinge(RowBlocks(X, np.tanh, 8, block_rows=64), Z, tol=1e-12)
    np.testing.assert_allclose(recomputed.coef, stored.coef, atol=1e-7)


def test_each_machine_may_have_its_own_C():
    X, Z = problem(200, 10, n_machines=3)
    C = np.array([0.01, 1.0, 100.0])
    together = fit_squared_hinge(X, Z, C, tol=1e-12)
    for k in range(3):
        alone = fit_squared_hinge(X, Z[:, [k]], C[k], tol=1e-12)
        np.testing.assert_allclose(together.coef[:, k], alone.coef[:, 0], atol=1e-6)


def test_opposite_bits_have_opposite_machines():
    X, Z = problem(100, 6, n_machines=1)
    solution = fit_squared_hinge(X, np.hstack([Z, -Z]), tol=1e-12)
    np.testing.assert_allclose(solution.coef[:, 0], -solution.coef[:, 1], atol=1e-7)


def test_the_iteration_cap_warns():
    X, Z = problem(200, 10)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        fit_squared_hinge(X, Z, 10.0, max_iter=1)


def test_the_same_call_gives_the_same_bits():
    X, Z = problem(500, 20, dtype=np.float32)
    assert np.array_equal(fit_squared_hinge(X, Z).coef, fit_squared_hinge(X, Z).coef)


def test_nearly_equal_features_in_float32_do_not_stop_the_solver():
    """Rounding once made the preconditioner's matrix indefinite, and its factor failed."""
    rng = np.random.default_rng(0)
    X = (1 + 1e-4 * rng.normal(size=(2000, 300))).astype(np.float32)
    Z = np.where(rng.random((2000, 2)) < 0.5, -1, 1)
    solution = fit_squared_hinge(X, Z, C=100.0)
    assert np.isfinite(solution.objective).all()
    assert (solution.objective <= 100.0 * 2000).all()
