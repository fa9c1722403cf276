"""Spectral relaxation of a binary problem: the eigenvector of the smallest eigenvalue."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator

from hashlearn._numerics.eigenvectors import lanczos
from hashlearn.inference._problems import BinaryProblem

N_STEPS = 15  # of Lanczos for a rough eigenvector; 30 and 60 ended no lower, on 20,000 items
EXHAUSTED = 1e-12  # a new direction below this part of the values is rounding
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
    elif problem.size > problem.rough_above and tol > 0:
        u = _few_lanczos_steps(scaled, problem.size, random_state)
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
    """Return the smallest eigenvector, or the best found if Lanczos does not converge."""
    operator = LinearOperator((size, size), matvec=scaled, dtype=np.float64)
    v0 = random_state.uniform(-1, 1, size)
    if not scaled(v0).any():  # nothing is left to gain: every vector is equally good
        return v0
    try:
        return lanczos(operator, 1, v0, which="SA", tol=tol)[1][:, 0]
    except ArpackNoConvergence as error:
        return error.eigenvectors[:, 0] if error.eigenvectors.size else v0


def _few_lanczos_steps(
    scaled: Callable[[np.ndarray], np.ndarray], size: int, random_state: np.random.RandomState
) -> np.ndarray:
    """Return a rough smallest eigenvector, by plain Lanczos steps.

    There are no restarts and no orthogonalisation, which cost more than products, and the basis
    is float32.
    """
    v = random_state.uniform(-1, 1, size)
    v /= np.linalg.norm(v)
    basis = np.empty((N_STEPS, size), dtype=np.float32)
    alphas, betas = np.zeros(N_STEPS), np.zeros(N_STEPS)
    previous = np.zeros(size)
    for step in range(N_STEPS):
        basis[step] = v
        w = scaled(v).ravel()
        alphas[step] = w @ v
        w -= alphas[step] * v + (betas[step - 1] if step else 0.0) * previous
        betas[step] = np.linalg.norm(w)
        if betas[step] <= EXHAUSTED * np.abs(alphas[: step + 1]).max(initial=0):
            break
        previous, v = v, w / betas[step]
    n = step + 1
    y = eigh_tridiagonal(alphas[:n], betas[: n - 1], select="i", select_range=(0, 0))[1][:, 0]
    return y.astype(np.float32) @ basis[:n]
