"""Queries and a database of vectors, whose own ranking codes are compared with."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from hashlearn._numerics.checks import Metric, check_number_radius, check_option
from hashlearn.metrics._blocks import RankingBlock, RealRankingBlock
from hashlearn.metrics._pairs import Pairs

ROUNDING = 1e-6  # of usual distances: what single precision may put between equal ones
N_USUAL = 1_000  # vectors that tell what is usual


class VectorQueries:
    """Queries that a measure compares with the vectors of a database, not with codes.

    Measures accept them in place of packed codes, with the vectors of the database in place of its
    codes: so codes are compared with the ranking that they stand for, by the same rules.

    Parameters
    ----------
    vectors : array-like or sparse matrix of shape (n_queries, n_features)
        The queries.
    metric : {"cosine", "inner_product", "euclidean"}, default="cosine"
        What ranks the database: the largest cosine or inner product, or the smallest distance.

    Examples
    --------
    >>> from hashlearn.metrics import VectorQueries, precision_at_k
    >>> queries = VectorQueries([[1.0, 0.0]])
    >>> precision_at_k(queries, [[2.0, 0.1], [0.0, 1.0]], [[True, False]], k=1)
    array([1.])
    """

    def __init__(self, vectors: Any, metric: Metric = "cosine") -> None:
        check_option("metric", metric, Metric)
        self.vectors, self.metric = _checked(vectors, "vectors"), metric

    def __len__(self) -> int:
        return self.vectors.shape[0]

    def __getitem__(self, rows: slice | np.ndarray) -> VectorQueries:
        """Return some of the queries."""
        taken = self.__class__.__new__(self.__class__)
        taken.vectors, taken.metric = self.vectors[rows], self.metric
        return taken

    def pairs_with(self, database: Any) -> Pairs:
        """Return the pairs of queries and database vectors, for a measure."""
        return _VectorPairs(self, _checked(database, "the database"))

    @property
    def sizes(self) -> np.ndarray:
        """The size of the terms of each query's nearness to what is near, which are rounded."""
        if self.metric == "inner_product":
            return np.zeros(len(self))  # those of the nearness itself
        if self.metric == "cosine":
            return np.ones(len(self))
        centred = self.vectors if _is_sparse(self.vectors) else self.vectors - self._centre
        return _squared_lengths(centred)

    @property
    def _centre(self) -> np.ndarray:
        return self.vectors.mean(axis=0)

    def nearness(self, database: Any) -> np.ndarray:
        """Return how near vectors are to each query: larger is nearer.

        Parameters
        ----------
        database : array or sparse matrix of shape (n, n_features)
            The vectors.

        Returns
        -------
        nearness : ndarray of shape (n_queries, n)
            The cosine, the inner product, or the negative squared distance.
        """
        queries = self.vectors
        if self.metric == "cosine":  # squares of very small or large values have no digits
            queries, database = _rescaled(queries), _rescaled(database)
        if self.metric == "euclidean" and not _is_sparse(queries) and not _is_sparse(database):
            # far from the origin, products lose their digits
            queries, database = queries - self._centre, database - self._centre
        with np.errstate(over="ignore", invalid="ignore"):
            products = queries @ database.T
        products = products.toarray() if _is_sparse(products) else np.asarray(products)
        if self.metric == "cosine":
            products /= _lengths(queries)[:, None]
            products /= _lengths(database)[None, :]
        elif self.metric == "euclidean":
            products *= 2
            products -= _squared_lengths(queries)[:, None]
            products -= _squared_lengths(database)[None, :]
        if not np.isfinite(products.sum(dtype=np.float64)):
            raise ValueError("vectors are too large for their products: scale them.")
        return products


class _VectorPairs(Pairs):
    """Pairs of vectors, whose distances are equal up to the rounding of their products."""

    default_radius = None
    n_bits = 0

    def __init__(self, queries: VectorQueries, database: Any) -> None:
        self.n_queries, self.n_database = len(queries), database.shape[0]
        if queries.vectors.shape[1] != database.shape[1]:
            raise ValueError(
                f"queries have {queries.vectors.shape[1]} features, the database has "
                f"{database.shape[1]}."
            )
        self._queries, self._database = queries, database

    def block(
        self, start: int, stop: int, relevance: np.ndarray, order: np.ndarray | None
    ) -> RankingBlock:
        """Return the rankings of some queries."""
        distances = -self._queries[start:stop].nearness(self._database).astype(np.float64)
        least, largest = distances.min(initial=0.0), distances.max(initial=0.0)
        some = np.abs(distances[:, :: max(1, self.n_database // N_USUAL)])
        usual = [np.median(row[row > 0]) if row.any() else 0.0 for row in some]
        size = (largest - least) or 1.0
        return RealRankingBlock(
            distances,
            relevance,
            self.n_bits,
            order,
            tolerance=ROUNDING * (np.array(usual) + self._queries[start:stop].sizes),
            largest=float(largest),
            scaled=lambda values: (values - least) / size,
        )

    def check_radius(self, radius: Any) -> None:
        """Raise if `radius` is not a number."""
        check_number_radius(radius)


def _checked(vectors: Any, name: str) -> Any:
    from sklearn.utils import check_array  # takes a second; other measures do without

    return check_array(
        vectors, accept_sparse="csr", dtype=(np.float32, np.float64), input_name=name
    )


def _is_sparse(values: Any) -> bool:
    return sparse.issparse(values)


def _rescaled(vectors: Any) -> Any:
    """Return vectors divided by their largest value if that is far from 1."""
    values = vectors.data if _is_sparse(vectors) else vectors
    largest = max(float(values.max(initial=0)), -float(values.min(initial=0)))
    return vectors if largest == 0 or 1e-8 < largest < 1e8 else vectors / values.dtype.type(largest)


def _squared_lengths(vectors: Any) -> np.ndarray:
    if _is_sparse(vectors):
        return np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", vectors, vectors)


def _lengths(vectors: Any) -> np.ndarray:
    """Return the lengths of rows, 1 for a row of zeros, whose cosine is then 0."""
    lengths = np.sqrt(_squared_lengths(vectors))
    return np.where(lengths > 0, lengths, 1)
