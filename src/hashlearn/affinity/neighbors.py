"""Affinity from the data itself: near neighbours are similar, all other pairs are not."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array

from hashlearn.affinity.base import Affinity, zero_diagonal
from hashlearn.affinity.pairs import SparseAffinity, entries_at

NEAREST_FRACTION = 0.02  # the paper's rule for data without labels
DISSIMILAR_PER_SIMILAR = 15  # pairs drawn where not all fit
MAX_SAMPLED_PAIRS = 30_000_000  # about 2.5 GB in Step 1
MAX_DEFAULT_NEIGHBORS = 100  # keeps the default graph linear in n


class NeighborAffinity(Affinity):
    """Items are similar if either is among the other's nearest, else dissimilar.

    Parameters
    ----------
    graph : sparse matrix of shape (n_items, n_items)
        Non-zero where j is among the nearest of i; made symmetric here.

    Attributes
    ----------
    similar : csr_array of shape (n_items, n_items)
        1 where two items are similar.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> NeighborAffinity.from_data(X, n_neighbors=1).block([0])
    array([[ 0,  1, -1, -1]], dtype=int8)
    """

    def __init__(self, graph: Any) -> None:
        if not sp.issparse(graph) or graph.shape[0] != graph.shape[1]:
            raise ValueError("graph must be a square scipy sparse matrix of neighbours.")
        similar = sp.csr_array(graph, copy=True)
        similar.setdiag(0)
        similar = similar + similar.T
        similar.eliminate_zeros()
        similar.data = np.ones_like(similar.data, dtype=np.float32)
        self.similar = similar

    @classmethod
    def from_data(
        cls,
        X: Any,
        *,
        n_neighbors: int | None = None,
        fraction: float | None = None,
        n_jobs: int | None = None,
    ) -> Self:
        """Build the affinity from the Euclidean neighbours within X, in chunks.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
            The items.
        n_neighbors : int, default=None
            How many nearest items of each are similar to it; shrinks to n_items - 1.
        fraction : float in (0, 1), default=None
            The same as a share of the items. If neither is given: the paper's nearest 2
            percent, but at most 100 items.
        n_jobs : int, default=None
            Threads for the search.
        """
        X = check_array(X, accept_sparse="csr", ensure_min_samples=2)
        k = _neighbor_count(X.shape[0], n_neighbors, fraction)
        search = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=n_jobs).fit(X)
        return cls(search.kneighbors_graph())  # items are not their own neighbours here

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.similar.shape[0]

    @property
    def n_similar(self) -> int:
        """Number of similar pairs {i, j}."""
        return self.similar.nnz // 2

    @property
    def n_dissimilar(self) -> int:
        """Number of dissimilar pairs {i, j}."""
        return self.n_items * (self.n_items - 1) // 2 - self.n_similar

    def _take(self, items: np.ndarray) -> Self:
        own = sp.eye_array(self.n_items, dtype=np.float32, format="csr")  # copies are similar
        return type(self)((self.similar + own)[items][:, items])

    def block(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return rows of Y as a dense array, the diagonal 0."""
        items = np.arange(self.n_items)[rows]
        block = 2 * self.similar[items].toarray().astype(np.int8) - np.int8(1)
        return zero_diagonal(block, rows)

    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return y_ij for positions in two arrays of one shape, 0 where i = j."""
        near = entries_at(self.similar, i, j) > 0
        return np.where(i == j, np.int8(0), np.where(near, np.int8(1), np.int8(-1)))

    def dot(self, V: np.ndarray) -> np.ndarray:
        """Return the product Y V = 2 S V - 1 (1^T V) + V; it costs O(nnz + n) per column."""
        return 2 * (self.similar @ V) - V.sum(axis=0) + V

    def sample_pairs(self, random_state: np.random.RandomState) -> SparseAffinity:
        """Return all similar pairs and a sample of dissimilar ones."""
        n = self.n_items
        size = min(DISSIMILAR_PER_SIMILAR * self.n_similar, MAX_SAMPLED_PAIRS)
        i, j = random_state.randint(n, size=(2, size))
        far = sp.csr_array((np.ones(i.size, dtype=np.int8), (i, j)), shape=(n, n))
        far = ((far + far.T) > 0).astype(np.int8)
        near = (self.similar > 0).astype(np.int8)
        far = far - far.multiply(near)
        far.setdiag(0)
        return SparseAffinity(sp.csr_array(near - far))


def _neighbor_count(n_items: int, n_neighbors: int | None, fraction: float | None) -> int:
    """Return how many neighbours of each item count as similar."""
    if n_neighbors is not None and fraction is not None:
        raise ValueError("Give n_neighbors or fraction, not both.")
    if n_neighbors is not None:
        if n_neighbors < 1:
            raise ValueError(f"n_neighbors={n_neighbors} is less than 1.")
        return min(n_neighbors, n_items - 1)
    if fraction is not None and not 0 < fraction < 1:
        raise ValueError(f"fraction={fraction!r} is not in (0, 1).")
    # rounded first: 0.07 * 100 is a little more than 7 in floats
    count = int(np.ceil(round((fraction or NEAREST_FRACTION) * n_items, 9)))
    if fraction is None:
        count = min(count, MAX_DEFAULT_NEIGHBORS)
    return min(max(count, 1), n_items - 1)
