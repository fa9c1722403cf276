"""Products in blocks of one size: bounded memory, and margins that do not depend on the batch.

Matrix products choose their summation order by the shape of the matrices, so every block has the
same number of rows, the last one filled up with zeros, and every product runs on one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from hashlearn._numerics.arrays import as_rows, is_sparse
from hashlearn._numerics.blas import one_blas_thread

# A single row costs as much as a block, and short blocks slow a long X down. Measured on 784
# features, 1,500 points, 32 machines (one row; 4,096 rows, on one thread): blocks of 32 rows 1.1
# and 443 ms, of 64 rows 2.2 and 386 ms, of 128 rows 4.1 and 341 ms.
BLOCK_ROWS = 64

# Columns that do not fill a register are multiplied by other kernels, and those of OpenBLAS may
# round a row by its place (float64, 300 columns); with multiples of 8 this was never seen.
_COLUMNS = 16

_STACK_ENTRIES = 2**17  # values in the blocks handed over at once: they stay in the cache

# Up to this many multiplications OpenBLAS does not rearrange the matrices first, which would cost
# a quarter of the time where there are few machines.
_SMALL_PRODUCT = 10**6
_SMALL_ROWS = 16

Transform = Callable[[Any], np.ndarray]


@cache
@one_blas_thread()
def rows_alike(dtype: Any) -> int:
    """Return how many rows a product may have that rounds them all alike: at most `BLOCK_ROWS`.

    OpenBLAS for processors without AVX-512 multiplies twelve rows of single precision at a time,
    and rounds the first six otherwise than the last.
    """
    random = np.random.RandomState(0)
    for n_rows in (BLOCK_ROWS, 8, 4):
        products = (
            np.tile(random.normal(size=n).astype(dtype), (n_rows, 1))
            @ random.normal(size=(n, 7 * _COLUMNS)).astype(dtype)
            for n in (16, 100, 785)
        )
        if all((product == product[0]).all() for product in products):
            return n_rows
    return 1


def padded_columns(W: np.ndarray) -> np.ndarray:
    """Return W, contiguous, with columns of zeros up to a multiple of 16.

    A product of `rows_alike` rows with it, on one thread, rounds a row the same way at every place.
    """
    if W.shape[1] % _COLUMNS == 0 and W.flags.c_contiguous:
        return W
    padded = np.zeros((W.shape[0], -(-W.shape[1] // _COLUMNS) * _COLUMNS), dtype=W.dtype)
    padded[:, : W.shape[1]] = W
    return padded


@one_blas_thread()
def map_padded_blocks(
    function: Transform,
    X: Any,
    n_columns: int,
    *,
    dtype: Any,
    result_dtype: Any = None,
    block_rows: int | None = None,
    n_blocks: int | None = None,
    center: np.ndarray | None = None,
) -> np.ndarray:
    """Apply `function` to X block by block and stack the first `n_columns` columns of the results.

    A row has the same result to the last bit however many rows come with it, and at every place
    among them if the matrices it is multiplied with have `padded_columns`. A dense block is a
    buffer of type `dtype` that the function may overwrite, after `center` is subtracted. With
    `n_blocks`, it gets up to this many at once, (n, block_rows, n_features): `numpy.matmul`
    multiplies one after the other.
    """
    X = as_rows(X) if is_sparse(X) else np.asarray(X)
    block_rows = block_rows or rows_alike(np.dtype(dtype))
    results = np.empty((X.shape[0], n_columns), dtype=result_dtype or dtype)
    if is_sparse(X):
        _map_sparse(function, X, results, dtype, block_rows)
    else:
        buffer = np.empty((n_blocks or 1, block_rows, X.shape[1]), dtype=dtype)
        _map_dense(function, X, results, buffer, center, stacked=n_blocks is not None)
    return results


def _map_dense(
    function: Transform,
    X: np.ndarray,
    results: np.ndarray,
    buffer: np.ndarray,
    center: np.ndarray | None,
    stacked: bool,
) -> None:
    block_rows, n_columns = buffer.shape[1], results.shape[1]
    flat = buffer.reshape(-1, X.shape[1])
    for start in range(0, X.shape[0], len(flat)):
        rows = X[start : start + len(flat)]
        n_filled = -(-len(rows) // block_rows)
        flat[len(rows) : n_filled * block_rows] = 0
        if center is None:
            flat[: len(rows)] = rows
        else:
            np.subtract(rows, center, out=flat[: len(rows)], dtype=flat.dtype, casting="unsafe")
        found = function(buffer[:n_filled] if stacked else flat)
        found = found.reshape(-1, found.shape[-1])
        results[start : start + len(flat)] = found[: len(rows), :n_columns]


def _map_sparse(
    function: Transform, X: Any, results: np.ndarray, dtype: Any, block_rows: int
) -> None:
    for start in range(0, X.shape[0], block_rows):
        rows = X[start : start + block_rows]
        block = rows.astype(dtype)
        block.resize((block_rows, X.shape[1]))
        found = function(block)[: rows.shape[0], : results.shape[1]]
        results[start : start + block_rows] = found


@one_blas_thread()
def linear_margins(
    X: Any,
    coef: np.ndarray,
    center: np.ndarray,
    intercept: np.ndarray | None = None,
    *,
    dtype: Any,
    result_dtype: Any = None,
    block_rows: int | None = None,
) -> np.ndarray:
    """Return the margins (X - center) @ coef + intercept, each row's from that row alone.

    `X @ coef` may round a row differently in another batch, so that a margin near 0 changes its
    sign and an item its code. Here it never does.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, n_features)
        The items.
    coef : ndarray of shape (n_features, n_machines)
        The weights.
    center : ndarray of shape (n_features,)
        What is subtracted from each item; for sparse X after the product, so that X stays sparse.
    intercept : ndarray of shape (n_machines,), optional
        The offsets; by default 0.
    dtype : dtype
        The type of the products.
    result_dtype : dtype, optional
        The type of the margins, by default `dtype`.
    block_rows : int, optional
        Rows in a block, 8 or a multiple of it, by default 16 or 64. Short ones are faster for few
        rows; the margins may be rounded differently.

    Returns
    -------
    margins : ndarray of shape (n, n_machines)

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.hash_functions import linear_margins
    >>> linear_margins(np.eye(2), np.ones((2, 1)), np.array([0.5, 0.0]), dtype=float).T
    array([[0.5, 0.5]])
    """
    n_machines = coef.shape[1]
    W, center = padded_columns(coef.astype(dtype, copy=False)), center.astype(dtype)
    offset = np.zeros(W.shape[1], dtype=dtype)
    if intercept is not None:
        offset[:n_machines] = intercept
    if block_rows is None:
        block_rows = _SMALL_ROWS if _SMALL_ROWS * W.size <= _SMALL_PRODUCT else BLOCK_ROWS
        block_rows = min(block_rows, rows_alike(W.dtype))
    n_blocks = None if is_sparse(X) else max(1, _STACK_ENTRIES // (block_rows * len(W)))
    if is_sparse(X):
        offset -= center @ W
    has_offset = offset.any()

    def margins(rows: Any) -> np.ndarray:
        M = rows @ W
        if has_offset:
            M += offset
        return M

    return map_padded_blocks(
        margins,
        X,
        n_machines,
        dtype=dtype,
        result_dtype=result_dtype,
        block_rows=block_rows,
        n_blocks=n_blocks,
        center=center,
    )
