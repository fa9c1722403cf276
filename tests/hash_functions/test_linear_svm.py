"""Linear machines: what is special about them beyond the shared laws."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC

from hashlearn.hash_functions.linear_svm import LinearSVMHash


def problem(n=200, n_features=6, n_bits=4, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, n_features))
    codes = (X @ random.normal(size=(n_features, n_bits)) + random.normal(size=(n, n_bits)) > 0) * 1
    return X, codes


def test_margins_are_those_of_linear_svc_on_scaled_items():
    X, codes = problem()
    margins = LinearSVMHash(C=2.0, tol=1e-12).fit(X, codes).decision_function(X)
    centred = X - X.mean(axis=0)
    scaled = centred / np.sqrt((centred**2).sum(axis=1).mean())
    for k in range(codes.shape[1]):
        peer = LinearSVC(C=2.0, tol=1e-10, dual=False).fit(scaled, codes[:, k])
        np.testing.assert_allclose(margins[:, k], peer.decision_function(scaled), atol=1e-4)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_the_unit_of_measurement_does_not_matter(unit):
    X, codes = problem()
    plain = LinearSVMHash(random_state=0, tol=1e-10).fit(X, codes)
    other = LinearSVMHash(random_state=0, tol=1e-10).fit(unit * X, codes)
    assert other.C_ == plain.C_
    np.testing.assert_allclose(
        other.decision_function(unit * X), plain.decision_function(X), atol=1e-5
    )


def test_rows_may_be_sparse_where_training_was_dense_and_the_other_way_round():
    X, codes = problem()
    X[X < 0] = 0
    for fit_as in (np.asarray, sp.csr_array):
        machine = LinearSVMHash(C=1.0).fit(fit_as(X), codes)
        dense, sparse = (machine.decision_function(c(X)) for c in (np.asarray, sp.csr_array))
        np.testing.assert_allclose(dense, sparse, atol=1e-10)
