"""Laws of the choice of an objective's form: what an affinity says of itself is heard."""

import numpy as np
import pytest

from hashlearn.affinity import DenseAffinity
from hashlearn.inference import CoordinateDescent
from hashlearn.inference._objectives import (
    MAX_TINY_ITEMS,
    DenseObjective,
    GradedObjective,
    QuadraticObjective,
    _canonical,
    make_objective,
)
from hashlearn.losses import Loss, as_loss
from tests.affinities import random_symmetric

FORMS = {
    "complete": ([-1, 1], QuadraticObjective),
    "incomplete": ([-1, 0, 1], DenseObjective),
    "graded": ([-1.0, -0.4, 0.3, 0.8], GradedObjective),
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
def test_products_replace_pairs_only_where_all_are_defined_and_plus_or_minus_one(kind):
    affinity = users_affinity(kind)
    n = affinity.n_items
    objective, _ = make_objective(
        affinity, as_loss("ksh"), 5, np.ones(n), np.zeros(n), np.random.RandomState(0)
    )
    assert type(objective) is FORMS[kind][1]
    step_one = infer(affinity, 5)
    assert step_one.objective[-1] == pytest.approx(loss_of(step_one.codes, affinity))
    assert (np.diff(step_one.objective) <= 0).all()


@pytest.mark.parametrize("kind", ["incomplete", "graded"])
def test_a_users_affinity_gets_the_codes_of_its_matrix(kind):
    affinity = users_affinity(kind)
    own, given = (infer(a, 5).codes for a in (affinity, DenseAffinity(affinity.matrix)))
    np.testing.assert_array_equal(own, given)


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
