"""Laws of graph cuts: exact on sub-modular problems, never worse on any."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.affinity import LabelAffinity
from hashlearn.inference import CoordinateDescent, GraphCut
from hashlearn.inference._objectives import make_objective
from hashlearn.inference._problems import DenseProblem, SparseProblem
from hashlearn.inference.graph_cut import (
    MAX_FLOW,
    _minimum_cut,
    _submodular_blocks,
    _whole_capacities,
)
from hashlearn.losses import as_loss

seeds = st.integers(0, 10_000)
scales = st.sampled_from([None, 1e-6, 1.0, 1e12])


def random_entries(rng, size, scale):
    """Small integers, or real numbers of any size."""
    if scale is None:
        return rng.integers(-5, 6, size).astype(float)
    return scale * rng.normal(size=size)


def random_matrix(rng, n, scale=None, submodular=False):
    upper = np.triu(random_entries(rng, (n, n), scale) * rng.integers(0, 2, (n, n)), k=1)
    if submodular:
        upper = -np.abs(upper)
    return upper + upper.T


def all_signs(n):
    return np.array(list(product((-1, 1), repeat=n)))


def as_problem(A, sparse=False):
    n = len(A)
    form = SparseProblem if sparse else DenseProblem
    return form(sp.csr_array(A) if sparse else A, np.ones(n), np.zeros(n))


@given(n=st.integers(1, 9), scale=scales, seed=seeds)
def test_a_minimum_cut_is_the_minimum_over_all_signs(n, scale, seed):
    rng = np.random.default_rng(seed)
    A, b = random_matrix(rng, n, scale, submodular=True), random_entries(rng, n, scale)

    def value(z):
        return z @ A @ z + 2 * b @ z

    best = min(value(z) for z in all_signs(n))
    found = value(_minimum_cut(sp.csr_array(A), b))
    precision = 0 if scale is None else 1e-6 * (np.abs(A).sum() + np.abs(b).sum())
    assert found <= best + precision


@given(n=st.integers(2, 9), sparse=st.booleans(), seed=seeds)
def test_a_submodular_problem_in_one_block_is_solved_exactly(n, sparse, seed):
    rng = np.random.default_rng(seed)
    A = random_matrix(rng, n, submodular=True)
    A[np.arange(n - 1), np.arange(1, n)] = A[np.arange(1, n), np.arange(n - 1)] = -1  # connected
    z = GraphCut().minimise(as_problem(A, sparse), rng.choice([-1, 1], n), np.random)
    assert z @ A @ z == min(v @ A @ v for v in all_signs(n))


@given(n=st.integers(2, 20), scale=scales, sparse=st.booleans(), seed=seeds)
def test_the_value_never_rises(n, scale, sparse, seed):
    rng = np.random.default_rng(seed)
    A, start = random_matrix(rng, n, scale), rng.choice([-1, 1], n).astype(np.int8)
    random_state = np.random.RandomState(seed)
    z = GraphCut(n_sweeps=1).minimise(as_problem(A, sparse), start, random_state)
    more = GraphCut(n_sweeps=1).minimise(as_problem(A, sparse), z, random_state)
    assert z.dtype == np.int8
    assert set(z) <= {-1, 1}
    slack = 1e-9 * np.abs(A).sum()
    assert more @ A @ more - slack <= z @ A @ z <= start @ A @ start + slack


@given(n=st.integers(1, 25), seed=seeds)
def test_blocks_part_the_items_and_hold_no_positive_entry(n, seed):
    A = random_matrix(np.random.default_rng(seed), n)
    blocks = _submodular_blocks(sp.csr_array(A), np.random.RandomState(seed))
    assert sorted(np.concatenate(blocks)) == list(range(n))
    for block in blocks:
        assert (A[np.ix_(block, block)] <= 0).all()


@given(n=st.integers(2, 30), n_learned=st.integers(0, 3), seed=seeds)
def test_with_class_labels_a_block_is_a_class(n, n_learned, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    objective, _ = make_objective(
        LabelAffinity(y), as_loss("ksh"), 4, np.ones(n), np.zeros(n), np.random.RandomState(0)
    )
    for k in range(n_learned):
        objective.set_bit(k, rng.choice([-1, 1], n))
    A = objective.problem(n_learned).dot(np.eye(n))
    blocks = _submodular_blocks(sp.csr_array(A), np.random.RandomState(seed))
    assert sorted(y[block[0]] for block in blocks) == sorted(set(y))
    assert all(len(set(y[block])) == 1 for block in blocks)


def test_whole_capacities_stay_as_they_are_until_their_sums_overflow():
    small = _whole_capacities(np.array([3.0]), np.array([1.0, 2.0]), np.array([5.0]))
    assert [c.tolist() for c in small] == [[3], [1, 2], [5]]
    large = _whole_capacities(np.array([1e15]), np.array([1e15] * 3), np.array([2e15]))
    assert max(int(c.sum()) for c in large) <= MAX_FLOW + 3  # rounding: half a unit each
    assert large[1].tolist() == [round(MAX_FLOW / 3)] * 3


def test_too_many_items_without_a_matrix_are_refused(monkeypatch):
    monkeypatch.setattr("hashlearn.inference._problems.MAX_STORED_ITEMS", 80)
    with pytest.raises(ValueError, match="All pairs of 100 items"):
        CoordinateDescent("graph-cut").infer(
            LabelAffinity(np.arange(100) % 3),
            as_loss("ksh"),
            4,
            group=False,
            random_state=np.random.RandomState(0),
        )


def test_sweeps_are_at_least_one():
    with pytest.raises(ValueError, match="n_sweeps"):
        CoordinateDescent(GraphCut(n_sweeps=0)).check(as_loss("ksh"))
