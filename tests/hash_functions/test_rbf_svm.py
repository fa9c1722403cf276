"""RBF machines: the margins of SVC, from one kernel block."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC

from hashlearn.hash_functions.rbf_svm import RBFSVMHash


def problem(n=300, n_features=8, n_bits=5, seed=0, dtype=np.float64):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, n_features)).astype(dtype)
    codes = (np.sin(2 * X @ random.normal(size=(n_features, n_bits))) > 0).astype(np.uint8)
    return X, codes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("C", "sigma"), [(1.0, 1.0), (10.0, 0.7), (50.0, 3.0)])
def test_margins_are_those_of_one_svc_per_bit(C, sigma, dtype):
    X, codes = problem(dtype=dtype)
    queries, _ = problem(seed=1, dtype=dtype)
    # at libsvm's default tolerance the solution itself is only known to about 1e-3
    machine = RBFSVMHash(C=C, sigma=sigma, tol=1e-7).fit(X, codes)
    margins = machine.decision_function(queries)
    for k in range(codes.shape[1]):
        peer = SVC(C=C, gamma=1 / (2 * sigma**2), tol=1e-7).fit(X, codes[:, k])
        np.testing.assert_allclose(margins[:, k], peer.decision_function(queries), atol=1e-4)


def test_only_support_vectors_are_kept():
    X, codes = problem()
    machine = RBFSVMHash(C=10.0, sigma=2.0).fit(X, codes)
    assert machine.points_.shape[0] == machine.coef_.shape[0] <= X.shape[0]
    assert (np.abs(machine.coef_).max(axis=1) > 0).all()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_support_vectors_stand_for_earlier_items(form):
    X, codes = problem(n=600)
    codes = np.column_stack([codes, codes[:, 0], 1 - codes[:, 1], np.ones(600, dtype=np.uint8)])
    queries, _ = problem(seed=1)
    later = RBFSVMHash(C=10.0, sigma=2.0).fit(form(X[:300]), codes[:300])
    n_support = later.coef_.shape[0]
    later.partial_fit(form(X[300:]), codes[300:])
    whole = RBFSVMHash(C=10.0, sigma=2.0).fit(form(X), codes)
    first = RBFSVMHash(C=10.0, sigma=2.0).fit(form(X[:300]), codes[:300])
    bits = [machine.bits(form(queries)) for machine in (first, later, whole)]
    assert (bits[1] != bits[2]).mean() < 0.3 * (bits[0] != bits[2]).mean()
    assert later.machine_.tolist() == whole.machine_.tolist()
    assert n_support < later.coef_.shape[0] <= 600


def test_weights_of_support_vectors_are_kept():
    X, codes = problem()
    weights = np.where(np.arange(300) % 3 == 0, 5.0, 1.0)
    machine = RBFSVMHash(C=1.0, sigma=1.0, tol=1e-6).fit(X, codes, sample_weight=weights)
    margins = machine.decision_function(X)
    far = X[:2] + 100.0  # they tell the machines nothing about the others
    machine.partial_fit(far, np.array([[0, 0, 0, 0, 0], [1, 1, 1, 1, 1]]), np.full(2, 1e-9))
    np.testing.assert_allclose(machine.decision_function(X), margins, atol=1e-3)


def test_too_many_items_are_refused_before_any_work(monkeypatch):
    monkeypatch.setattr(RBFSVMHash, "max_items", 299)
    X, codes = problem()
    with pytest.raises(ValueError, match=r"n must be at most 299; got 300\. Use 'anchor-ridge'"):
        RBFSVMHash().fit(X, codes)


def test_threads_change_nothing():
    X, codes = problem()
    one = RBFSVMHash(random_state=0).fit(X, codes)
    two = RBFSVMHash(random_state=0, n_jobs=2).fit(X, codes)
    assert (one.C_, one.sigma_) == (two.C_, two.sigma_)
    assert np.array_equal(one.coef_, two.coef_)
