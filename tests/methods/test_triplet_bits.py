"""The search for bits: the gain as a quadratic form, starts, and exhaustive search."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hashlearn.affinity import LabelAffinity
from hashlearn.affinity.sampling import draw_triplets
from hashlearn.methods.triplet_bits import (
    BitSearch,
    leading_direction,
    pair_matrix,
    triplet_column,
)


def labelled(n, n_features, seed):
    random_state = np.random.RandomState(seed)
    y = np.arange(n) % 3
    X = random_state.normal(size=(n, n_features)) + y[:, None]
    return X, draw_triplets(LabelAffinity(y), 200, random_state)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(6, 20), seed=st.integers(0, 10**6))
def test_the_quadratic_form_is_the_weighted_sum_over_triplets(n, seed):
    _, triplets = labelled(n, 2, seed)
    rng = np.random.default_rng(seed)
    u, bits = rng.random(triplets.i.size), rng.random(n) < 0.5
    z = np.where(bits, 1.0, -1.0)
    B = pair_matrix(u, triplets, n)
    assert z @ (B @ z) == pytest.approx(u @ triplet_column(bits, triplets))
    assert abs(B - B.T).max() < 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_on_a_line_the_bit_gains_nearly_what_the_best_threshold_does(seed):
    X, triplets = labelled(60, 1, seed)
    u = np.random.default_rng(seed).random(triplets.i.size)
    best = max(u @ triplet_column(X[:, 0] > t, triplets) for t in X[:, 0])
    bit = BitSearch(X, triplets, 100, np.random.RandomState(seed)).best(u)
    assert bit.gain <= best + 1e-9
    assert bit.gain >= 0.9 * best


def test_the_column_and_the_gain_are_those_of_the_bit_in_the_items_own_units():
    X, triplets = labelled(90, 4, 0)
    X = 1000 * X + 5
    u = np.ones(triplets.i.size)
    bit = BitSearch(X, triplets, 30, np.random.RandomState(0)).best(u)
    bits = (X - X.mean(axis=0)) @ bit.direction + bit.offset > 0
    np.testing.assert_array_equal(bit.column, triplet_column(bits, triplets))
    assert bit.gain == bit.column.sum()


def test_sparse_items_lead_to_the_bit_of_dense_ones():
    X, triplets = labelled(90, 4, 0)
    X[X < 0.5] = 0
    u = np.ones(triplets.i.size)
    dense = BitSearch(X, triplets, 30, np.random.RandomState(0)).best(u)
    sparse = BitSearch(sp.csr_array(X), triplets, 30, np.random.RandomState(0)).best(u)
    assert sparse.gain == pytest.approx(dense.gain, rel=0.01)


@pytest.mark.parametrize("n", [1, 2, 10, 20])
def test_the_leading_direction_is_the_leading_eigenvector(n):
    rng = np.random.default_rng(n)
    S = rng.normal(size=(n, n))
    S = S + S.T
    exact = np.linalg.eigh(S)[1][:, -1]
    found = leading_direction(lambda v: S @ v, rng.normal(size=n))
    assert abs(found @ exact) == pytest.approx(1, abs=1e-6)


def test_a_matrix_of_zeros_has_some_leading_direction():
    found = leading_direction(np.zeros_like, np.array([3.0, 4.0]))
    np.testing.assert_allclose(found, [0.6, 0.8])
