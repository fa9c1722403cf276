"""What docs/theory.md proves holds of the code, where no other test says so."""

import re
import runpy
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from hashlearn import TwoStepHasher
from hashlearn.affinity import DenseAffinity, SparseAffinity
from hashlearn.inference._code_bounds import largest_possible_distance, least_class_loss
from hashlearn.inference._problems import DenseProblem
from hashlearn.inference._relaxation import relaxed_minimum
from hashlearn.inference.lbfgsb import _minimise_in_box
from hashlearn.inference.sign_flip import _descend, _sign_steps
from hashlearn.losses import LOSSES, as_loss, loss_table
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
    """Return the loss of codes, or of a stack of them, over pairs of different items."""
    m, s = Z.shape[-1], Z @ np.swapaxes(Z, -1, -2)
    losses = loss_table(as_loss(loss), m)[Y + 1, s + m] * np.outer(weights, weights)
    return losses.sum(axis=(-1, -2)) - np.trace(losses, axis1=-1, axis2=-2)


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
    z = _minimise_in_box(problem, start)
    value = z @ problem.A @ z
    assert value >= least_value(problem.A) - 1e-9
    for i in range(n):  # one coordinate at a time, rounding costs nothing
        z[i] = -1 if problem.A[i] @ z > 0 else 1
    assert z @ problem.A @ z <= value + 1e-9


@given(n=st.integers(2, 120), seed=seeds)
def test_sign_steps_and_flips_never_rise(n, seed):
    problem = random_problem(n, seed)
    z = np.random.default_rng(seed).choice([-1, 1], n)
    end, value = _descend(problem, z)
    assert value == pytest.approx(end @ problem.A @ end)
    assert value <= z @ problem.A @ z + 1e-9


@given(n=sizes, seed=seeds)
def test_no_sign_step_that_is_kept_rises_and_the_product_follows(n, seed):
    problem = random_problem(n, seed)
    z = np.random.default_rng(seed).choice([-1.0, 1.0], n)
    end, product = _sign_steps(problem, z, problem.dot(z))
    np.testing.assert_allclose(product, problem.A @ end, atol=1e-9)
    assert end @ product <= z @ problem.A @ z + 1e-9


def grouped_affinity(kind, seed):
    """Return five items of three groups, one similar inside and one undefined, and weights."""
    rng = np.random.default_rng(seed)
    planted = rng.permutation([0, 0, 1, 1, 2])
    Y = random_symmetric(rng, 3, [-1, 0, 1]) + np.diag([1, 0, 0])
    Y = Y[planted][:, planted]
    np.fill_diagonal(Y, 0)
    affinity = DenseAffinity(Y) if kind == "dense" else SparseAffinity(sp.csr_array(Y))
    return affinity, planted, rng.uniform(0.1, 5, 5)


def all_codes(n, n_bits=2):
    return np.reshape(list(product((-1, 1), repeat=n * n_bits)), (-1, n, n_bits))


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("seed", range(4))
def test_groups_of_matrices_and_pairs_have_the_optimum_of_their_items(kind, seed):
    """Theorem 5 and the sum over groups, with the library's groups, weights and inside pairs."""
    affinity, planted, weights = grouped_affinity(kind, seed)
    groups, Y = affinity.groups(), affinity.block(slice(None))
    for members in (planted == g for g in range(3)):
        assert np.ptp(groups.labels[members]) == 0
    n_groups = len(groups.representatives)
    of_groups = affinity[groups.representatives].block(slice(None))
    sizes, inside = np.bincount(groups.labels, weights), affinity.inside(weights, groups).sum()
    for loss in LOSS_NAMES:
        least = total_loss(all_codes(5), Y, loss, weights).min()
        between = total_loss(all_codes(n_groups), of_groups, loss, sizes).min()
        equal = loss_table(as_loss(loss), 2)[2, -1]
        assert between + equal * inside == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("loss", ["ksh", "splh", "ee", "exph"])
@pytest.mark.parametrize("seed", range(4))
def test_every_optimum_shares_codes_where_only_equal_ones_are_best(loss, seed):
    affinity, _, weights = grouped_affinity("dense", seed)
    groups, Y = affinity.groups(), affinity.block(slice(None))
    values = total_loss(all_codes(5), Y, loss, weights)
    optima = all_codes(5)[np.isclose(values, values.min())]
    assert groups.inside.any()
    for g in np.flatnonzero(groups.inside):
        assert (np.ptp(optima[:, groups.labels == g], axis=1) == 0).all()


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
