"""Products of a matrix in row blocks with many vectors, and equations solved through them.

The matrix is `Rows` with a constant 1 appended to each row. The vectors, one per machine, are
the rows of a float64 array of shape (n_machines, n_features + 1), the intercept last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from hashlearn.hash_functions.blocks import is_sparse
from hashlearn.hash_functions.rows import Rows

DENSE_COLUMNS = 4000  # above, a Cholesky factor costs more time and memory than it saves
_CG_ITERATIONS = 100
_RIDGES = 10  # each 8 times the last: no finite matrix needs more

Precondition = Callable[[np.ndarray], np.ndarray]
Product = Callable[[np.ndarray, np.ndarray], np.ndarray]


def as_columns(V: np.ndarray, dtype: Any) -> np.ndarray:
    """Return the vectors as columns in the type of the products."""
    return np.ascontiguousarray(V.T, dtype=dtype)


def block_margins(block: Any, columns: np.ndarray) -> np.ndarray:
    """Return the (n_machines, n_rows) products of a block's rows with the vectors."""
    M = block @ columns[:-1]
    M += columns[-1]
    return M.T


def margins(rows: Rows, V: np.ndarray) -> np.ndarray:
    """Return the (n_machines, n) products of all rows with the vectors.

    Examples
    --------
    >>> margins(Rows(np.array([[1.0], [2.0]])), np.array([[10.0, 0.5]]))
    array([[10.5, 20.5]])
    """
    columns = as_columns(V, rows.dtype)
    M = np.empty((V.shape[0], rows.shape[0]), dtype=rows.dtype)
    for where, block in rows:
        M[:, where] = block_margins(block, columns)
    return M


def add_products(G: np.ndarray, R: np.ndarray, block: Any) -> None:
    """Add the products of R, (n_machines, n_rows), with a block's rows to G, in float64."""
    G[:, :-1] += (block.T @ R.T).T if is_sparse(block) else R @ block
    G[:, -1] += R.sum(axis=1)


def preconditioner(rows: Rows, weights: np.ndarray) -> Precondition:
    r"""Return the solver of :math:`I + \sum_i weights_i x_i x_i^T`, or of its diagonal.

    Parameters
    ----------
    rows : Rows
        The items x.
    weights : ndarray of shape (n,)
        Their weights, none negative.

    Examples
    --------
    >>> solve = preconditioner(Rows(np.array([[1.0]])), np.array([1.0]))
    >>> solve(np.array([[3.0, 0.0]]))  # the matrix is [[2, 1], [1, 2]]
    array([[ 2., -1.]])
    """
    if rows.shape[1] > DENSE_COLUMNS:
        diagonal = 1 + _weighted_squares(rows, weights)
        return lambda R: R / diagonal
    factor = _factor(_weighted_gram(rows, weights), float(np.finfo(rows.dtype).eps))
    return lambda R: cho_solve(factor, R.T, check_finite=False).T


def _factor(A: np.ndarray, precision: float) -> tuple[np.ndarray, bool]:
    """Return the Cholesky factor of I + A, A known to a relative precision.

    Rounding can leave A with negative eigenvalues of about its precision: a ridge of that size
    lifts them, and a larger one if it must. It costs iterations, not the solution.
    """
    ridge = 4 * precision * float(np.diagonal(A).max())
    for _ in range(_RIDGES):
        lifted = A + (1 + ridge) * np.eye(len(A))
        try:
            return cho_factor(lifted, lower=True, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            ridge *= 8
    raise ValueError("X is too large in magnitude for its dtype: scale it first.")


def _weighted_gram(rows: Rows, weights: np.ndarray) -> np.ndarray:
    A = np.zeros((rows.shape[1] + 1,) * 2)
    for where, block in rows:
        w = weights[where]
        scaled = _scale_rows(block, np.sqrt(w).astype(rows.dtype))
        gram = scaled.T @ scaled  # the same array twice: half the work of a general product
        A[:-1, :-1] += gram.toarray() if is_sparse(gram) else gram
        A[-1, :-1] += block.T @ w
        A[-1, -1] += w.sum()
    A[:-1, -1] = A[-1, :-1]
    return A


def _weighted_squares(rows: Rows, weights: np.ndarray) -> np.ndarray:
    squares = np.zeros(rows.shape[1] + 1)
    for where, block in rows:
        squares[:-1] += (block.multiply(block) if is_sparse(block) else block**2).T @ weights[where]
    squares[-1] = weights.sum()
    return squares


def _scale_rows(block: Any, factors: np.ndarray) -> Any:
    if is_sparse(block):
        return sp.diags_array(factors).astype(block.dtype) @ block
    return block * factors[:, None]


def conjugate_gradient(
    product: Product, precondition: Precondition, B: np.ndarray, forcing: np.ndarray
) -> np.ndarray:
    """Solve one positive definite system per row of B, all at once.

    Parameters
    ----------
    product : callable
        From vectors, and the numbers of the systems they belong to, to the matrix products.
    precondition : callable
        From residuals to approximate solutions.
    B : ndarray of shape (n_systems, n_unknowns)
        The right-hand sides.
    forcing : ndarray of shape (n_systems,)
        A system is solved when its residual, in the preconditioner's norm, has shrunk to this
        fraction; it then no longer takes part.

    Returns
    -------
    ndarray of shape (n_systems, n_unknowns)

    Examples
    --------
    >>> conjugate_gradient(lambda V, which: 2 * V, lambda R: R, np.eye(2), np.full(2, 0.1))
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    P, R = np.zeros_like(B), B.copy()
    Q = precondition(R)
    size = np.einsum("ij,ij->i", R, Q)
    target = forcing**2 * size
    which = np.arange(len(B))
    for _ in range(_CG_ITERATIONS):
        which = which[size[which] > target[which]]
        if not which.size:
            break
        q = Q[which]
        HQ = product(q, which)
        step = size[which] / np.einsum("ij,ij->i", q, HQ)
        P[which] += step[:, None] * q
        R[which] -= step[:, None] * HQ
        S = precondition(R[which])
        new = np.einsum("ij,ij->i", R[which], S)
        Q[which] = S + (new / size[which])[:, None] * q
        size[which] = new
    return P
