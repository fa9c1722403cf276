"""Spectral relaxation: the eigenvector of the smallest eigenvalue, then its signs."""

from __future__ import annotations

import numpy as np

from hashlearn.inference._problems import BinaryProblem
from hashlearn.inference._relaxation import relaxed_minimum, signs
from hashlearn.inference.base import Solver, register_solver


@register_solver("spectral")
class Spectral(Solver):
    """Signs of the spectral relaxation's minimum.

    Examples
    --------
    >>> from hashlearn.inference import Spectral
    >>> Spectral()
    Spectral()
    """

    def minimise(
        self, problem: BinaryProblem, start: np.ndarray, random_state: np.random.RandomState
    ) -> np.ndarray:
        """Return a vector of signs; `start` is not used."""
        return signs(relaxed_minimum(problem, random_state))
