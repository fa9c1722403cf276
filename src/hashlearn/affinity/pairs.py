"""Affinity from stored pairs: all others are undefined."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from hashlearn._numerics.arrays import int32_indices
from hashlearn.affinity._sampling import Partners, StoredPartners
from hashlearn.affinity._shared import Groups, check_square, entries_at, exchangeable_rows
from hashlearn.affinity.base import Affinity


class SparseAffinity(Affinity):
    """Pairs given in a sparse symmetric matrix of +1 and -1; a missing entry is undefined.

    Parameters
    ----------
    matrix : sparse matrix of shape (n_items, n_items)
        Symmetric; explicit zeros and the diagonal are ignored.

    Attributes
    ----------
    stored_pairs : csr_array of int8, of shape (n_items, n_items)
        +1 and -1 at the stored pairs, rows sorted.

    Examples
    --------
    >>> from hashlearn.affinity import SparseAffinity
    >>> SparseAffinity.from_pairs([(0, 1, 1), (1, 2, -1)], n_items=4)
    SparseAffinity(4 items, 1 similar and 1 dissimilar pairs)
    """

    complete = False
    cheap_products = False

    stored_pairs: sp.csr_array

    def __init__(self, matrix: Any) -> None:
        self.stored_pairs = _checked(matrix)

    @classmethod
    def from_pairs(cls, pairs: ArrayLike, n_items: int) -> Self:
        """Build the affinity from rows (i, j, y), each pair in either order, y = +1 or -1."""
        table = np.asarray(pairs)
        if table.ndim != 2 or table.shape[1] != 3:
            raise ValueError(f"pairs must be rows (i, j, y); got shape {table.shape}.")
        y = table[:, 2]
        if not np.isin(y, (-1, 1)).all():
            raise ValueError("pairs must have y = +1 or -1 in every row.")
        if not np.equal(table, np.rint(table)).all():
            raise ValueError("pairs must have integer positions.")
        i, j = (_as_positions(c, n_items) for c in table.T[:2])
        if (i == j).any():
            raise ValueError("pairs must not pair an item with itself.")
        return cls(_symmetric_from_pairs(i, j, y.astype(np.int8), n_items))

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.stored_pairs.shape[0]

    @property
    def n_similar(self) -> int:
        """Number of similar pairs {i, j}."""
        return int((self.stored_pairs.data > 0).sum()) // 2

    @property
    def n_dissimilar(self) -> int:
        """Number of dissimilar pairs {i, j}."""
        return int((self.stored_pairs.data < 0).sum()) // 2

    def _take(self, items: np.ndarray) -> Self:
        return type(self)(self.stored_pairs[items][:, items])

    def block(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return rows of Y as a dense array, the diagonal 0."""
        return self.stored_pairs[np.arange(self.n_items)[rows]].toarray()

    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return y_ij for positions in two arrays of one shape, 0 where i = j."""
        return entries_at(self.stored_pairs, i, j)

    def dot(self, V: np.ndarray) -> np.ndarray:
        """Return the product Y V."""
        return self.stored_pairs @ V

    def has_pairs(self) -> np.ndarray:
        """Return which items have a stored pair."""
        return np.diff(self.stored_pairs.indptr) > 0

    def copies_are_similar(self) -> np.ndarray:
        """Return all False: pairs say nothing about an item and itself."""
        return np.zeros(self.n_items, dtype=bool)

    def similar_dot(self, V: np.ndarray) -> np.ndarray:
        """Return S V, S the similar pairs alone."""
        return (self.stored_pairs > 0).astype(np.float64) @ V

    def groups(self) -> Groups | None:
        """Return groups of items whose stored pairs are the same."""
        Y = self.stored_pairs
        indptr, indices, data = Y.indptr, Y.indices, Y.data

        def key(i: int, diagonal: int) -> bytes:
            row = slice(indptr[i], indptr[i + 1])
            columns, values = indices[row], data[row]
            if diagonal:
                at = np.searchsorted(columns, i)
                columns, values = np.insert(columns, at, i), np.insert(values, at, diagonal)
            return columns.tobytes() + values.tobytes()

        return exchangeable_rows(self.n_items, key)

    def _partners(self, sign: int) -> Partners:
        stored = sign * self.stored_pairs
        stored.data = np.maximum(stored.data, 0)
        stored.eliminate_zeros()
        return StoredPartners(stored)


def _checked(matrix: Any) -> sp.csr_array:
    """Return a canonical int8 CSR matrix without diagonal; raise if it is not an affinity."""
    if not sp.issparse(matrix):
        raise TypeError(f"matrix must be a scipy sparse matrix; got a {type(matrix).__name__}.")
    check_square(matrix.shape, "SparseAffinity")
    csr = sp.csr_array(matrix, copy=True)
    csr.sum_duplicates()
    if csr.nnz < matrix.nnz:
        raise ValueError("affinity stores a pair more than once.")
    if csr.dtype.kind not in "biuf" or not np.isin(csr.data, (-1, 0, 1)).all():
        raise ValueError(
            "A sparse affinity must hold +1 (similar) and -1 (dissimilar) only; "
            "give graded values as a dense affinity."
        )
    csr = csr.astype(np.int8)
    csr.setdiag(0)
    csr.eliminate_zeros()
    csr.sort_indices()
    if (csr != csr.T).nnz:
        raise ValueError("affinity is not symmetric: y_ij must equal y_ji.")
    is_wide = csr.indices.dtype != np.int32 and csr.nnz <= np.iinfo(np.int32).max
    return int32_indices(csr) if is_wide else csr  # one type to compile


def _symmetric_from_pairs(
    i: np.ndarray, j: np.ndarray, y: np.ndarray, n_items: int
) -> sp.csr_array:
    """Return the symmetric matrix of pairs; repeated pairs must agree."""
    low, high = np.minimum(i, j), np.maximum(i, j)
    _, first, which = np.unique(low * n_items + high, return_index=True, return_inverse=True)
    clash = np.flatnonzero(y != y[first][which])
    if clash.size:
        a, b = low[clash[0]], high[clash[0]]
        raise ValueError(f"pairs has both +1 and -1 for the items {a} and {b}.")
    half = sp.csr_array((y[first], (low[first], high[first])), shape=(n_items, n_items))
    return half + half.T


def _as_positions(items: np.ndarray, n_items: int) -> np.ndarray:
    """Return item positions as int64, checked to lie in [0, n_items)."""
    items = items.astype(np.int64)
    if items.size and (items.min() < 0 or items.max() >= n_items):
        raise ValueError(
            f"pairs must have positions from 0 to {n_items - 1} (n_items={n_items}); "
            f"got {items.min()} to {items.max()}."
        )
    return items
