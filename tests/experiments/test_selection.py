"""Laws of the choice of bandwidth and C."""

import numpy as np
import pytest

from hashlearn._numerics.rbf import mean_neighbor_distance
from hashlearn.experiments.selection import BANDWIDTH_FACTORS, LOSS_WEIGHTS, select_parameters
from hashlearn.hash_functions import (
    BoostedStumpsHash,
    KernelFeaturesHash,
    LinearSVMHash,
    RBFSVMHash,
)


def problem(seed=0):
    X = np.random.RandomState(seed).normal(size=(150, 2))
    return X, np.stack([X[:, 0] * X[:, 1] > 0, X[:, 0] > 0], axis=1).astype(np.uint8)


def test_the_grid_is_the_papers():
    assert (min(BANDWIDTH_FACTORS), max(BANDWIDTH_FACTORS)) == (0.01, 50)
    assert (min(LOSS_WEIGHTS), max(LOSS_WEIGHTS)) == (1e1, 1e5)


@pytest.mark.parametrize("function", [RBFSVMHash(), KernelFeaturesHash(50, random_state=0)])
def test_bandwidth_and_C_are_of_the_grid(function):
    X, codes = problem()
    found = select_parameters(function, X, codes, seed=0)
    assert found["t"] == pytest.approx(min(BANDWIDTH_FACTORS, key=lambda t: abs(t - found["t"])))
    assert found["sigma"] == pytest.approx(found["t"] * mean_neighbor_distance(X))
    assert found["C"] * 150 in LOSS_WEIGHTS
    assert found["bit_error"] < 0.2


def test_a_kernel_too_narrow_or_too_wide_is_not_chosen():
    found = select_parameters(RBFSVMHash(), *problem(), seed=0)
    assert 0.05 < found["t"] < 10


def test_only_what_a_function_has_is_chosen():
    assert set(select_parameters(LinearSVMHash(), *problem(), seed=0)) == {
        "C",
        "bit_error",
        "seconds",
    }
    assert set(select_parameters(BoostedStumpsHash(), *problem(), seed=0)) == {"seconds"}


def test_the_function_itself_is_left_alone():
    function = RBFSVMHash()
    select_parameters(function, *problem(), seed=0)
    assert function.get_params()["C"] == function.get_params()["sigma"] == "auto"
    assert not hasattr(function, "coef_")


def test_the_same_seed_chooses_the_same():
    first, again = (select_parameters(RBFSVMHash(), *problem(), seed=5) for _ in range(2))
    assert {**first, "seconds": 0} == {**again, "seconds": 0}
