"""Affinity from the data itself: near neighbours are similar, all others dissimilar."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from hashlearn._numerics.integer_products import pattern_dot
from hashlearn.affinity._neighbor_search import index_dtype, nearest_graph
from hashlearn.affinity._sampling import Partners, StoredPartners
from hashlearn.affinity._shared import entries_at, zero_diagonal
from hashlearn.affinity.base import Affinity
from hashlearn.affinity.pairs import SparseAffinity

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
    similar_pairs : csr_array of int8, of shape (n_items, n_items)
        1 where two items are similar; rows sorted, nothing else stored.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.affinity import NeighborAffinity
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> NeighborAffinity.from_data(X, n_neighbors=1).block([0])
    array([[ 0,  1, -1, -1]], dtype=int8)
    """

    similar_pairs: sp.csr_array

    def __init__(self, graph: Any) -> None:
        if not sp.issparse(graph) or graph.shape[0] != graph.shape[1]:
            raise ValueError("graph must be a square scipy sparse matrix of neighbours.")
        self.similar_pairs = _either_way(graph)

    @classmethod
    def from_data(
        cls,
        X: Any,
        *,
        n_neighbors: int | None = None,
        fraction: float | None = None,
        search: str = "auto",
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> Self:
        """Build the affinity from the Euclidean neighbours within X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
            The items; memory-mapped float32 is not copied whole. The search needs floats:
            integers and float16 are copied as float32.
        n_neighbors : int, default=None
            The number of nearest items that are similar to each; at most n_items - 1 are used.
        fraction : float in (0, 1), default=None
            The same as a share of the items. If neither is given: the paper's nearest 2
            percent, but at most 100 items.
        search : {"auto", "exact", "approximate"}, default="auto"
            "exact" compares all pairs, in blocks; "approximate" is pynndescent (extra `graph`),
            which misses a few neighbours in a hundred. "auto" is exact up to 50,000 items.
        random_state : int, RandomState or None, default=0
            Seed of the approximate search.
        n_jobs : int, default=None
            Threads for the exact search. The approximate search uses one thread: with several,
            its result would depend on their number.
        verbose : int, default=0
            If above 0, the approximate search shows its progress on standard error. Ctrl-C waits
            for its compiled loop to end.

        Examples
        --------
        >>> import numpy as np
        >>> from hashlearn.affinity import NeighborAffinity
        >>> X = np.random.default_rng(0).normal(size=(100, 8))
        >>> NeighborAffinity.from_data(X, n_neighbors=5, search="exact").n_items
        100
        """
        X = check_array(X, accept_sparse="csr", ensure_min_samples=2)
        k = _neighbor_count(X.shape[0], n_neighbors, fraction)
        return cls(
            nearest_graph(
                X, k, search=search, random_state=random_state, n_jobs=n_jobs, verbose=verbose
            )
        )

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.similar_pairs.shape[0]

    @property
    def n_similar(self) -> int:
        """Number of similar pairs {i, j}."""
        return self.similar_pairs.nnz // 2

    def _take(self, items: np.ndarray) -> Self:
        own = sp.eye_array(self.n_items, dtype=np.int8, format="csr")  # copies are similar
        return type(self)((self.similar_pairs + own)[items][:, items])

    def block(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return rows of Y as a dense array, the diagonal 0."""
        items = np.arange(self.n_items)[rows]
        block = 2 * self.similar_pairs[items].toarray().astype(np.int8) - np.int8(1)
        return zero_diagonal(block, rows)

    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return y_ij for positions in two arrays of one shape, 0 where i = j."""
        near = entries_at(self.similar_pairs, i, j) > 0
        return np.where(i == j, np.int8(0), np.where(near, np.int8(1), np.int8(-1)))

    def dot(self, V: np.ndarray) -> np.ndarray:
        """Return the product Y V = 2 S V - 1 (1^T V) + V; it costs O(nnz + n) per column."""
        near = pattern_dot(self.similar_pairs, V) if V.ndim == 1 else self.similar_pairs @ V
        return 2 * near - V.sum(axis=0) + V

    def sample_pairs(self, random_state: np.random.RandomState) -> SparseAffinity:
        """Return all similar pairs and a sample of dissimilar ones."""
        n = self.n_items
        size = min(DISSIMILAR_PER_SIMILAR * self.n_similar, MAX_SAMPLED_PAIRS)
        drawn = random_state.randint(n, size=(2, size), dtype=np.int32)
        far = _either_way(sp.coo_array((np.ones(size, dtype=bool), drawn), shape=(n, n)))
        pairs = 2 * self.similar_pairs - far  # 2 or 1 where similar, drawn or not; else -1
        np.sign(pairs.data, out=pairs.data)
        sampled = SparseAffinity.__new__(SparseAffinity)  # its checks would double the memory
        sampled.stored_pairs = pairs
        return sampled

    def _partners(self, sign: int) -> Partners:
        return StoredPartners(self.similar_pairs) if sign > 0 else super()._partners(sign)


def _either_way(graph: Any) -> sp.csr_array:
    """Return where a matrix or its transpose is not 0, the diagonal left out, as ones of int8."""
    csr = sp.csr_array(graph)
    places = (
        part.astype(index_dtype(2 * csr.nnz), copy=False) for part in (csr.indices, csr.indptr)
    )
    near = sp.csr_array((csr.data != 0, *places), shape=csr.shape)
    if not near.has_canonical_format:
        near = near.copy()  # the given graph stays as it was
        near.sum_duplicates()  # among booleans a sum is "or"
    near.data = near.data.view(np.int8)
    diagonal = near.diagonal()
    if diagonal.any():
        near = near - sp.diags_array(diagonal, dtype=np.int8, format="csr")
    either = near + near.T  # stores no zeros
    either.data.fill(1)
    return either


def _neighbor_count(n_items: int, n_neighbors: int | None, fraction: float | None) -> int:
    """Return the number of neighbours of each item that count as similar."""
    if n_neighbors is not None and fraction is not None:
        raise ValueError("Give n_neighbors or fraction, not both.")
    if n_neighbors is not None:
        if n_neighbors < 1:
            raise ValueError(f"n_neighbors must be at least 1; got {n_neighbors}.")
        return min(n_neighbors, n_items - 1)
    if fraction is not None and not 0 < fraction < 1:
        raise ValueError(f"fraction must be in (0, 1); got {fraction!r}.")
    # rounded first: 0.07 * 100 is a little more than 7 in floats
    count = int(np.ceil(round((fraction or NEAREST_FRACTION) * n_items, 9)))
    if fraction is None:
        count = min(count, MAX_DEFAULT_NEIGHBORS)
    return min(max(count, 1), n_items - 1)
