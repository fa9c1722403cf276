"""Spherical hashing: each sphere holds half, each two a quarter, and the rounds that lead there."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from hashlearn.methods.spher import SPHERHasher, _halving_radii, _overlaps


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(1000, 40)).astype(np.float32)


def excess_of(codes):
    """How far each two bits' common ones are from n/4, in units of n/4."""
    inside = codes.astype(float)
    shared = (inside.T @ inside)[np.triu_indices(codes.shape[1], k=1)]
    return shared / (len(codes) / 4) - 1


@pytest.mark.parametrize("tolerances", [(0.1, 0.15), (0.05, 0.06)])
@pytest.mark.parametrize("n_bits", [2, 16, 32])
def test_overlaps_end_within_the_tolerances(X, n_bits, tolerances):
    hasher = SPHERHasher(
        n_bits=n_bits, mean_tolerance=tolerances[0], std_tolerance=tolerances[1], random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        excess = excess_of(hasher.fit(X).codes_)
    assert np.abs(excess).mean() <= tolerances[0] + 1e-3
    assert excess.std() <= tolerances[1] + 1e-3


@pytest.mark.parametrize("n", [2, 5, 100, 1000])
def test_each_sphere_holds_half_of_the_items(X, n):
    hasher = SPHERHasher(n_bits=8, max_iter=3, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        np.testing.assert_array_equal(hasher.fit(X[:n]).codes_.sum(axis=0), n // 2)


def test_a_round_moves_each_centre_by_the_mean_of_its_forces(X):
    X = X.astype(float)
    settings = {"n_bits": 4, "mean_tolerance": 0, "std_tolerance": 0, "random_state": 0}
    with pytest.warns(ConvergenceWarning):
        before, after = (SPHERHasher(max_iter=rounds, **settings).fit(X) for rounds in (1, 2))
    c, shared = before.centers_, before.codes_.astype(float).T @ before.codes_
    quarter = len(X) / 4
    for i in range(4):
        forces = [(shared[i, j] - quarter) / quarter / 2 * (c[i] - c[j]) for j in range(4)]
        np.testing.assert_allclose(after.centers_[i], c[i] + np.mean(forces, axis=0), atol=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(1, 5))
def test_overlaps_count_the_items_in_both_spheres(seed, n, n_bits):
    squared = np.random.default_rng(seed).integers(0, 50, size=(n_bits, n)).astype(float)
    inside = squared < _halving_radii(squared)[:, None]
    expected = [[np.sum(inside[i] & inside[j]) for j in range(n_bits)] for i in range(n_bits)]
    np.testing.assert_array_equal(_overlaps(squared), expected)
    assert np.all(inside.sum(axis=1) <= n // 2)


def test_bits_tell_who_is_inside(X):
    hasher = SPHERHasher(n_bits=8, random_state=0).fit(X)
    squared = ((X[:, None] - hasher.centers_) ** 2).sum(axis=2)
    margins = hasher.squared_radii_ - squared
    np.testing.assert_allclose(hasher.decision_function(X), margins, atol=1e-3)
    np.testing.assert_array_equal(hasher.codes_, margins > 0)


def test_one_sphere_needs_no_round(X):
    assert SPHERHasher(n_bits=1, random_state=0).fit(X).n_iter_ == 0


def test_rounds_that_do_not_suffice_are_told(X):
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        hasher = SPHERHasher(max_iter=2, mean_tolerance=0.001, random_state=0).fit(X)
    assert hasher.n_iter_ == 2


def test_codes_do_not_depend_on_an_offset(X):
    X = X.astype(float)
    codes = [SPHERHasher(n_bits=8, random_state=0).fit(rows).codes_ for rows in (X, X + 100)]
    np.testing.assert_array_equal(*codes)


def test_sparse_items_get_the_codes_of_dense_items(X):
    X = np.where(X > 0.5, X, 0).astype(float)
    dense = SPHERHasher(n_bits=8, random_state=0).fit(X)
    sparse = SPHERHasher(n_bits=8, random_state=0).fit(sp.csr_array(X))
    np.testing.assert_allclose(
        dense.decision_function(X), sparse.decision_function(sp.csr_matrix(X)), atol=1e-9
    )


def test_float32_items_have_float32_margins(X):
    assert SPHERHasher(n_bits=8, random_state=0).fit(X).decision_function(X).dtype == np.float32


@pytest.mark.parametrize("n_different", [1, 2, 3])
def test_items_that_cannot_be_balanced_end_with_a_warning(X, n_different):
    X = np.repeat(X[:n_different], 30, axis=0)
    with pytest.warns(ConvergenceWarning):
        hasher = SPHERHasher(n_bits=8, max_iter=300, random_state=0).fit(X)
    assert np.isfinite(hasher.centers_).all()


@pytest.mark.parametrize("parameter", ["mean_tolerance", "std_tolerance", "max_iter"])
def test_wrong_parameters_are_refused(X, parameter):
    with pytest.raises(ValueError, match=parameter):
        SPHERHasher(**{parameter: -1}).fit(X)


@pytest.mark.parametrize("parameter", ["mean_tolerance", "std_tolerance"])
def test_a_tolerance_that_is_no_number_is_refused(X, parameter):
    with pytest.raises(ValueError, match=f"{parameter} must be .*; got nan"):
        SPHERHasher(**{parameter: np.nan}).fit(X)
