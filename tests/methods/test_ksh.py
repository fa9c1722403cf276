"""KSH: the residual without its matrix, spectral starts, bits that never fall below them."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh
from scipy.optimize import check_grad
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from hashlearn.affinity import LabelAffinity
from hashlearn.methods._parts.ksh_bits import Residual, _value_and_gradient, bit_signs, climb
from hashlearn.methods.ksh import KSHHasher
from tests.affinities import KINDS, random_affinity

seeds = st.integers(0, 2**16)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300] / 16, y[:300]


def dense_residual(affinity, n_bits, Z):
    S = affinity.block(slice(None)).astype(float)
    np.fill_diagonal(S, 1)
    return n_bits * S - Z @ Z.T


@pytest.mark.parametrize("kind", [*KINDS, "graded"])
@given(n=st.integers(3, 12), n_bits=st.integers(1, 6), seed=seeds)
def test_the_residual_is_that_of_the_full_matrix(kind, n, n_bits, seed):
    rng = np.random.default_rng(seed)
    affinity = random_affinity(kind, n, seed)
    residual = Residual(affinity, n_bits)
    Z = rng.choice([-1.0, 1.0], size=(n, rng.integers(0, n_bits + 1)))
    for z in Z.T:
        residual.subtract(z)
    R = dense_residual(affinity, n_bits, Z)
    v, K = rng.normal(size=n), rng.normal(size=(n, 40))
    np.testing.assert_allclose(residual.dot(v), R @ v, atol=1e-9)
    assert residual.score(v) == pytest.approx(v @ R @ v, abs=1e-8)
    S = dense_residual(affinity, 1, np.zeros((n, 0)))
    np.testing.assert_allclose(residual.affinity_gram(K), K.T @ S @ K, atol=1e-9)


@given(n=st.integers(20, 60), n_bits=st.integers(1, 6), seed=seeds)
def test_a_kept_bit_never_scores_below_its_spectral_start(n, n_bits, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 3)), np.r_[0, 1, rng.integers(0, 4, n - 2)]
    hasher = KSHHasher(n_bits, n_anchors=8, random_state=seed).fit(X, y)
    assert np.all(hasher.bit_score_ >= hasher.spectral_bit_score_)
    # each score is that of the code, on what the bits before it left over
    Z = 2.0 * hasher.codes_ - 1
    for k in range(n_bits):
        R = dense_residual(LabelAffinity(y), n_bits, Z[:, :k])
        assert hasher.bit_score_[k] == pytest.approx(Z[:, k] @ R @ Z[:, k])


def test_the_start_is_the_leading_generalised_eigenvector(digits):
    X, y = digits
    hasher = KSHHasher(1, n_anchors=20, random_state=0).fit(X, y)
    K = hasher._kernel()(X)
    K -= K.mean(axis=0)
    R = dense_residual(LabelAffinity(y), 1, np.zeros((len(y), 0)))
    a = eigh(K.T @ R @ K, K.T @ K)[1][:, -1]
    z = bit_signs(K @ a)
    assert hasher.spectral_bit_score_[0] == pytest.approx(z @ R @ z)


@given(n=st.integers(3, 12), seed=seeds)
def test_the_ascent_has_the_true_gradient_and_never_ends_below_its_start(n, seed):
    rng = np.random.default_rng(seed)
    residual = Residual(random_affinity("labels", n, seed), 3)
    K, a = rng.normal(size=(n, 4)), rng.normal(size=4)
    error = check_grad(
        lambda a: _value_and_gradient(K, residual, a)[0],
        lambda a: _value_and_gradient(K, residual, a)[1],
        a,
    )
    assert error < 1e-3
    end = climb(K, residual, a, max_iter=50, tol=1e-3).a
    assert _value_and_gradient(K, residual, end)[0] >= _value_and_gradient(K, residual, a)[0]


def test_labels_and_their_affinity_give_the_same_bits(digits):
    X, y = digits
    hasher = KSHHasher(6, n_anchors=30, random_state=0)
    codes = hasher.fit(X, y).codes_
    np.testing.assert_array_equal(codes, hasher.fit(X, affinity=LabelAffinity(y)).codes_)


def test_codes_of_one_class_are_near(digits):
    X, y = digits
    hasher = KSHHasher(24, n_anchors=100, random_state=0).fit(X, y)
    assert hasher.score(X, y) > 0.9


def test_sparse_rows_get_about_the_codes_of_dense_rows(digits):
    X, y = digits
    hasher = KSHHasher(4, n_anchors=30, random_state=0)
    dense = hasher.fit(X, y).codes_
    assert np.mean(dense != hasher.fit(sp.csr_array(X), y).codes_) < 0.02


def test_fewer_items_than_anchors_are_all_taken_with_a_warning(digits):
    X, y = digits
    with pytest.warns(UserWarning, match="n_anchors=300 exceeds the 50 items"):
        hasher = KSHHasher(2, random_state=0).fit(X[:50], y[:50])
    assert hasher.anchors_.shape[0] == 50


def test_too_few_steps_are_told(digits):
    X, y = digits
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        KSHHasher(2, n_anchors=20, max_iter=1, random_state=0).fit(X, y)


@pytest.mark.parametrize(
    ("rows", "labels", "parameters", "message"),
    [
        (np.ones((6, 2)), [0, 1] * 3, {}, "same kernel features"),
        (np.eye(6), [0] * 6, {}, "one class only"),
        (np.eye(6), [0, 1] * 3, {"sigma": -1.0}, "sigma must be .*; got -1.0"),
        (np.eye(6), [0, 1] * 3, {"anchors": "best"}, "anchors must be .*; got 'best'"),
        (np.eye(6), [0, 1] * 3, {"n_anchors": 0}, "n_anchors"),
    ],
)
@pytest.mark.filterwarnings("ignore:n_anchors")
def test_what_cannot_be_learned_is_refused_in_one_sentence(rows, labels, parameters, message):
    with pytest.raises(ValueError, match=message):
        KSHHasher(2, **parameters).fit(rows, labels)
