"""Copies of an item as one item that counts as often: weights and repetition become the same."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from hashlearn._numerics.arrays import is_sparse

_MAX_ITEMS = 20_000  # among more, copies are not looked for: it would read, and copy, all items


def counted_only(
    X: Any, codes: np.ndarray, weight: np.ndarray | None
) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """Leave out the items of weight 0."""
    if weight is None or weight.ndim == 2 or weight.all():
        return X, codes, weight
    counted = np.flatnonzero(weight)
    return _rows(X, counted), codes[counted], weight[counted]


def merge_copies(
    X: Any, codes: np.ndarray, weight: np.ndarray | None
) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """Return the distinct pairs of item and code, with the sums of their weights.

    If the weights differ, the order of the items depends on the items alone, so that nothing drawn
    later can tell weights from copies, or one order from another. Otherwise the order stays.
    """
    if codes.shape[0] > _MAX_ITEMS or (weight is not None and weight.ndim == 2):
        return X, codes, weight
    _, first, which = np.unique(_digests(X, codes), return_index=True, return_inverse=True)
    total = np.bincount(which, weight).astype(np.float64)
    if np.ptp(total) == 0:
        if first.size == codes.shape[0]:
            return X, codes, weight
        first = np.sort(first)
    return _rows(X, first), codes[first], total


def _digests(X: Any, codes: np.ndarray) -> np.ndarray:
    """Return a number for every pair of item and code; two that differ share none (p < 1e-10)."""
    if is_sparse(X):
        X = X.tocsr(copy=True)
        X.sum_duplicates()  # and sorts the columns
        rows: list[Any] = [
            (X.indices[i:j], X.data[i:j]) for i, j in zip(X.indptr, X.indptr[1:], strict=False)
        ]
    else:
        rows = [(row,) for row in np.asarray(X)]
    digests = b"".join(
        hashlib.blake2b(b"".join(part.tobytes() for part in (code, *row)), digest_size=8).digest()
        for code, row in zip(np.asarray(codes), rows, strict=True)
    )
    return np.frombuffer(digests, dtype=np.uint64)


def _rows(X: Any, items: np.ndarray) -> Any:
    return _safe_indexing(X.tocsr() if is_sparse(X) else X, items)
