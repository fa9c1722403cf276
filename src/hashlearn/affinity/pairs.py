"""Affinity from stored pairs: what is not stored is undefined."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from hashlearn.affinity.base import Affinity, Groups, as_positions
from hashlearn.affinity.dense import exchangeable_rows


class SparseAffinity(Affinity):
    """Pairs given in a sparse symmetric matrix of +1 and -1; a missing entry is undefined.

    Parameters
    ----------
    matrix : sparse matrix of shape (n_items, n_items)
        Symmetric; explicit zeros and the diagonal are ignored.

    Examples
    --------
    >>> SparseAffinity.from_pairs([(0, 1, 1), (1, 2, -1)], n_items=4)
    SparseAffinity(4 items, 1 similar and 1 dissimilar pairs)
    """

    complete = False
    cheap_products = False

    def __init__(self, matrix: Any) -> None:
        self.matrix = _checked(matrix)

    @classmethod
    def from_pairs(cls, pairs: ArrayLike, n_items: int) -> Self:
        """Build the affinity from rows (i, j, y), each pair in either order, y = +1 or -1."""
        table = np.asarray(pairs)
        if table.ndim != 2 or table.shape[1] != 3:
            raise ValueError(f"pairs has shape {table.shape}; it takes rows (i, j, y).")
        y = table[:, 2]
        if not np.isin(y, (-1, 1)).all():
            raise ValueError("pairs has a y that is neither +1 nor -1.")
        if not np.equal(table, np.rint(table)).all():
            raise ValueError("pairs has positions that are not integers.")
        i, j = (as_positions(c.astype(np.int64), n_items, "pairs") for c in table.T[:2])
        if (i == j).any():
            raise ValueError("pairs has an item paired with itself.")
        return cls(_symmetric_from_pairs(i, j, y.astype(np.int8), n_items))

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.matrix.shape[0]

    @property
    def n_similar(self) -> int:
        """Number of similar pairs {i, j}."""
        return int((self.matrix.data > 0).sum()) // 2

    @property
    def n_dissimilar(self) -> int:
        """Number of dissimilar pairs {i, j}."""
        return int((self.matrix.data < 0).sum()) // 2

    def _take(self, items: np.ndarray) -> Self:
        return type(self)(self.matrix[items][:, items])

    def block(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return rows of Y as a dense array, the diagonal 0."""
        return self.matrix[np.arange(self.n_items)[rows]].toarray()

    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return y_ij for positions in two arrays of one shape, 0 where i = j."""
        return entries_at(self.matrix, i, j)

    def dot(self, V: np.ndarray) -> np.ndarray:
        """Return the product Y V."""
        return self.matrix @ V

    def has_pairs(self) -> np.ndarray:
        """Tell which items have a stored pair."""
        return np.diff(self.matrix.indptr) > 0

    def copies_are_similar(self) -> np.ndarray:
        """Tell of which items copies are similar: of none, an item says nothing of itself."""
        return np.zeros(self.n_items, dtype=bool)

    def similar_dot(self, V: np.ndarray) -> np.ndarray:
        """Return S V, S the similar pairs alone."""
        return (self.matrix > 0).astype(np.float64) @ V

    def groups(self) -> Groups | None:
        """Return items whose stored pairs are the same."""
        n = self.n_items
        indptr, indices, data = self.matrix.indptr, self.matrix.indices, self.matrix.data

        def key(i: int, diagonal: int) -> bytes:
            row = slice(indptr[i], indptr[i + 1])
            columns, values = indices[row], data[row]
            if diagonal:
                at = np.searchsorted(columns, i)
                columns, values = np.insert(columns, at, i), np.insert(values, at, diagonal)
            return columns.tobytes() + values.tobytes()

        return exchangeable_rows(n, key)


def entries_at(matrix: Any, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Return entries of a sparse matrix as an array, 0 where none is stored."""
    picked = matrix[np.ravel(i), np.ravel(j)]
    dense = picked.toarray() if sp.issparse(picked) else np.asarray(picked)
    return dense.reshape(np.shape(i))


def _checked(matrix: Any) -> sp.csr_array:
    """Return a canonical int8 CSR matrix without diagonal, or say what is wrong."""
    if not sp.issparse(matrix):
        raise TypeError(f"matrix is a {type(matrix).__name__}; it takes a scipy sparse matrix.")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"affinity has shape {matrix.shape}; it must be square.")
    csr = sp.csr_array(matrix, copy=True)
    csr.sum_duplicates()
    if csr.nnz < matrix.nnz:
        raise ValueError("affinity stores a pair more than once.")
    if csr.dtype.kind not in "biuf" or not np.isin(csr.data, (-1, 0, 1)).all():
        raise ValueError(
            "A sparse affinity holds +1 (similar) and -1 (dissimilar) only; "
            "graded values go into a dense affinity."
        )
    csr = csr.astype(np.int8)
    csr.setdiag(0)
    csr.eliminate_zeros()
    csr.sort_indices()
    if (csr != csr.T).nnz:
        raise ValueError("affinity is not symmetric: y_ij must equal y_ji.")
    return csr


def _symmetric_from_pairs(
    i: np.ndarray, j: np.ndarray, y: np.ndarray, n_items: int
) -> sp.csr_array:
    """Return the symmetric matrix of pairs; repeated pairs must agree."""
    low, high = np.minimum(i, j), np.maximum(i, j)
    _, first, which = np.unique(low * n_items + high, return_index=True, return_inverse=True)
    clash = np.flatnonzero(y != y[first][which])
    if clash.size:
        a, b = low[clash[0]], high[clash[0]]
        raise ValueError(f"pairs says both +1 and -1 of the items {a} and {b}.")
    half = sp.csr_array((y[first], (low[first], high[first])), shape=(n_items, n_items))
    return half + half.T
