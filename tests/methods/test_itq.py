"""ITQ: principal directions, degenerate data, and that distances between codes follow items."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from hashlearn.methods.itq import ITQHasher
from hashlearn.methods.lsh import LSHHasher


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(300, 9)) * np.arange(1, 10) + 3


def test_margins_are_rotated_principal_components(X):
    hasher = ITQHasher(n_bits=4, random_state=0).fit(X)
    components = PCA(4).fit_transform(X)
    margins = hasher.decision_function(X)
    np.testing.assert_allclose(margins @ margins.T, components @ components.T, atol=1e-8)
    W = hasher.projections_
    np.testing.assert_allclose(W.T @ W, np.eye(4), atol=1e-12)


def test_quantization_error_is_that_of_the_training_codes_and_never_rises(X):
    hasher = ITQHasher(n_bits=5, random_state=0).fit(X)
    signs = 2.0 * hasher.codes_ - 1
    error = np.square(signs - hasher.decision_function(X)).sum() / len(X)
    np.testing.assert_allclose(hasher.quantization_error_[-1], error)
    assert np.all(np.diff(hasher.quantization_error_) <= 0)
    assert 2 < len(hasher.quantization_error_) <= 51


def test_digits_are_found_better_than_by_random_projections(digits):
    X, y = digits
    itq = ITQHasher(n_bits=32, random_state=0).fit(X)
    lsh = LSHHasher(n_bits=32, center=True, random_state=0).fit(X)
    assert itq.score(X, y) > 1.1 * lsh.score(X, y)


def test_float32_items_have_float32_margins(X):
    X = X.astype(np.float32)
    assert ITQHasher(n_bits=4, random_state=0).fit(X).decision_function(X).dtype == np.float32


def test_sparse_rows_get_the_margins_of_dense_rows(X):
    X = np.where(X > 3, X, 0)
    dense = ITQHasher(n_bits=6, random_state=0).fit(X)
    sparse = ITQHasher(n_bits=6, random_state=0).fit(sp.csr_array(X))
    np.testing.assert_allclose(dense.decision_function(X), sparse.decision_function(X), atol=1e-6)


def test_an_offset_changes_no_code(X):
    codes = [ITQHasher(n_bits=4, random_state=0).fit(rows).codes_ for rows in (X, X + 1000)]
    np.testing.assert_array_equal(*codes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_more_bits_than_the_rank_of_the_items_warn_and_still_differ(X, dtype):
    low_rank = np.hstack([X[:, :3], X[:, :3], np.ones((len(X), 2))]).astype(dtype)
    hasher = ITQHasher(n_bits=8, random_state=0)
    with pytest.warns(UserWarning, match="n_bits=8 exceeds the rank 3"):
        hasher.fit(low_rank)
    assert hasher.rotation_.shape == (3, 8)
    assert len(np.unique(hasher.codes_, axis=1).T) == 8


def test_more_features_than_items_are_taken(digits):
    X = digits[0][:20]
    with pytest.warns(UserWarning, match="the rank 19"):
        assert ITQHasher(n_bits=32, random_state=0).fit(X).codes_.shape == (20, 32)


def test_two_items_get_opposite_codes():
    with pytest.warns(UserWarning, match="the rank 1"):
        codes = ITQHasher(n_bits=3, random_state=0).fit(np.eye(2, 4)).codes_
    assert np.all(codes[0] != codes[1])


def test_duplicated_rows_and_a_constant_feature_are_nothing_special(X):
    X[:, 0] = 7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes = ITQHasher(n_bits=4, random_state=0).fit(np.vstack([X, X])).codes_
    np.testing.assert_array_equal(codes[: len(X)], codes[len(X) :])


def test_bad_input_is_refused_in_one_sentence(X):
    with pytest.raises(ValueError, match="n_bits=10 exceeds n_features=9: PCA has one direction"):
        ITQHasher(n_bits=10).fit(X)
    with pytest.raises(ValueError, match="X is the same for all items"):
        ITQHasher(n_bits=2).fit(np.full((5, 3), 0.1))
    with pytest.raises(ValueError, match="n_iter == 0"):
        ITQHasher(n_bits=2, n_iter=0).fit(X)
    with pytest.raises(ValueError, match="overflow"):
        ITQHasher(n_bits=2).fit(X * 1e200)
