"""Kernel ridge machines: the margins of a dense solve, whatever the precision."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from hashlearn.hash_functions import KernelRidgeHash, kernel_ridge


def problem(n=300, n_features=8, n_bits=5, seed=0, dtype=np.float64):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, n_features)).astype(dtype)
    codes = (np.sin(2 * X @ random.normal(size=(n_features, n_bits))) > 0).astype(np.uint8)
    return X, codes


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_margins_are_those_of_kernel_ridge_regression_with_an_offset(form, dtype):
    X, codes = problem(dtype=dtype)
    queries, _ = problem(seed=1, dtype=dtype)
    machine = KernelRidgeHash(C=3.0, sigma=1.5).fit(form(X), codes)
    gamma = 1 / (2 * 1.5**2)
    targets = 2.0 * codes - 1 - machine.intercept_
    peer = KernelRidge(alpha=1 / (2 * 3.0), kernel="rbf", gamma=gamma).fit(X, targets)
    expected = peer.predict(queries) + machine.intercept_
    np.testing.assert_allclose(machine.decision_function(form(queries)), expected, atol=1e-4)
    # the offset is the best one: its gradient, the sum of the residuals, is 0
    fitted = rbf_kernel(X, gamma=gamma) @ machine.coef_ + machine.intercept_
    np.testing.assert_allclose((2.0 * codes - 1 - fitted).sum(axis=0), 0, atol=1e-3)


def test_float32_gives_the_bits_of_float64(monkeypatch):
    X, codes = problem(n=600)
    double = KernelRidgeHash(random_state=0).fit(X, codes)
    monkeypatch.setattr(kernel_ridge, "_MAX_DOUBLE_ITEMS", 599)
    single = KernelRidgeHash(random_state=0).fit(X, codes)
    assert not np.array_equal(single.coef_, double.coef_)
    queries, _ = problem(n=2000, seed=1)
    assert (single.bits(queries) != double.bits(queries)).mean() < 1e-3


def test_the_scale_of_the_items_does_not_matter_in_float32(monkeypatch):
    monkeypatch.setattr(kernel_ridge, "_MAX_DOUBLE_ITEMS", 0)
    X, codes = problem()
    bits = KernelRidgeHash(random_state=0).fit(X, codes).bits(X)
    far = X * 2.0**100 + 2.0**101  # squares of these overflow in float32
    assert np.array_equal(KernelRidgeHash(random_state=0).fit(far, codes).bits(far), bits)


def test_a_penalty_below_the_rounding_of_float32_is_solved_in_float64(monkeypatch):
    X, codes = problem(n_features=2)
    double = KernelRidgeHash(C=1e6, sigma=2.0).fit(X, codes)
    monkeypatch.setattr(kernel_ridge, "_MAX_DOUBLE_ITEMS", 0)
    assert np.array_equal(KernelRidgeHash(C=1e6, sigma=2.0).fit(X, codes).coef_, double.coef_)
    with pytest.raises(ValueError, match=r"C=1e\+30 is too large"):
        KernelRidgeHash(C=1e30, sigma=50.0).fit(X, codes)


def test_more_items_than_fit_are_drawn_in_partial_fit(monkeypatch):
    monkeypatch.setattr(KernelRidgeHash, "max_items", 400)
    X, codes = problem(n=700)
    machine = KernelRidgeHash(C=10.0, sigma=2.0, random_state=0).fit(X[:300], codes[:300])
    before = machine.bits(X[500:])
    machine.partial_fit(X[300:500], codes[300:500]).partial_fit(X[500:], codes[500:])
    assert machine.points_.shape[0] == 400
    np.testing.assert_allclose(machine.weights_.sum(), 700)
    errors = [(bits != codes[500:]).mean() for bits in (before, machine.bits(X[500:]))]
    assert errors[1] < errors[0] / 2
    with pytest.raises(ValueError, match=r"n must be at most 400; got 401"):
        machine.partial_fit(X[:401], codes[:401])


def test_threads_change_nothing():
    X, codes = problem()
    one = KernelRidgeHash(random_state=0).fit(X, codes)
    two = KernelRidgeHash(random_state=0, n_jobs=2).fit(X, codes)
    assert (one.C_, one.sigma_) == (two.C_, two.sigma_)
    assert np.array_equal(one.coef_, two.coef_)


def test_items_of_weight_0_in_one_bit_do_not_count_in_it():
    X, codes = problem(n_bits=2)
    weight = np.ones(codes.shape)
    weight[:50, 0] = 0
    both = KernelRidgeHash(C=3.0, sigma=1.5).fit(X, codes, sample_weight=weight)
    alone = KernelRidgeHash(C=3.0, sigma=1.5).fit(X[50:], codes[50:, :1])
    np.testing.assert_allclose(
        both.decision_function(X)[:, 0], alone.decision_function(X)[:, 0], atol=1e-6
    )
