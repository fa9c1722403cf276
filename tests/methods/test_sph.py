"""Spectral hashing: the analytic eigenfunctions of a box, against a graph's own eigenvectors."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh
from sklearn.datasets import load_digits

from hashlearn.methods.sph import SPHHasher, _smoothest_modes


def box_grid(*sides, step=0.1):
    axes = [np.arange(0, side + step / 2, step) for side in sides]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(sides))


def test_bits_on_a_line_are_signs_of_the_eigenvectors_of_its_gaussian_graph():
    x = np.linspace(0, 1, 400)
    W = np.exp(-((x[:, None] - x) ** 2) / (2 * 0.02**2))
    D = np.diag(W.sum(axis=1))
    vectors = eigh(D - W, D)[1][:, 1:6]  # without the constant one
    bits = 2.0 * SPHHasher(n_bits=5).fit(x[:, None]).codes_ - 1
    agree = np.mean(np.sign(vectors) == bits, axis=0)
    assert np.all(np.maximum(agree, 1 - agree) > 0.98)


def test_bits_in_a_box_are_signs_of_the_analytic_eigenfunctions():
    X = box_grid(3.0, 1.3)
    hasher = SPHHasher(n_bits=6).fit(X + 10)
    # k / side: 1/3, 2/3, 1/1.3, 3/3, 4/3, 2/1.3
    np.testing.assert_array_equal(hasher.dimensions_, [0, 0, 1, 0, 0, 1])
    np.testing.assert_array_equal(hasher.modes_, [1, 2, 1, 3, 4, 2])
    side = np.array([3.0, 1.3])[hasher.dimensions_]
    phi = np.sin(np.pi / 2 + hasher.modes_ * np.pi / side * X[:, hasher.dimensions_])
    margins = hasher.decision_function(X + 10)
    np.testing.assert_allclose(np.abs(margins), np.abs(phi), atol=1e-9)
    # A principal direction is known up to its sign: a whole bit may be turned over.
    np.testing.assert_allclose(np.abs(np.sum(margins * phi, axis=0)), np.sum(phi**2, axis=0))


@given(sides=st.lists(st.floats(0.01, 100), min_size=1, max_size=6), n_bits=st.integers(1, 20))
def test_modes_have_the_smallest_eigenvalues_of_all(sides, n_bits):
    sides = np.array(sides)
    dimensions, modes = _smoothest_modes(sides, n_bits)
    chosen = (modes * np.pi / sides[dimensions]) ** 2
    k = np.arange(1, 100)
    every = np.sort(((k[:, None] * np.pi / sides) ** 2).ravel())
    np.testing.assert_allclose(chosen, every[:n_bits])
    assert len({*zip(dimensions.tolist(), modes.tolist(), strict=True)}) == n_bits


def test_a_side_without_length_is_never_used():
    dimensions, _ = _smoothest_modes(np.array([0.0, 2.0, 0.0]), 9)
    assert np.all(dimensions == 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_constant_features_and_copies_of_features_make_no_bits(dtype):
    X = box_grid(3.0, 1.3)
    padded = np.hstack([X, X, np.full((len(X), 2), 0.1)]).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hasher = SPHHasher(n_bits=6).fit(padded)
    np.testing.assert_array_equal(hasher.dimensions_, SPHHasher(n_bits=6).fit(X).dimensions_)


def test_more_bits_than_features_are_taken():
    X = box_grid(1.0)
    hasher = SPHHasher(n_bits=8).fit(X)
    np.testing.assert_array_equal(hasher.modes_, np.arange(1, 9))


def test_two_items_are_told_apart_by_odd_modes():
    codes = SPHHasher(n_bits=3).fit(np.eye(2, 4)).codes_
    np.testing.assert_array_equal(codes[0] != codes[1], [True, False, True])


def test_equal_items_are_refused_in_one_sentence():
    with pytest.raises(ValueError, match="X is the same for all items"):
        SPHHasher(n_bits=2).fit(np.full((5, 3), 0.1))


def test_codes_do_not_depend_on_the_seed_and_float32_stays():
    X = load_digits().data.astype(np.float32)
    one, other = (SPHHasher(n_bits=16, random_state=seed).fit(X) for seed in range(2))
    np.testing.assert_array_equal(one.codes_, other.codes_)
    assert one.decision_function(X).dtype == np.float32


def test_sparse_rows_get_the_margins_of_dense_rows():
    X = load_digits().data
    dense, sparse = SPHHasher(n_bits=6).fit(X), SPHHasher(n_bits=6).fit(sp.csr_array(X))
    np.testing.assert_allclose(dense.decision_function(X), sparse.decision_function(X), atol=1e-6)


def test_what_was_found_is_said_on_standard_error_if_asked(capsys):
    SPHHasher(n_bits=3, verbose=1).fit(box_grid(3.0, 1.3))
    assert capsys.readouterr().err == "sph: 3 bits along 2 directions\n"
