"""Pseudo-labels by distance: the nearest share of a database is relevant to a query."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn.hash_functions.rbf import SquaredDistances

_BLOCK_ENTRIES = 2**25  # distances held at once
_BLOCK_ROWS = 2**13  # database items read at once


def nearest_share(X: Any, queries: np.ndarray, database: np.ndarray, share: float) -> sp.csr_array:
    """Tell which database items are among the nearest share to each query.

    Parameters
    ----------
    X : array of shape (n, n_features)
        The items; a memory map is read block by block.
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
    step = max(1, _BLOCK_ENTRIES // max(database.size, 1))
    blocks = [
        _nearest(_distances(X, queries[start : start + step], database), n_near)
        for start in range(0, queries.size, step)
    ]
    return sp.csr_array(sp.vstack(blocks, format="csr"))


def _distances(X: Any, queries: np.ndarray, database: np.ndarray) -> np.ndarray:
    """Return the squared distances of queries to the whole database."""
    to_queries = SquaredDistances(X[queries])
    D = np.empty((queries.size, database.size), dtype=to_queries.dtype)
    for start in range(0, database.size, _BLOCK_ROWS):
        rows = database[start : start + _BLOCK_ROWS]
        D[:, start : start + rows.size] = to_queries(X[rows]).T
    return D


def _nearest(D: np.ndarray, n_near: int) -> sp.csr_array:
    """Mark the `n_near` smallest of each row; equals at the border by position.

    Examples
    --------
    >>> _nearest(np.array([[2.0, 1.0, 2.0, 2.0]]), 2).toarray()
    array([[ True,  True, False, False]])
    """
    border = np.partition(D, n_near - 1, axis=1)[:, n_near - 1 : n_near]
    nearer, on_border = border > D, border == D
    n_missing = n_near - nearer.sum(axis=1, keepdims=True)
    on_border &= np.cumsum(on_border, axis=1) <= n_missing
    return sp.csr_array(nearer | on_border)
