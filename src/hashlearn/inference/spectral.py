"""Spectral relaxation: the eigenvector of the smallest eigenvalue, then its signs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from hashlearn.inference.coordinate_descent import Solver, register_solver
from hashlearn.inference.problems import BinaryProblem

DENSE_SIZE = 64  # below, a full decomposition is cheaper than Lanczos steps


def signs(v: np.ndarray) -> np.ndarray:
    """Return the signs of v as int8, +1 for 0."""
    return np.where(v < 0, np.int8(-1), np.int8(1))


def relaxed_minimum(
    problem: BinaryProblem, random_state: np.random.RandomState, tol: float = 0.0
) -> np.ndarray:
    r"""Minimise z^T A z over sum_i w_i z_i^2 = sum_i w_i, the paper's spectral relaxation.

    With :math:`u = W^{1/2} z` this is the smallest eigenvector of
    :math:`W^{-1/2} A W^{-1/2}`, the diagonal of the groups' own pairs included, so that
    grouped and ungrouped problems have the same minimum.
    """
    root = np.sqrt(problem.weights)
    diagonal = problem.self_terms / problem.weights

    def scaled(u: np.ndarray) -> np.ndarray:
        u = u.reshape(problem.size, -1)
        product = problem.dot(u / root[:, None]) / root[:, None] + diagonal[:, None] * u
        return product.astype(np.float64)

    if problem.size <= DENSE_SIZE:
        u = np.linalg.eigh(scaled(np.eye(problem.size)))[1][:, 0]
    else:
        u = _lanczos(scaled, problem.size, random_state, tol)
    z = u / root
    return z * np.sqrt(problem.weights.sum() / (problem.weights @ z**2))


def _lanczos(
    scaled: Callable[[np.ndarray], np.ndarray],
    size: int,
    random_state: np.random.RandomState,
    tol: float,
) -> np.ndarray:
    """Return the smallest eigenvector; the best found, where Lanczos does not converge."""
    operator = LinearOperator((size, size), matvec=scaled, dtype=np.float64)
    v0 = random_state.uniform(-1, 1, size)
    if not scaled(v0).any():  # nothing left to gain: every vector is as good
        return v0
    try:
        return eigsh(operator, k=1, which="SA", v0=v0, tol=tol)[1][:, 0]
    except ArpackNoConvergence as error:
        return error.eigenvectors[:, 0] if error.eigenvectors.size else v0


@register_solver("spectral")
class Spectral(Solver):
    """Signs of the spectral relaxation's minimum.

    Examples
    --------
    >>> Spectral()
    Spectral()
    """

    def minimise(
        self, problem: BinaryProblem, start: np.ndarray, random_state: np.random.RandomState
    ) -> np.ndarray:
        """Return a vector of signs; `start` is not used."""
        return signs(relaxed_minimum(problem, random_state))
