"""RBF machines: the margins of SVC, from one kernel block."""

import numpy as np
import pytest
from sklearn.svm import SVC

from hashlearn.hash_functions import rbf_svm
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


def test_too_many_items_are_refused_before_any_work(monkeypatch):
    monkeypatch.setattr(rbf_svm, "_MAX_ITEMS", 299)
    X, codes = problem()
    with pytest.raises(ValueError, match=r"n must be at most 299; got 300\. Use 'kernel-features'"):
        RBFSVMHash().fit(X, codes)


def test_threads_change_nothing():
    X, codes = problem()
    one = RBFSVMHash(random_state=0).fit(X, codes)
    two = RBFSVMHash(random_state=0, n_jobs=2).fit(X, codes)
    assert (one.C_, one.sigma_) == (two.C_, two.sigma_)
    assert np.array_equal(one.coef_, two.coef_)
