"""Matrices that are read in row blocks, pass after pass: training with bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hashlearn.hash_functions.blocks import Transform, as_rows, is_sparse

# A block of features that is read twice per pass should still be in the cache the second time.
_BLOCK_ENTRIES = 2**20

# Features up to this size are kept between passes; larger ones are computed in every pass.
FEATURE_BYTES = 2**30


class Rows:
    """A matrix that is read in row blocks, as often as needed.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, n_features)
        The rows; with a `transform`, what it turns into rows.
    transform : callable, optional
        From a block of X to a dense array of `n_columns` features. It runs anew in every pass.
    n_columns : int, optional
        The number of features that `transform` returns.
    block_rows : int, optional
        The number of rows in each block but the last.

    Examples
    --------
    >>> rows = Rows(np.ones((3, 2)), block_rows=2)
    >>> [block.shape for _, block in rows]
    [(2, 2), (1, 2)]
    """

    def __init__(
        self,
        X: Any,
        transform: Transform | None = None,
        n_columns: int | None = None,
        block_rows: int | None = None,
    ) -> None:
        self.X = as_rows(X)
        self.transform = transform
        self.shape = (self.X.shape[0], n_columns or self.X.shape[1])
        self.dtype = self.X.dtype
        self.sparse = is_sparse(self.X) and transform is None
        entries = 16 * _BLOCK_ENTRIES if self.sparse else _BLOCK_ENTRIES
        self.block_rows = block_rows or max(256, entries // max(self.shape[1], 1))

    def __iter__(self) -> Iterator[tuple[slice, Any]]:
        for start in range(0, self.shape[0], self.block_rows):
            rows = slice(start, min(start + self.block_rows, self.shape[0]))
            block = self.X[rows]
            yield rows, block if self.transform is None else self.transform(block)


def feature_rows(
    X: Any, transform: Transform, n_columns: int, *, limit: int = FEATURE_BYTES
) -> Rows:
    """Return the features of X as `Rows`: computed once if they fit in `limit` bytes."""
    features = Rows(X, transform, n_columns)
    if features.shape[0] * n_columns * features.dtype.itemsize > limit:
        return features
    stored = np.empty(features.shape, dtype=features.dtype)
    for rows, block in features:
        stored[rows] = block
    return Rows(stored)
