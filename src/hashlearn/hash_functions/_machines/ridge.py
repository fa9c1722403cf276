r"""Ridge regression on features of many items, all bits in one solve and one pass.

For every column z of Z the solver minimises

.. math:: \tfrac12 (w - w_0)^T H (w - w_0) + C \sum_i \omega_i (z_i - w \cdot x_i)^2,

where x ends with a constant 1 whose weight is the intercept. Its solution is
:math:`(H + 2 C \sum_i \omega_i x_i x_i^T)\, w = H w_0 + 2 C \sum_i \omega_i z_i x_i`: the items are
read once, and the matrix on the left is the H of further ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from scipy.linalg import cho_solve

from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.row_blocks import FEATURE_BYTES, RowBlocks
from hashlearn._numerics.threads import map_blocks
from hashlearn._progress import say
from hashlearn.hash_functions._machines.row_products import lifted_factor

_MAX_DOUBLE_ITEMS = 5_000  # up to here float64 products cost little
_PANEL = 1024  # columns of the matrix that a thread adds to at a time
_PART_ROWS = 256  # rows whose features a thread computes at a time
_MOST_ROWS = 4096  # rows added at a time; more are not faster
_BUFFER_SHARE = 8  # the part of the memory limit that their features may take


def fit_ridge(
    features: RowBlocks,
    Z: np.ndarray,
    C: float,
    H: np.ndarray,
    start: np.ndarray | None = None,
    *,
    means: np.ndarray,
    max_bytes: int = FEATURE_BYTES,
    sample_weight: np.ndarray | None = None,
    verbose: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Train one ridge machine per column of Z; return weights and the matrix of the equations.

    `means` is subtracted from the features: the matrix is then known more precisely. The weights
    are those of the centred features, (n_machines, n_columns + 1), the intercept last; `start` is
    w_0, by default 0. H is overwritten. If items weigh differently for each machine, each has a
    matrix, and the mean of them is returned.
    """
    W = np.zeros((Z.shape[1], len(H))) if start is None else start.copy()
    if sample_weight is None or sample_weight.ndim == 1:
        parts = [(slice(None), sample_weight)]
    else:
        parts = [(slice(k, k + 1), sample_weight[:, k]) for k in range(Z.shape[1])]
    sides = H @ W.T
    total = np.zeros_like(H) if len(parts) > 1 else H
    with one_blas_thread():
        for machines, weight in parts:
            A, B = H.copy() if len(parts) > 1 else H, sides[:, machines]
            for n_done, F, targets in _blocks(features, Z[:, machines], weight, means, max_bytes):
                _add_gram(A, F, 2 * C)
                B += (2 * C) * (F.T @ targets).astype(np.float64)
                say(f"Step 2: {n_done:,} of {features.shape[0]:,} items", verbose)
            _mirror(A)
            W[machines] = _solved(A, B, float(np.finfo(F.dtype).eps)).T
            if len(parts) > 1:
                total += A / len(parts)
    return W, total


def _solved(A: np.ndarray, sides: np.ndarray, precision: float) -> np.ndarray:
    """Return the solution, with a ridge in A where rounding leaves the matrix unknown."""
    ridge = precision * float(np.diagonal(A)[:-1].max())
    ridge, factor = lifted_factor(A, precision, ridge)
    A.flat[:: len(A) + 1] += ridge
    return cho_solve((factor, True), sides, check_finite=False)


def _blocks(
    features: RowBlocks,
    Z: np.ndarray,
    weight: np.ndarray | None,
    means: np.ndarray,
    max_bytes: int,
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield how many items are done, and blocks of centred features, a 1 at the end, and of bits.

    Both are multiplied by the roots of the weights. The features are in a buffer that is used
    again.
    """
    n, n_columns = features.shape
    dtype = features.dtype if n <= _MAX_DOUBLE_ITEMS else np.dtype(np.float32)
    n_rows = max_bytes // (_BUFFER_SHARE * dtype.itemsize * n_columns)
    n_rows = min(n, max(_PART_ROWS, min(n_rows, _MOST_ROWS)))
    buffer = np.empty((n_rows, n_columns + 1), dtype=dtype)
    for start in range(0, n, n_rows):
        rows = slice(start, min(start + n_rows, n))
        F = buffer[: rows.stop - start]
        _fill(F, features, start, means)
        targets = Z[rows].astype(dtype)
        if weight is not None:
            roots = np.sqrt(weight[rows]).astype(dtype)[:, None]
            F *= roots
            targets *= roots
        yield rows.stop, F, targets


def _fill(F: np.ndarray, features: RowBlocks, start: int, means: np.ndarray) -> None:
    """Compute the features of the rows from `start` on, on threads."""
    first = features.bounds[0] + start

    def fill(begin: int, end: int) -> None:
        part = RowBlocks(
            features.X,
            features.transform,
            features.shape[1],
            features.block_rows,
            (first + begin, first + end),
        )
        for where, block in part:
            np.subtract(block, means, out=F[begin:end][where, :-1], casting="same_kind")

    F[:, -1] = 1
    map_blocks(fill, [*range(0, len(F), _PART_ROWS), len(F)])


def _add_gram(A: np.ndarray, F: np.ndarray, factor: float) -> None:
    """Add a multiple of the products of all columns of F to the upper triangle of A, on threads."""
    edges = [*range(0, len(A), _PANEL), len(A)]
    panels = list(itertools.pairwise(edges))[::-1]  # the longest first

    def add(i: int, _: int) -> None:
        first, last = panels[i]
        product = F[:, :last].T @ F[:, first:last]
        A[:last, first:last] += np.multiply(product, factor, dtype=np.float64)

    map_blocks(add, range(len(panels) + 1))


def _mirror(A: np.ndarray) -> None:
    """Copy the upper triangle to the lower one."""
    for start in range(0, len(A), _PANEL):
        stop = min(start + _PANEL, len(A))
        A[start:stop, :start] = A[:start, start:stop].T
        corner = A[start:stop, start:stop]
        corner[:] = np.triu(corner) + np.triu(corner, 1).T
