"""Both solvers of linear machines solve one problem."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn.hash_functions._machines.linear_machines import fit_linear_machines
from hashlearn.hash_functions._machines.squared_hinge import fit_squared_hinge


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_wide_sparse_items_get_the_machines_of_the_newton_solve(dtype):
    rng = np.random.default_rng(0)
    X = sp.random_array((150, 4_500), density=0.01, rng=rng, dtype=dtype).tocsr()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    Z = np.where(X @ rng.normal(size=(4_500, 3)) > 0, 1, -1)
    chosen = fit_linear_machines(X, Z, 2.0)
    newton = fit_squared_hinge(X, Z, 2.0, tol=1e-8)
    np.testing.assert_allclose(chosen.objective, newton.objective, rtol=1e-3)
    assert chosen.coef.dtype == dtype
    assert np.array_equal(
        X @ chosen.coef + chosen.intercept > 0, X @ newton.coef + newton.intercept > 0
    )


def test_narrow_items_share_one_solve():
    X = np.random.default_rng(0).normal(size=(50, 3))
    Z = np.where(X > 0, 1, -1)
    np.testing.assert_array_equal(
        fit_linear_machines(sp.csr_array(X), Z, 1.0).coef,
        fit_squared_hinge(sp.csr_array(X), Z).coef,
    )
