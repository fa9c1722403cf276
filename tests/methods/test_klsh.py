"""KLSH: the weights of its formula, and bits shared as angles in the kernel's space say."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import pinvh, sqrtm
from scipy.stats import spearmanr
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import rbf_kernel

from hashlearn.methods.klsh import KLSHHasher


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(200, 5))


def center(K):
    H = np.eye(len(K)) - 1 / len(K)
    return H @ K @ H


def landmark_kernel(hasher):
    return rbf_kernel(hasher.anchors_, gamma=0.5 / hasher.sigma_**2)


def share_of_different_bits(hasher, X):
    signs = 2.0 * hasher.transform(X) - 1
    return (1 - signs @ signs.T / hasher.n_bits) / 2


def test_weights_are_those_of_the_formula(X):
    hasher = KLSHHasher(n_bits=12, n_landmarks=40, subset_size=7, random_state=0).fit(X)
    root = pinvh(sqrtm(center(landmark_kernel(hasher))).real, rtol=1e-6)
    e_S = np.zeros((40, 12))
    for bit, subset in enumerate(hasher.subsets_):
        assert len(set(subset.tolist())) == 7
        e_S[subset, bit] = 1
    np.testing.assert_allclose(hasher.coef_, root @ (e_S / 7 - 1 / 40), rtol=1e-6, atol=1e-8)


def test_margins_are_products_with_centred_kernel_values(X):
    hasher = KLSHHasher(n_bits=12, n_landmarks=40, subset_size=7, random_state=0).fit(X)
    K = landmark_kernel(hasher)
    k = rbf_kernel(X, hasher.anchors_, gamma=0.5 / hasher.sigma_**2)
    centred = k - k.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()
    np.testing.assert_allclose(hasher.decision_function(X), centred @ hasher.coef_, atol=1e-9)


def test_two_items_differ_in_a_share_of_bits_that_is_their_angle_in_the_kernel_space_over_pi(X):
    # All items are landmarks: the space that the landmarks span is that of the items.
    hasher = KLSHHasher(n_bits=4096, n_landmarks=200, subset_size=50, random_state=0).fit(X)
    K = center(landmark_kernel(hasher))
    norms = np.sqrt(np.diag(K))
    angles = np.arccos(np.clip(K / np.outer(norms, norms), -1, 1))
    error = share_of_different_bits(hasher, hasher.anchors_) - angles / np.pi
    assert np.abs(error).max() < 0.1  # a mean of 50 items is Gaussian only nearly
    assert np.abs(error).mean() < 0.01


def test_items_of_larger_kernel_values_share_more_bits():
    X = load_digits().data
    hasher = KLSHHasher(n_bits=1024, random_state=0).fit(X)
    share = 1 - share_of_different_bits(hasher, X[:100])
    K = rbf_kernel(X[:100], gamma=0.5 / hasher.sigma_**2)
    pairs = np.triu_indices(100, 1)
    assert spearmanr(share[pairs], K[pairs]).statistic > 0.8


def test_sparse_rows_get_about_the_margins_of_dense_rows(X):
    X = np.where(X > 0, X, 0)
    dense = KLSHHasher(n_bits=8, n_landmarks=50, random_state=0, subset_size=10).fit(X)
    sparse = KLSHHasher(n_bits=8, n_landmarks=50, random_state=0, subset_size=10)
    sparse.fit(sp.csr_array(X))
    np.testing.assert_allclose(dense.decision_function(X), sparse.decision_function(X), atol=1e-6)


def test_float32_bits_are_about_those_of_float64():
    X = load_digits().data
    bits = [KLSHHasher(random_state=0).fit(X.astype(t)).codes_ for t in (np.float32, np.float64)]
    assert np.mean(bits[0] != bits[1]) < 0.01


def test_landmarks_and_subsets_shrink_to_what_there_is_with_a_warning(X):
    hasher = KLSHHasher(n_bits=3, random_state=0)
    with (
        pytest.warns(UserWarning, match="n_landmarks=300 exceeds the 21 items"),
        pytest.warns(UserWarning, match="subset_size=30 exceeds the 10 landmarks"),
    ):
        hasher.fit(X[:21])
    assert hasher.subsets_.shape == (3, 10)


@pytest.mark.filterwarnings("ignore:n_landmarks", "ignore:subset_size")
def test_two_items_get_opposite_codes():
    codes = KLSHHasher(n_bits=4, random_state=0).fit(np.eye(2, 3)).codes_
    assert np.all(codes[0] != codes[1])


def test_duplicated_landmarks_are_nothing_special(X):
    doubled = np.vstack([X[:20], X[:20]])
    hasher = KLSHHasher(n_bits=8, n_landmarks=40, subset_size=10, random_state=0).fit(doubled)
    assert np.abs(hasher.coef_).max() < 100  # no division by an eigenvalue that is rounding
    assert np.all(hasher.transform(doubled[:20]) == hasher.transform(doubled[20:]))


def test_bad_input_is_refused_in_one_sentence(X):
    quick = {"n_bits": 2, "n_landmarks": 10, "subset_size": 3}
    with pytest.raises(ValueError, match="does not distinguish the 10 landmarks"):
        KLSHHasher(**quick).fit(np.full((20, 3), 0.1))
    with pytest.raises(ValueError, match="sigma=1e\\+09 does not distinguish the 10 landmarks"):
        KLSHHasher(**quick, sigma=1e9).fit(X)
    with pytest.raises(ValueError, match=r"sigma must be .*; got -1"):
        KLSHHasher(**quick, sigma=-1).fit(X)
    with pytest.raises(ValueError, match="n_landmarks == 1"):
        KLSHHasher(n_landmarks=1).fit(X)
    with pytest.raises(ValueError, match="subset_size == 0"):
        KLSHHasher(subset_size=0).fit(X)


def test_what_is_drawn_is_said_on_standard_error_if_asked(X, capsys):
    KLSHHasher(n_bits=5, n_landmarks=40, subset_size=10, verbose=1, random_state=0).fit(X)
    assert capsys.readouterr().err == "klsh: 40 landmarks, 10 of them for each of 5 bits\n"
