"""Matrices that are read in blocks of rows, pass after pass: training with bounded memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from hashlearn._numerics.arrays import aligned, float_type, is_sparse
from hashlearn._numerics.padded_blocks import Transform

# A block of features that is read twice in a pass should be in the cache the second time.
_BLOCK_ENTRIES = 2**20

# Features up to this size are kept between passes; larger ones are computed in every pass.
FEATURE_BYTES = 2**30

_SHARD_ROWS = 2048  # fewer are done before a second thread has started
_MAX_SHARDS = 64
_MAX_COUNTED = 100_000  # rows that stand for all where some have weight 0
_BLOCKS_AT_ONCE = 32  # blocks that share a memory limit: one per thread, each with a copy


class RowBlocks:
    """A matrix that is read in blocks of rows, as often as needed.

    Blocks are float64 if X is, else float32; dense X of another type is converted block by block,
    never whole. A `transform`, from a block of X to a dense array of `n_columns` features, runs
    again in every pass. `bounds` are the first row and the one after the last.
    """

    def __init__(
        self,
        X: Any,
        transform: Transform | None = None,
        n_columns: int | None = None,
        block_rows: int | None = None,
        bounds: tuple[int, int] | None = None,
    ) -> None:
        X = X.tocsr() if is_sparse(X) else np.asarray(X)
        self.dtype = float_type(X)
        self.X = X.astype(self.dtype, copy=False) if is_sparse(X) else X
        self.transform = transform
        self.bounds = bounds or (0, self.X.shape[0])
        self.shape = (self.bounds[1] - self.bounds[0], n_columns or self.X.shape[1])
        self.sparse = is_sparse(self.X) and transform is None
        entries = 16 * _BLOCK_ENTRIES if self.sparse else _BLOCK_ENTRIES
        self.block_rows = block_rows or max(256, entries // max(self.shape[1], 1))

    def __iter__(self) -> Iterator[tuple[slice, Any]]:
        first, last = self.bounds
        for start in range(first, last, self.block_rows):
            stop = min(start + self.block_rows, last)
            block = self.X[start:stop].astype(self.dtype, copy=False)
            where = slice(start - first, stop - first)
            yield where, block if self.transform is None else self.transform(block)

    def __reduce__(self) -> tuple[Any, ...]:
        # another process gets only these rows, and their values if X is mapped from a file
        X = self.X[slice(*self.bounds)]
        return _received_rows, (X, self.transform, self.shape[1], self.block_rows)

    def shards(self) -> list[RowBlocks]:
        """Return the rows in shards of nearly equal length.

        Their number depends on the number of rows alone, so that a sum over rows, shard by shard,
        is rounded the same way whatever the number of threads.
        """
        n = self.shape[0]
        n_shards = min(max(1, n // _SHARD_ROWS), _MAX_SHARDS)
        edges = [self.bounds[0] + n * i // n_shards for i in range(n_shards + 1)]
        return [
            RowBlocks(self.X, self.transform, self.shape[1], self.block_rows, (start, stop))
            for start, stop in itertools.pairwise(edges)
        ]

    def within(self, max_bytes: int) -> RowBlocks:
        """Return these rows in blocks such that those of 32 threads together take `max_bytes`."""
        row_bytes = 2 * self.dtype.itemsize * (self.shape[1] + self.X.shape[1])
        block_rows = max(1, max_bytes // (_BLOCKS_AT_ONCE * row_bytes))
        shorter = min(self.block_rows, block_rows)
        return RowBlocks(self.X, self.transform, self.shape[1], shorter, self.bounds)


def _received_rows(X: Any, *arguments: Any) -> RowBlocks:
    return RowBlocks(aligned(X), *arguments)


def feature_blocks(
    X: Any, transform: Transform, n_columns: int, *, limit: int = FEATURE_BYTES
) -> RowBlocks:
    """Return the features of X as `RowBlocks`: computed once if they fit in `limit` bytes."""
    features = RowBlocks(X, transform, n_columns).within(limit or 1)
    if features.shape[0] * n_columns * features.dtype.itemsize > limit:
        return features
    stored = np.empty(features.shape, dtype=features.dtype)
    for rows, block in features:
        stored[rows] = block
    return RowBlocks(stored)


def mean_row(X: Any, weight: np.ndarray | None = None) -> np.ndarray:
    """Return the mean row of dense X, zeros for sparse X, in the type of its blocks."""
    rows = RowBlocks(X)
    total = np.zeros(rows.shape[1])
    if not rows.sparse:
        for where, block in rows:
            total += _weights(where, weight) @ block.astype(np.float64, copy=False)
        total /= rows.shape[0] if weight is None else weight.sum(dtype=np.float64)
    return total.astype(rows.dtype)


def mean_length(X: Any, center: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Return the root mean square length of the centred rows; 1 if all are 0."""
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
    """Return the positions of the items of positive weight."""
    if weight is None:
        return np.arange(n)
    return np.flatnonzero(weight if weight.ndim == 1 else weight.any(axis=1))


def counted_items(
    X: Any, weight: np.ndarray | None, random: np.random.RandomState
) -> tuple[Any, np.ndarray | None]:
    """Return X and weights, or those of a sample of its rows where others have no weight."""
    counted = counted_rows(X.shape[0], weight)
    if weight is None or counted.size == X.shape[0]:
        return X, weight
    if counted.size > _MAX_COUNTED:
        counted = np.sort(random.choice(counted, _MAX_COUNTED, replace=False))
    return X[counted], weight[counted]
