"""Products of blocks of rows with many vectors, and equations solved by them.

A constant 1 is appended to each row. The vectors, one per machine, are the rows of a float64
array of shape (n_machines, n_features + 1), the intercept last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from hashlearn._numerics.arrays import is_sparse
from hashlearn._numerics.row_blocks import RowBlocks

DENSE_COLUMNS = 4000  # above, a Cholesky factor costs more time and memory than it saves
_CG_ITERATIONS = 100
_RIDGES = 10  # each 8 times the last: no finite matrix needs more

Precondition = Callable[[np.ndarray], np.ndarray]
Product = Callable[[np.ndarray, np.ndarray], np.ndarray]


def as_columns(V: np.ndarray, dtype: Any) -> np.ndarray:
    """Return the vectors as columns in the type of the products."""
    return np.ascontiguousarray(V.T, dtype=dtype)


def block_margins(block: Any, columns: np.ndarray) -> np.ndarray:
    """Return the (n_rows, n_machines) products of a block's rows with the vectors."""
    M = block @ columns[:-1]
    M += columns[-1]
    return M


def add_products(G: np.ndarray, R: np.ndarray, block: Any) -> None:
    """Add the products of R, (n_rows, n_machines), with a block's rows to G, in float64."""
    G[:, :-1] += (block.T @ R).T if is_sparse(block) else R.T @ block
    G[:, -1] += column_sums(R)


def column_sums(A: np.ndarray) -> np.ndarray:
    """Return the sums of the columns, by the matrix library: it rounds less than `sum`."""
    return np.ones(len(A), dtype=A.dtype) @ A


def weighted_gram(shard: RowBlocks, weights: np.ndarray) -> np.ndarray:
    r"""Return :math:`\sum_i weights_i x_i x_i^T`, or its diagonal where that would be large."""
    if shard.shape[1] > DENSE_COLUMNS:
        return _weighted_squares(shard, weights)
    A = np.zeros((shard.shape[1] + 1,) * 2)
    for where, block in shard:
        w = weights[where]
        scaled = _scale_rows(block, np.sqrt(w).astype(shard.dtype))
        gram = scaled.T @ scaled  # the same array twice: half the work of a general product
        A[:-1, :-1] += gram.toarray() if is_sparse(gram) else gram
        A[-1, :-1] += block.T @ w
        A[-1, -1] += w.sum()
    A[:-1, -1] = A[-1, :-1]
    return A


def _weighted_squares(shard: RowBlocks, weights: np.ndarray) -> np.ndarray:
    squares = np.zeros(shard.shape[1] + 1)
    for where, block in shard:
        squares[:-1] += (block.multiply(block) if is_sparse(block) else block**2).T @ weights[where]
    squares[-1] = weights.sum()
    return squares


def _scale_rows(block: Any, factors: np.ndarray) -> Any:
    if is_sparse(block):
        return sp.diags_array(factors).astype(block.dtype) @ block
    return block * factors[:, None]


def solver_of(A: np.ndarray, precision: float) -> Precondition:
    """Return the solver of a positive definite matrix, or of its diagonal if that is given."""
    if A.ndim == 1:
        return lambda R: R / A
    ridge = 4 * precision * float(np.diagonal(A).max())  # costs iterations, not precision
    _, factor = lifted_factor(A, precision, ridge)
    return lambda R: cho_solve((factor, True), R.T, check_finite=False).T


def with_diagonal(A: np.ndarray, values: Any) -> np.ndarray:
    """Return a square matrix with values added to its diagonal."""
    A = A.copy()
    A.flat[:: len(A) + 1] += values
    return A


def definite(A: np.ndarray, precision: float) -> np.ndarray:
    """Return a positive definite matrix near A, which is known to a relative precision."""
    ridge, _ = lifted_factor(A, precision, 0.0)
    return with_diagonal(A, ridge)


def lifted_factor(A: np.ndarray, precision: float, ridge: float) -> tuple[float, np.ndarray]:
    """Return the ridge that makes A positive definite, and the factor of A with it.

    Rounding can leave A with negative eigenvalues of about its precision. A ridge of that size
    lifts them, or a larger one if needed.
    """
    least = 4 * precision * float(np.diagonal(A).max())
    for _ in range(_RIDGES):
        # the transpose of a symmetric matrix, in the order of LAPACK: no copy is made
        lifted = with_diagonal(A, ridge).T
        try:
            return ridge, cho_factor(lifted, lower=True, overwrite_a=True, check_finite=False)[0]
        except np.linalg.LinAlgError:
            ridge = max(least, 8 * ridge)
    raise ValueError("The values of X are too large for its dtype; scale X.")


def conjugate_gradient(
    product: Product, precondition: Precondition, B: np.ndarray, forcing: np.ndarray
) -> np.ndarray:
    """Solve one positive definite system per row of B, all at once.

    `product` maps vectors, and the numbers of their systems, to matrix products. A system is
    solved when its residual, in the preconditioner's norm, has shrunk to the fraction `forcing`.
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
