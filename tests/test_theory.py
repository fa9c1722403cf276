"""What docs/theory.md proves holds of the code, where no other test says so."""

import re
import runpy
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from hashlearn import TwoStepHasher
from hashlearn.inference.box import minimise_in_box
from hashlearn.inference.code_bounds import largest_possible_distance, least_class_loss
from hashlearn.inference.local_search import descend
from hashlearn.inference.problems import DenseProblem
from hashlearn.inference.spectral import relaxed_minimum
from hashlearn.losses import LOSSES, as_loss, loss_table
from hashlearn.losses.base import is_groupable
from tests.affinities import random_symmetric

DOCS = Path(__file__).parents[1] / "docs"
LOSS_NAMES = [name for name in LOSSES.names() if not as_loss(name).needs_balance]
sizes = st.integers(2, 8)
seeds = st.integers(0, 10_000)


def random_problem(n, seed):
    A = random_symmetric(np.random.default_rng(seed), n, np.arange(-5.0, 6.0))
    return DenseProblem(A, weights=np.ones(n), self_terms=np.zeros(n))


def least_value(A):
    return min(np.array(z) @ A @ z for z in product((-1, 1), repeat=len(A)))


def total_loss(Z, Y, loss, weights):
    m = Z.shape[1]
    losses = loss_table(as_loss(loss), m)[Y + 1, Z @ Z.T + m] * np.outer(weights, weights)
    return losses.sum() - np.trace(losses)


@given(n=sizes, seed=seeds)
def test_no_signs_lie_below_the_spectral_relaxation(n, seed):
    problem = random_problem(n, seed)
    z = relaxed_minimum(problem, np.random.RandomState(seed))
    assert z @ problem.A @ z <= least_value(problem.A) + 1e-9
    assert z @ z == pytest.approx(n)


@given(n=sizes, seed=seeds)
def test_no_point_of_the_box_lies_below_the_best_signs(n, seed):
    problem = random_problem(n, seed)
    start = np.random.default_rng(seed).uniform(-1, 1, n)
    z = minimise_in_box(problem, start)
    value = z @ problem.A @ z
    assert value >= least_value(problem.A) - 1e-9
    for i in range(n):  # one coordinate at a time, rounding costs nothing
        z[i] = -1 if problem.A[i] @ z > 0 else 1
    assert z @ problem.A @ z <= value + 1e-9


@given(n=st.integers(2, 120), seed=seeds)
def test_sign_steps_and_flips_never_rise(n, seed):
    problem = random_problem(n, seed)
    z = np.random.default_rng(seed).choice([-1, 1], n)
    end, value = descend(problem, z)
    assert value == pytest.approx(end @ problem.A @ end)
    assert value <= z @ problem.A @ z + 1e-9


@given(n=sizes, seed=seeds)
def test_a_sign_step_damped_by_the_largest_eigenvalue_never_rises(n, seed):
    A = random_problem(n, seed).A
    z = np.random.default_rng(seed).choice([-1, 1], n)
    moved = np.where(z * (A @ z) > np.linalg.eigvalsh(A)[-1], -z, z)
    assert moved @ A @ moved <= z @ A @ z + 1e-9


def random_groups(rng, n, inside=(0, 1)):
    """Return groups of items, and an affinity that tells the members of none apart."""
    groups = rng.integers(0, 3, n)
    Y = random_symmetric(rng, 3, [-1, 0, 1])[groups][:, groups]
    same = groups[:, None] == groups
    return groups, np.where(same, random_symmetric(rng, n, inside), Y)


def share_codes(Z, Y, groups, loss, weights):
    """Give the members of each group the code of the one that pays least outside."""
    Z = Z.copy()
    table, m = loss_table(as_loss(loss), Z.shape[1]), Z.shape[1]
    for group in np.unique(groups):
        inside = groups == group
        losses = table[Y + 1, Z @ Z.T + m] * weights
        Z[inside] = Z[inside][losses[inside][:, ~inside].sum(axis=1).argmin()]
    return Z


@pytest.mark.parametrize("loss", LOSS_NAMES)
@given(n=st.integers(2, 9), n_bits=st.integers(1, 5), seed=seeds)
def test_sharing_codes_in_groups_never_raises_the_loss(loss, n, n_bits, seed):
    """Whatever the weights are, and with similar and undefined pairs inside one group."""
    rng = np.random.default_rng(seed)
    groups, Y = random_groups(rng, n)
    Z, weights = rng.choice([-1, 1], (n, n_bits)), rng.uniform(0.1, 5, n)
    shared = share_codes(Z, Y, groups, loss, weights)
    before = total_loss(Z, Y, loss, weights)
    assert total_loss(shared, Y, loss, weights) <= before + 1e-9 * abs(before)


@pytest.mark.parametrize("loss", ["ksh", "splh", "ee", "exph"])
@pytest.mark.parametrize("seed", range(3))
def test_every_optimum_shares_codes_where_only_equal_ones_are_best(loss, seed):
    n, ones = 4, np.ones(4)
    groups, Y = random_groups(np.random.default_rng(seed), n, inside=(1,))
    codes = [np.reshape(bits, (n, 2)) for bits in product((-1, 1), repeat=2 * n)]
    values = np.array([total_loss(Z, Y, loss, ones) for Z in codes])
    for i in np.flatnonzero(np.isclose(values, values.min())):
        assert all((codes[i][groups == g] == codes[i][groups == g][0]).all() for g in set(groups))


def test_the_condition_on_the_loss_cannot_be_dropped():
    def apart(s, y, n_bits):
        return s**2 if y > 0 else s + n_bits

    Y, ones = np.array([[0, 1, -1], [1, 0, -1], [-1, -1, 0]]), np.ones(3)
    codes = [np.reshape(bits, (3, 2)) for bits in product((-1, 1), repeat=6)]
    shared = [Z for Z in codes if (Z[0] == Z[1]).all()]
    best, best_shared = (min(total_loss(Z, Y, apart, ones) for Z in c) for c in (codes, shared))
    assert best < best_shared
    assert not is_groupable(as_loss(apart), 2)


@given(n_codes=st.integers(2, 60), n_bits=st.integers(1, 80))
def test_plotkins_bound_is_not_exceeded(n_codes, n_bits):
    plotkin = 2 * n_bits * (n_codes**2 // 4) // (n_codes * (n_codes - 1))
    assert largest_possible_distance(n_codes, n_bits) <= plotkin


@given(n=st.integers(2, 60), n_bits=st.integers(1, 20), seed=seeds)
def test_the_bound_of_orthogonal_balanced_bits_holds(n, n_bits, seed):
    rng = np.random.default_rng(seed)
    weights, Z = rng.integers(1, 9, n).astype(float), rng.choice([-1, 1], (n, n_bits))
    own = 4 * n_bits**2 * (weights**2).sum()
    bound = n_bits * (n_bits + 1) * weights.sum() ** 2 - own
    assert bound <= least_class_loss(weights, n_bits) * (1 + 1e-9) + 1e-6
    assert bound <= total_loss(Z, np.eye(n, dtype=int) - 1, "ksh", weights) * (1 + 1e-9) + 1e-6


def test_wrong_bits_are_bit_errors_and_bound_what_distances_are_off():
    X, y = load_digits(return_X_y=True)
    hasher = TwoStepHasher(n_bits=12, hash_function="linear-svm", random_state=0).fit(X, y)
    bits, codes = hasher.transform(X), hasher.codes_
    wrong = (bits != codes).sum(axis=1)
    assert wrong.mean() == pytest.approx(hasher.bit_error_.sum())
    i, j = np.random.default_rng(0).integers(0, len(X), (2, 5000))
    off = (bits[i] != bits[j]).sum(axis=1) - (codes[i] != codes[j]).sum(axis=1)
    assert (np.abs(off) <= wrong[i] + wrong[j]).all()


def test_every_picture_of_the_page_is_drawn_by_its_script():
    page = (DOCS / "theory.md").read_text()
    shown = set(re.findall(r"\]\(images/theory/([^)]+)\)", page))
    assert shown == set(runpy.run_path(str(DOCS / "theory_pictures.py"))["PICTURES"])
    assert all((DOCS / "images" / "theory" / name).stat().st_size for name in shown)
