"""Laws of the forms of an objective: which is chosen, and that all are the same function."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hashlearn.affinity import DenseAffinity, LabelAffinity
from hashlearn.inference import CoordinateDescent
from hashlearn.inference._objectives import (
    MAX_TINY_ITEMS,
    DenseObjective,
    GradedObjective,
    QuadraticObjective,
    SparseObjective,
    _canonical,
    make_objective,
)
from hashlearn.losses import Loss, as_loss
from tests.affinities import KINDS, random_affinity, random_symmetric
from tests.processes import alone, peak_memory

FORMS = {
    "complete": ([-1, 1], QuadraticObjective),
    "incomplete": ([-1, 0, 1], DenseObjective),
    "graded": ([-1.0, -0.4, 0.3, 0.8], QuadraticObjective),
    "graded, incomplete": ([-1.0, 0.0, 0.3, 0.8], GradedObjective),
}


class UsersAffinity(DenseAffinity):
    """A matrix that says what holds of it, and whose products are cheap."""

    cheap_products = True


def users_affinity(kind, n=MAX_TINY_ITEMS + 6):
    return UsersAffinity(random_symmetric(np.random.default_rng(0), n, FORMS[kind][0]))


def loss_of(codes, affinity, weights=1.0):
    """Sum KSH's loss over defined ordered pairs, each as often as its weights say."""
    Z, Y = 2.0 * codes - 1, affinity.block(slice(None)).astype(float)
    w = np.broadcast_to(weights, len(Z))
    losses = np.where(Y != 0, (Z @ Z.T - codes.shape[1] * Y) ** 2, 0)
    return (losses * np.outer(w, w)).sum()


def infer(affinity, n_bits, weights=None, loss="ksh", **params):
    random_state = np.random.RandomState(0)
    return CoordinateDescent().infer(
        affinity, as_loss(loss), n_bits, sample_weight=weights, random_state=random_state, **params
    )


@pytest.mark.parametrize("kind", FORMS)
def test_products_replace_pairs_only_where_all_are_defined(kind):
    affinity = users_affinity(kind)
    n = affinity.n_items
    objective, _ = make_objective(
        affinity, as_loss("ksh"), 5, np.ones(n), np.zeros(n), np.random.RandomState(0)
    )
    assert type(objective) is FORMS[kind][1]
    step_one = infer(affinity, 5)
    assert step_one.objective[-1] == pytest.approx(loss_of(step_one.codes, affinity))
    assert (np.diff(step_one.objective) <= 0).all()


@pytest.mark.parametrize("kind", ["incomplete", "graded, incomplete"])
def test_a_users_affinity_gets_the_codes_of_its_matrix(kind):
    affinity = users_affinity(kind)
    own, plain = (infer(a, 5).codes for a in (affinity, DenseAffinity(affinity.matrix)))
    np.testing.assert_array_equal(own, plain)


def test_weights_count_in_the_loss_of_a_graded_affinity():
    affinity = DenseAffinity(users_affinity("graded", n=12).matrix)
    weights = np.arange(1.0, 13.0)
    step_one = infer(affinity, 4, weights)
    expected = loss_of(step_one.codes, affinity, weights)
    assert step_one.objective[-1] == pytest.approx(expected)
    assert expected < loss_of(infer(affinity, 4).codes, affinity, weights)


class SaysQuadratic(Loss):
    """A factor times a power of |s - m y|; KSH's is the second."""

    quadratic = True

    def __init__(self, factor=1.0, power=2):
        self.factor = factor
        self.power = power

    def __call__(self, s, y, n_bits):
        return self.factor * abs(s - n_bits * y) ** self.power


@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e12])
def test_only_a_positive_factor_times_kshs_loss_is_quadratic(factor):
    assert _canonical(SaysQuadratic(factor), 8)[1] == pytest.approx(factor, rel=1e-12)
    for pretender in (SaysQuadratic(factor, power=1), SaysQuadratic(-factor), SaysQuadratic(0.0)):
        with pytest.raises(ValueError, match="has quadratic=True"):
            _canonical(pretender, 8)


@pytest.mark.parametrize("n_bits", [1, 7, 40])
def test_bre_is_solved_as_ksh_and_splh_as_itself(n_bits):
    assert _canonical(as_loss("bre"), n_bits)[1] == pytest.approx(1 / (4 * n_bits**2))
    assert _canonical(as_loss("splh"), n_bits)[1] == 1


@pytest.mark.parametrize("group", ["auto", False])
def test_a_loss_is_called_once_per_entry_of_its_table(group):
    calls = []
    loss = as_loss(lambda s, y: calls.append(1) or abs(s - 8 * y))
    infer(users_affinity("incomplete", n=12), 8, loss=loss, group=group)
    assert len(calls) == 2 * 17


def expected_form(affinity, kind, loss):
    if kind == "sparse":
        return SparseObjective
    if kind == "graded":
        return GradedObjective
    return QuadraticObjective if loss == "ksh" and affinity.cheap_products else DenseObjective


@pytest.mark.parametrize("kind", [*KINDS, "graded"])
@pytest.mark.parametrize("loss", ["ksh", "splh"])
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    n=st.integers(3, 10),
    n_bits=st.integers(1, 6),
    grouped=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_every_form_of_the_objective_is_the_same_function(
    kind, loss, n, n_bits, grouped, seed, monkeypatch
):
    """Value, products and columns are those of the brute-force matrix of Proposition 1."""
    monkeypatch.setattr("hashlearn.inference._objectives.MAX_TINY_ITEMS", 0)  # as large problems
    rng = np.random.default_rng(seed)
    affinity = random_affinity(kind, n, seed)
    weights = rng.integers(1, 5, n) if grouped and kind != "graded" else np.ones(n)
    objective, factor = make_objective(
        affinity, as_loss(loss), n_bits, weights, np.zeros(n), np.random.RandomState(0)
    )
    assert type(objective) is expected_form(affinity, kind, loss)
    assert factor == 1
    codes = rng.choice([-1, 1], size=(n, n_bits))
    for k in range(n_bits):
        objective.set_bit(k, codes[:, k])
    W = np.outer(weights, weights)
    Y = np.asarray(affinity.block(slice(None)), dtype=float)

    def total(s):
        return np.where(Y != 0, W * as_loss(loss)(s, Y, n_bits), 0.0)

    assert objective.value() == pytest.approx(total(codes @ codes.T).sum(), rel=1e-10)
    k = int(rng.integers(n_bits))
    others = np.delete(codes, k, axis=1)
    A = total(others @ others.T + 1.0) - total(others @ others.T - 1.0)
    problem = objective.problem(k)
    if isinstance(objective, QuadraticObjective):
        A /= 4  # the constant factor of KSH's difference is left out there
    np.testing.assert_allclose(problem.dot(np.eye(n)), A, atol=1e-9)
    for i in range(n):
        np.testing.assert_allclose(problem.column(i), A[:, i], atol=1e-9)
    z = rng.choice([-1.0, 1.0], n)
    flipped = problem.flip(z, problem.dot(z))
    assert (flipped * (A @ flipped) <= 1e-9 * np.abs(A).sum()).all()  # no single flip helps
    assert flipped @ A @ flipped <= z @ A @ z + 1e-9


def updated_objective(n, n_bits):
    """Return an objective with random codes, and a function that changes two bits of it."""
    random_state = np.random.RandomState(0)
    affinity = LabelAffinity(np.arange(n) // 2)
    objective, _ = make_objective(
        affinity, as_loss("ksh"), n_bits, np.ones(n), np.zeros(n), random_state
    )
    for k in range(n_bits):
        objective.set_bit(k, random_state.choice([-1, 1], n))

    def update():
        objective.set_bit(3, -objective.codes[:, 3])
        objective.set_bit(5, objective.codes[:, 4].copy())
        return objective.value()

    return objective, update


def memory_of_an_update():
    objective, update = updated_objective(2_000, 256)
    return peak_memory(update), objective.codes.nbytes


def test_an_update_of_a_bit_copies_no_codes():
    """Two copies of all codes in float64 once were made for every value."""
    peak, n_bytes = alone(memory_of_an_update)
    assert peak < n_bytes


def test_the_value_after_updates_is_the_loss_of_the_codes():
    objective, update = updated_objective(300, 64)
    value, Z = update(), objective.codes.astype(float)
    losses = (Z @ Z.T - 64 * objective.affinity.block(slice(None)).astype(float)) ** 2
    np.fill_diagonal(losses, 0)
    assert value == losses.sum()
