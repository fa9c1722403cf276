"""Means of rows keep their digits."""

import numpy as np
import scipy.sparse as sp

from hashlearn.methods.linear import mean_of


def test_the_mean_of_sparse_float32_rows_is_that_of_dense_ones():
    X = np.random.default_rng(0).normal(1e4, 1, size=(3000, 5)).astype(np.float32)
    exact = X.astype(np.float64).mean(axis=0)
    np.testing.assert_allclose(mean_of(sp.csr_array(X)), exact, rtol=1e-12)
    np.testing.assert_allclose(mean_of(X), exact, rtol=1e-12)
