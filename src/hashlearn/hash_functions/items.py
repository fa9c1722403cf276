"""Facts about training items that are gathered in blocks, whatever their number type."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from hashlearn._numerics.arrays import is_sparse
from hashlearn._numerics.row_blocks import RowBlocks

_MAX_COUNTED = 100_000  # items that stand for all where some have weight 0


def mean_row(X: Any, weight: np.ndarray | None = None) -> np.ndarray:
    """Return the mean row of dense X, zeros for sparse X, in the type of its blocks.

    Examples
    --------
    >>> mean_row(np.array([[0], [3]], dtype=np.uint8), np.array([2.0, 1.0]))
    array([1.], dtype=float32)
    """
    rows = RowBlocks(X)
    total = np.zeros(rows.shape[1])
    if not rows.sparse:
        for where, block in rows:
            total += _weights(where, weight) @ block.astype(np.float64, copy=False)
        total /= rows.shape[0] if weight is None else weight.sum(dtype=np.float64)
    return total.astype(rows.dtype)


def mean_length(X: Any, center: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Root mean square length of the centred rows; 1 if all are 0."""
    total = 0.0
    for where, block in RowBlocks(X):
        squares = row_norms(block if is_sparse(block) else block - center, squared=True)
        total += float(_weights(where, weight) @ squares.astype(np.float64))
    mass = X.shape[0] if weight is None else float(weight.sum(dtype=np.float64))
    return float(np.sqrt(total / mass)) or 1.0


def _weights(where: slice, weight: np.ndarray | None) -> np.ndarray:
    if weight is None:
        return np.ones(where.stop - where.start)
    return weight[where].astype(np.float64, copy=False)


def counted_rows(n: int, weight: np.ndarray | None) -> np.ndarray:
    """Return the numbers of the items of positive weight."""
    if weight is None:
        return np.arange(n)
    return np.flatnonzero(weight if weight.ndim == 1 else weight.any(axis=1))


def counted_items(X: Any, weight: np.ndarray | None, random: np.random.RandomState) -> Any:
    """Return X, or a sample of its rows of positive weight where others have none."""
    counted = counted_rows(X.shape[0], weight)
    if counted.size == X.shape[0]:
        return X
    if counted.size > _MAX_COUNTED:
        counted = np.sort(random.choice(counted, _MAX_COUNTED, replace=False))
    return X[counted]
