"""SPLH: eigenvectors of its matrix bit by bit, and weights that grow for wrong pairs alone."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh
from sklearn.datasets import load_digits

from hashlearn.affinity import LabelAffinity, SparseAffinity
from hashlearn.methods.splh import SPLHHasher, _labelled_pairs, _reweigh
from tests.affinities import random_symmetric

seeds = st.integers(0, 2**16)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300] / 16, y[:300]


def assert_same_direction(w, v):
    np.testing.assert_allclose(abs(w @ v), 1, atol=1e-7)


def published(X, S, n_bits, eta, step):
    """Return the projections as Algorithm 1 says, with full matrices."""
    labelled, X = X - X.mean(axis=0), X - X.mean(axis=0)
    S = S.astype(float)
    for _ in range(n_bits):
        w = eigh(labelled.T @ S @ labelled + eta * X.T @ X)[1][:, -1]
        yield w
        products = np.outer(labelled @ w, labelled @ w)
        products /= np.abs(products).mean()
        S = S - step * np.where(S * products < 0, products, 0)
        X = X - np.outer(X @ w, w)


@given(n=st.integers(8, 30), seed=seeds)
def test_the_first_bit_is_the_leading_eigenvector(n, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 4)), np.r_[0, 1, rng.integers(0, 3, n - 2)]
    hasher = SPLHHasher(1, eta=0.5).fit(X, y)
    centred = X - X.mean(axis=0)
    M = centred.T @ (LabelAffinity(y).block(slice(None)) + 0.5 * np.eye(n)) @ centred
    w = hasher.projections_[:, 0]
    assert w @ M @ w == pytest.approx(np.linalg.eigvalsh(M)[-1])


def test_all_bits_are_those_of_the_published_algorithm(digits):
    X, y = digits
    hasher = SPLHHasher(6, eta=20.0, step=0.2).fit(X, y)
    expected = published(X, LabelAffinity(y).block(slice(None)), 6, eta=20.0, step=0.2)
    for w, v in zip(hasher.projections_.T, expected, strict=True):
        assert_same_direction(w, v)


@given(n=st.integers(2, 12), seed=seeds)
def test_weights_grow_for_wrong_pairs_alone(n, seed):
    rng = np.random.default_rng(seed)
    S = random_symmetric(rng, n, [-1, 0, 1]).astype(float)
    p, before = rng.normal(size=n), S.copy()
    share = _reweigh(S, p, step=0.3)
    wrong = before * np.outer(p, p) < 0
    np.testing.assert_array_equal(S[~wrong], before[~wrong])
    assert np.all(np.abs(S[wrong]) > np.abs(before[wrong]))
    assert np.all(np.sign(S) == np.sign(before))
    np.testing.assert_allclose(S, S.T)
    assert share == pytest.approx(wrong.sum() / max((before != 0).sum(), 1))


@given(n=st.integers(2, 12), seed=seeds)
def test_stored_pairs_are_weighed_like_a_full_matrix(n, seed):
    rng = np.random.default_rng(seed)
    S, p = random_symmetric(rng, n, [-1, 0, 1]).astype(float), rng.normal(size=n)
    stored = sp.csr_array(S)
    assert _reweigh(stored, p, step=0.3) == _reweigh(S, p, step=0.3)
    np.testing.assert_allclose(stored.toarray(), S)


def test_stored_pairs_give_the_bits_of_the_same_matrix(digits):
    X, y = digits
    S = LabelAffinity(y).block(slice(None))
    S = S * random_symmetric(np.random.default_rng(0), 300, [0, 1], p=[0.9, 0.1])
    dense = SPLHHasher(5).fit(X, affinity=S).projections_
    sparse = SPLHHasher(5).fit(X, affinity=sp.csr_array(S)).projections_
    for w, v in zip(dense.T, sparse.T, strict=True):
        assert_same_direction(w, v)


def test_only_items_with_pairs_are_labelled_and_at_most_so_many_are_drawn():
    pairs = SparseAffinity.from_pairs([(1, 4, 1), (4, 7, -1)], n_items=9)
    items, S = _labelled_pairs(pairs, 2, np.random.RandomState(0))
    np.testing.assert_array_equal(items, [1, 4, 7])
    np.testing.assert_array_equal(S.toarray(), [[0, 1, 0], [1, 0, -1], [0, -1, 0]])
    items, S = _labelled_pairs(LabelAffinity(np.arange(50) % 3), 7, np.random.RandomState(0))
    assert items.size == 7
    assert S.shape == (7, 7)


def test_all_items_count_in_the_variance(digits):
    X, y = digits
    hasher = SPLHHasher(1, eta=1e9, max_labelled=20, random_state=0).fit(X, y)
    principal = np.linalg.svd(X - X.mean(axis=0))[2][0]
    assert_same_direction(hasher.projections_[:, 0], principal)


def test_sparse_rows_get_the_bits_of_dense_rows(digits):
    X, y = digits
    dense, sparse = (SPLHHasher(4).fit(rows, y) for rows in (X, sp.csr_array(X)))
    for w, v in zip(dense.projections_.T, sparse.projections_.T, strict=True):
        assert_same_direction(w, v)


def test_bits_may_outnumber_features(digits):
    X, y = digits
    assert SPLHHasher(7).fit(X[:, 20:25], y).codes_.shape == (300, 7)


def test_codes_of_one_class_are_near(digits):
    X, y = digits
    hasher = SPLHHasher(24).fit(X, y)
    assert hasher.score(X, y) > 0.7
    assert np.all(hasher.wrong_share_ < 0.6)


@pytest.mark.parametrize(
    ("rows", "labels", "parameters", "message"),
    [
        (np.eye(6), [0] * 6, {}, "one class only"),
        (np.ones((6, 2)), [0, 1] * 3, {}, "X is the same for all items"),
        (np.eye(6), [0, 1] * 3, {"eta": -1.0}, "eta"),
        (np.eye(6), [0, 1] * 3, {"max_labelled": 1}, "max_labelled"),
        (
            sp.csr_array((6, 10_001)),
            [0, 1] * 3,
            {},
            "features must be at most 10,000 .*; got 10,001",
        ),
    ],
)
def test_what_cannot_be_learned_is_refused_in_one_sentence(rows, labels, parameters, message):
    with pytest.raises(ValueError, match=message):
        SPLHHasher(2, **parameters).fit(rows, labels)
