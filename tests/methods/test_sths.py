"""Supervised self-taught hashing: laws of the linear and of the RBF one."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from hashlearn.affinity import LabelAffinity, SparseAffinity
from hashlearn.methods.sth import STHHasher
from hashlearn.methods.sths import STHSHasher
from hashlearn.methods.sths_rbf import STHSRBFHasher

HASHERS = [STHSHasher, STHSRBFHasher]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[y < 5][:250], y[y < 5][:250]


@pytest.mark.parametrize("hasher", HASHERS)
def test_a_class_has_one_code_of_its_own_in_as_many_bits_as_there_are_other_classes(hasher, digits):
    X, y = digits
    codes = hasher(4, random_state=0).fit(X, y).codes_
    assert np.unique(codes, axis=0).shape[0] == 5
    assert np.unique(np.column_stack([codes, y]), axis=0).shape[0] == 5


def test_the_machines_differ_and_step_one_does_not(digits):
    X, y = digits
    linear, rbf = (hasher(4, random_state=0).fit(X, y) for hasher in HASHERS)
    np.testing.assert_array_equal(linear.codes_, rbf.codes_)
    assert type(linear.hash_function_).__name__ == "LinearSVMHash"
    assert type(rbf.hash_function_).__name__ == "RBFSVMHash"


def test_labels_pairs_and_matrices_that_say_the_same_give_the_same_codes(digits):
    X, y = digits
    Y = np.where(y[:, None] == y, 1, -1)
    expected = STHSHasher(3, random_state=0).fit(X, y).codes_
    for affinity in (LabelAffinity(y), Y, SparseAffinity(sp.csr_array(Y))):
        codes = STHSHasher(3, random_state=0).fit(X, affinity=affinity).codes_
        same = (codes == expected).mean(axis=0)
        np.testing.assert_allclose(np.maximum(same, 1 - same), 1)  # the sign is anyone's


def test_dissimilar_pairs_are_not_used(digits):
    X, y = digits
    similar = SparseAffinity(sp.csr_array((y[:, None] == y).astype(int)))
    all_pairs = SparseAffinity(sp.csr_array(np.where(y[:, None] == y, 1, -1)))
    codes = [STHSHasher(3, random_state=0).fit(X, affinity=A).codes_ for A in (similar, all_pairs)]
    np.testing.assert_array_equal(*codes)


def test_labels_help(digits):
    X, y = digits
    with_labels = STHSHasher(4, random_state=0).fit(X[:150], y[:150]).score(X[150:], y[150:])
    without = STHHasher(4, random_state=0).fit(X[:150]).score(X[150:], y[150:])
    assert with_labels > without


@pytest.mark.parametrize("hasher", HASHERS)
def test_more_bits_than_classes_can_fill_are_told(hasher, digits):
    X, y = digits
    with pytest.warns(ConvergenceWarning, match="4 of 8 bits carry no similarity"):
        hasher(8, random_state=0).fit(X[:100], y[:100])


def test_too_many_items_for_a_gram_matrix_are_refused_before_any_work():
    X = np.zeros((20_001, 1), dtype=np.float32)
    with pytest.raises(ValueError, match="at most 20000; got 20001"):
        STHSRBFHasher().fit(X, np.zeros(20_001, dtype=int))


def test_an_affinity_without_similar_pairs_is_refused(digits):
    X, _ = digits
    with pytest.raises(ValueError, match="all 3 labels are different"):
        STHSHasher(2).fit(X[:3], [0, 1, 2])


@pytest.mark.parametrize("n", [1000, 1797])
@pytest.mark.parametrize("n_bits", [7, 9])
def test_every_class_has_a_code_of_its_own_though_eigenvalues_are_equal(n, n_bits):
    X, y = load_digits(return_X_y=True)  # Lanczos alone missed copies of the eigenvalue 1 here
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        codes = STHSHasher(n_bits=n_bits, random_state=0).fit(X[:n], y[:n]).codes_
    assert len(np.unique(np.c_[y[:n], codes], axis=0)) == 10
