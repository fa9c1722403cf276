"""The search for bits: the gain as a quadratic form, starts, and exhaustive search."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hashlearn.affinity import LabelAffinity
from hashlearn.methods._parts import triplets as triplets_module
from hashlearn.methods._parts.triplets import (
    BitSearch,
    leading_direction,
    pair_matrix,
    solve_master,
    triplet_column,
)


def labelled(n, n_features, seed):
    random_state = np.random.RandomState(seed)
    y = np.arange(n) % 3
    X = random_state.normal(size=(n, n_features)) + y[:, None]
    return X, LabelAffinity(y).draw_triplets(200, random_state)


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


TOLERANCE = 1e-5


def problem(n_triplets, n_columns, seed):
    columns = np.random.default_rng(seed).integers(-1, 2, size=(n_triplets, n_columns))
    return columns.astype(float)


def objective(columns, C, w):
    return w.sum() + C * np.mean(np.maximum(0, 1 - columns @ w) ** 2)


@settings(max_examples=50, deadline=None)
@given(
    n_triplets=st.integers(1, 60),
    n_columns=st.integers(1, 8),
    C=st.sampled_from([0.1, 1.0, 100.0]),
    seed=st.integers(0, 10**6),
)
def test_the_dual_is_feasible_and_tight_where_a_weight_is_positive(n_triplets, n_columns, C, seed):
    columns = problem(n_triplets, n_columns, seed)
    w, u, _, converged = solve_master(columns, C, np.zeros(n_columns))
    assert converged
    constraint = columns.T @ u
    assert (w >= 0).all()
    assert (u >= 0).all()
    assert (constraint <= 1 + TOLERANCE).all()
    np.testing.assert_allclose(constraint[w > TOLERANCE], 1, atol=TOLERANCE)


@settings(max_examples=50, deadline=None)
@given(C=st.sampled_from([1.0, 10.0, 1000.0]), seed=st.integers(0, 10**6))
def test_the_dual_objective_equals_the_primal_one(C, seed):
    columns = problem(40, 5, seed)
    _, u, value, _ = solve_master(columns, C, np.zeros(5))
    # The conjugate of (C / T) max(0, 1 - rho)^2 gives sum(u) - T / (4 C) sum(u^2).
    assert np.sum(u) - 40 / (4 * C) * (u @ u) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_no_weights_on_a_grid_are_better(seed):
    columns = problem(20, 2, seed)
    found = solve_master(columns, 10.0, np.zeros(2))
    grid = np.linspace(0, 3, 61)
    best = min(objective(columns, 10.0, np.array([a, b])) for a in grid for b in grid)
    assert found.objective <= best + TOLERANCE
    assert found.objective == pytest.approx(objective(columns, 10.0, found.weights))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_objective_is_never_above_that_of_the_start(seed):
    columns = problem(30, 4, seed)
    start = np.random.default_rng(seed).uniform(0, 2, 4)
    found = solve_master(columns, 50.0, start)
    assert found.objective <= objective(columns, 50.0, start)


def test_a_cap_that_is_hit_is_told(monkeypatch):
    monkeypatch.setattr(triplets_module, "_MAX_STEPS", 1)
    assert not solve_master(problem(40, 5, 0), 1000.0, np.zeros(5)).converged


@pytest.mark.parametrize("seed", range(20))
def test_a_large_weight_of_the_loss_is_no_failure(seed):
    assert solve_master(problem(40, 5, seed), 1e6, np.zeros(5)).converged
