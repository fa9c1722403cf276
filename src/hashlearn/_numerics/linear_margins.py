"""The margins of linear machines, all of them in one product per block of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn._numerics.arrays import is_sparse
from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.padded_blocks import BLOCK_ROWS, map_padded_blocks, padded_columns

_STACK_ENTRIES = 2**17  # values in the blocks handed over at once: they stay in the cache

# Up to so many multiplications OpenBLAS multiplies without rearranging the matrices first, which
# costs a quarter of the time where there are few machines.
_SMALL_PRODUCT = 10**6
_SMALL_ROWS = 16


@one_blas_thread()
def linear_margins(
    X: Any,
    coef: np.ndarray,
    center: np.ndarray,
    intercept: np.ndarray | None = None,
    *,
    dtype: Any,
    result_dtype: Any = None,
) -> np.ndarray:
    """Return the margins (X - center) @ coef + intercept, each row's from that row alone.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, n_features)
        The items.
    coef : ndarray of shape (n_features, n_machines)
        The weights.
    center : ndarray of shape (n_features,)
        What is taken off each item; off sparse ones after the product, so that they stay sparse.
    intercept : ndarray of shape (n_machines,), optional
        The offsets; 0 if not given.
    dtype : dtype
        The type of the products.
    result_dtype : dtype, optional
        The type of the margins, if another.

    Returns
    -------
    margins : ndarray of shape (n, n_machines)

    Examples
    --------
    >>> linear_margins(np.eye(2), np.ones((2, 1)), np.array([0.5, 0.0]), dtype=float).T
    array([[0.5, 0.5]])
    """
    n_machines = coef.shape[1]
    W, center = padded_columns(coef.astype(dtype, copy=False)), center.astype(dtype)
    offset = np.zeros(W.shape[1], dtype=dtype)
    if intercept is not None:
        offset[:n_machines] = intercept
    block_rows = _SMALL_ROWS if _SMALL_ROWS * W.size <= _SMALL_PRODUCT else BLOCK_ROWS
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
