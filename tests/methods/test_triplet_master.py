"""The master problem: its optimum, its dual, and brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashlearn.methods import triplet_master
from hashlearn.methods.triplet_master import solve_master

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
    monkeypatch.setattr(triplet_master, "_MAX_STEPS", 1)
    assert not solve_master(problem(40, 5, 0), 1000.0, np.zeros(5)).converged


@pytest.mark.parametrize("seed", range(20))
def test_a_large_weight_of_the_loss_is_no_failure(seed):
    assert solve_master(problem(40, 5, seed), 1e6, np.zeros(5)).converged
