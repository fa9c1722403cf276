"""Box relaxation: L-BFGS-B in [-1, 1]^n, then signs; the paper's way."""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, minimize

from hashlearn.inference.coordinate_descent import Solver, register_solver
from hashlearn.inference.problems import BinaryProblem
from hashlearn.inference.spectral import relaxed_minimum, signs


def minimise_in_box(problem: BinaryProblem, z: np.ndarray) -> np.ndarray:
    """Return a local minimum of z^T A z in the box, from a start z."""

    def value_and_gradient(z: np.ndarray) -> tuple[float, np.ndarray]:
        product = problem.dot(z).astype(np.float64)
        return float(z @ product), 2 * product  # the gradient of the full symmetric form

    start = np.clip(z, -1, 1)
    return minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", bounds=Bounds(-1, 1)).x


@register_solver("spectral-lbfgsb")
class SpectralBox(Solver):
    """L-BFGS-B from the spectral relaxation's minimum: the paper's own way.

    Examples
    --------
    >>> SpectralBox()
    SpectralBox()
    """

    def minimise(
        self, problem: BinaryProblem, start: np.ndarray, random_state: np.random.RandomState
    ) -> np.ndarray:
        """Return a vector of signs; `start` is not used."""
        return signs(minimise_in_box(problem, relaxed_minimum(problem, random_state)))


@register_solver("random-lbfgsb")
class RandomBox(Solver):
    """L-BFGS-B from a random point of the box: the paper's alternative.

    Examples
    --------
    >>> RandomBox()
    RandomBox()
    """

    def minimise(
        self, problem: BinaryProblem, start: np.ndarray, random_state: np.random.RandomState
    ) -> np.ndarray:
        """Return a vector of signs; `start` is not used."""
        return signs(minimise_in_box(problem, random_state.uniform(-1, 1, problem.size)))
