"""Pseudo-labels by distance: the nearest share of a database is relevant to a query."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.rbf import SquaredDistances

_BLOCK_ENTRIES = 2**26  # distances held at once


def nearest_share(X: Any, queries: np.ndarray, database: np.ndarray, share: float) -> sp.csr_array:
    """Tell which database items are among the nearest share to each query.

    Of items at equal distance (as float32) those that come first in the database are taken. X is
    read once, in the order of its rows, so that a memory map of any size will do.

    Parameters
    ----------
    X : array of shape (n, n_features)
        The items.
    queries, database : ndarray of int
        Rows of X.
    share : float
        Of the database; rounded up to whole items.

    Returns
    -------
    relevant : csr_array of bool of shape (n_queries, n_database)

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0], [10.0]])
    >>> nearest_share(X, np.array([0]), np.array([1, 2, 3]), share=0.5).toarray()
    array([[ True,  True, False]])
    """
    n_near = int(np.ceil(round(share * database.size, 9)))
    to_queries = SquaredDistances(X[queries])
    nearest = np.empty((queries.size, 0), dtype=np.uint64)
    by_row = np.argsort(database)
    step = max(1, _BLOCK_ENTRIES // max(queries.size, 1))
    for start in range(0, database.size, step):
        positions = by_row[start : start + step]
        found = _keys(to_queries(X[database[positions]]).T, positions)
        nearest = _smallest(np.concatenate([nearest, found], axis=1), n_near)
    columns = np.sort((nearest & np.uint64(0xFFFFFFFF)).astype(np.int32), axis=1)
    starts = np.arange(queries.size + 1, dtype=np.int64) * columns.shape[1]
    found = np.ones(columns.size, dtype=bool)
    return sp.csr_array((found, columns.ravel(), starts), (queries.size, database.size))


def _keys(D: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return numbers that are in the order of distance, then of position.

    The bits of floats that are not negative are in the order of the floats.

    Examples
    --------
    >>> _keys(np.array([[0.5, 0.25, 0.25]]), np.array([0, 2, 1])).argsort()
    array([[2, 1, 0]])
    """
    bits = np.ascontiguousarray(D, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return (bits << np.uint64(32)) | positions.astype(np.uint64)


def _smallest(keys: np.ndarray, n: int) -> np.ndarray:
    """Return the n smallest of each row, in any order."""
    return keys if keys.shape[1] <= n else np.partition(keys, n - 1, axis=1)[:, :n]
