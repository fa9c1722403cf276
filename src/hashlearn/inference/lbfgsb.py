"""Box relaxation: L-BFGS-B in [-1, 1]^n, then signs; the paper's solver."""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, minimize

from hashlearn.inference._problems import BinaryProblem
from hashlearn.inference._relaxation import relaxed_minimum, signs
from hashlearn.inference.base import Solver, register_solver


def _minimise_in_box(problem: BinaryProblem, z: np.ndarray) -> np.ndarray:
    """Return a local minimum of z^T A z in the box, from a start z."""

    def value_and_gradient(z: np.ndarray) -> tuple[float, np.ndarray]:
        product = problem.dot(z).astype(np.float64)
        return float(z @ product), 2 * product  # the gradient of the full symmetric form

    start = np.clip(z, -1, 1)
    return minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", bounds=Bounds(-1, 1)).x


@register_solver("spectral-lbfgsb")
class SpectralBox(Solver):
    """L-BFGS-B from the spectral relaxation's minimum: the paper's own solver.

    Examples
    --------
    >>> from hashlearn.inference import SpectralBox
    >>> SpectralBox()
    SpectralBox()
    """

    def minimise(
        self, problem: BinaryProblem, start: np.ndarray, random_state: np.random.RandomState
    ) -> np.ndarray:
        """Return a vector of signs; `start` is not used."""
        return signs(_minimise_in_box(problem, relaxed_minimum(problem, random_state)))


@register_solver("random-lbfgsb")
class RandomBox(Solver):
    """L-BFGS-B from a random point of the box: the paper's alternative.

    Examples
    --------
    >>> from hashlearn.inference import RandomBox
    >>> RandomBox()
    RandomBox()
    """

    def minimise(
        self, problem: BinaryProblem, start: np.ndarray, random_state: np.random.RandomState
    ) -> np.ndarray:
        """Return a vector of signs; `start` is not used."""
        return signs(_minimise_in_box(problem, random_state.uniform(-1, 1, problem.size)))
