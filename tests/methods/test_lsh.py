"""Random projections: the angle law, centring, and sparse rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn.methods.lsh import LSHHasher


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(200, 7)).astype(np.float32)


def test_two_items_differ_in_a_share_of_bits_that_is_their_angle_over_pi():
    angles = np.linspace(0, np.pi, 9)
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    bits = LSHHasher(n_bits=4096, random_state=0).fit(X).transform(X)
    differ = (bits != bits[0]).mean(axis=1)
    np.testing.assert_allclose(differ, angles / np.pi, atol=0.03)


@pytest.mark.filterwarnings("ignore:All training items have the same code")
def test_centring_makes_codes_independent_of_an_offset(X):
    codes = [
        LSHHasher(n_bits=16, center=True, random_state=0).fit(rows).codes_
        for rows in (X.astype(float), X.astype(float) + 100)
    ]
    np.testing.assert_array_equal(*codes)
    plain = LSHHasher(n_bits=16, random_state=0)
    assert np.any(plain.fit(X).codes_ != plain.fit(X + 100).codes_)


@pytest.mark.parametrize("center", [False, True])
def test_sparse_rows_get_the_codes_of_dense_rows(X, center):
    X = np.where(X > 0.5, X, 0).astype(float)
    hasher = LSHHasher(n_bits=16, center=center, random_state=0).fit(X)
    sparse = LSHHasher(n_bits=16, center=center, random_state=0).fit(sp.csr_matrix(X))
    np.testing.assert_allclose(hasher.decision_function(X), sparse.decision_function(X))
    np.testing.assert_array_equal(hasher.transform(X), sparse.transform(sp.csr_array(X)))


def test_margins_of_a_row_do_not_depend_on_the_rows_around_it(X):
    hasher = LSHHasher(n_bits=33, center=True, random_state=0).fit(X)
    alone = np.concatenate([hasher.decision_function(row[None]) for row in X])
    np.testing.assert_allclose(hasher.decision_function(X), alone, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(hasher.decision_function(X)[:1], alone[:1])
    assert alone.dtype == np.float32
