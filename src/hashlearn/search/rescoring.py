"""Rescoring: the candidates of a Hamming search ordered again, by real numbers instead of bits.

A Hamming search finds `oversample` times k candidates; a rescoring orders them again, and the
first k remain. `VectorRescoring` reads the candidates' vectors, `MarginRescoring` only their bits.
"""

from __future__ import annotations

import mmap
from abc import ABC, abstractmethod
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import Metric, check_option
from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.ids import NOT_FOUND, Ids
from hashlearn.search._kernels.floats import write_pair_costs
from hashlearn.search.float_queries import FloatQueries

BLOCK_BYTES = 1 << 26  # of vectors held at once


class Rescoring(ABC):
    """A finer distance between queries and the candidates of a Hamming search."""

    n_queries: int  # those of the search, in its order
    needs_codes = False  # whether `scores` reads the candidates' codes

    def check(self, n_queries: int, n_bits: int) -> None:
        """Raise if the rescoring does not fit a search; called before it."""
        if n_queries != self.n_queries:
            raise ValueError(f"rescore has {self.n_queries} queries; the search has {n_queries}.")

    @abstractmethod
    def scores(self, queries: np.ndarray, ids: np.ndarray, codes: Any) -> np.ndarray:
        """Return the scores of pairs, (n_pairs,) float64; smaller is nearer.

        Parameters
        ----------
        queries : ndarray of shape (n_pairs,), int64
            Each pair's query, increasing.
        ids : ndarray of shape (n_pairs,), int64 or text
            Each pair's candidate.
        codes : ndarray of shape (n_pairs, width), uint8, or None
            The candidates' packed codes; None unless `needs_codes`.
        """


class VectorRescoring(Rescoring):
    """Order candidates by exact distance to vectors that you hold.

    Distances are computed in float64 for vectors of any type. Only the candidates' rows are read,
    in increasing order, at most 64 MiB at once.

    Parameters
    ----------
    queries : array-like of shape (n_queries, n_features)
        The vectors of the queries.
    vectors : array-like of shape (n, n_features), or callable
        The vectors of the items, a row for each of `ids`; a memory-mapped array stays on disk. A
        callable gets distinct increasing ids, (c,) int64 or text, and returns (c, n_features).
    ids : array-like of shape (n,), optional
        The ids of the rows, integers or text as in the index; by default row i belongs to id i.
    metric : {"euclidean", "cosine", "inner_product"}, default="euclidean"
        What orders: the Euclidean distance, 1 - cosine, or minus the inner product.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn import VectorRescoring
    >>> rescoring = VectorRescoring([[0.0, 0.0]], np.array([[3.0, 4.0], [1.0, 0.0]]))
    >>> rescoring.scores(np.array([0, 0]), np.array([0, 1]), None)
    array([5., 1.])
    >>> rescoring = VectorRescoring([[0.0, 0.0]], [[3.0, 4.0], [1.0, 0.0]], ids=["a", "b"])
    >>> rescoring.scores(np.array([0, 0]), np.array(["b", "a"], dtype=object), None)
    array([1., 5.])
    """

    def __init__(
        self, queries: ArrayLike, vectors: Any, ids: Any = None, *, metric: Metric = "euclidean"
    ) -> None:
        check_option("metric", metric, Metric)
        self.metric = metric
        self.queries = _finite_rows(queries, "queries")
        if metric == "cosine":
            self.queries = _unit_rows(self.queries)
        self.n_queries, self.n_features = self.queries.shape
        if callable(vectors):
            if ids is not None:
                raise ValueError("ids go with an array of vectors; a callable gets the ids itself.")
            self._rows_of = vectors
        else:
            self.vectors = np.asarray(vectors)
            self._check_rows(self.vectors, self.vectors.shape[:1])
            self._ids = Ids().appended(len(self.vectors), ids)
            self._rows_of = self._rows_of_array

    def scores(self, queries: np.ndarray, ids: np.ndarray, codes: Any) -> np.ndarray:
        """Return the distances of pairs."""
        write = _write_distances if self.metric == "euclidean" else _write_negative_products
        queries = np.ascontiguousarray(queries)  # one type to compile, here and below
        wanted, rows = np.unique(ids, return_inverse=True)
        scores = np.empty(ids.size)
        step = max(1, BLOCK_BYTES // (8 * self.n_features))
        for first in range(0, wanted.size, step):
            vectors = self._vectors(wanted[first : first + step])
            write(queries, rows - first, self.queries, vectors, scores)
        wrong = ~np.isfinite(scores)
        if wrong.any():
            raise ValueError(
                f"vectors is not finite, or too large to square, at id {ids[wrong][0]}."
            )
        return 1 + scores if self.metric == "cosine" else scores

    def _vectors(self, ids: np.ndarray) -> np.ndarray:
        """Return the rows of distinct ids, as float32 where it holds them without loss."""
        rows = np.asarray(self._rows_of(ids))
        self._check_rows(rows, ids.shape)
        if self.metric == "cosine":
            return _unit_rows(rows)
        small = np.can_cast(rows.dtype, np.float32)
        return np.ascontiguousarray(rows, dtype=np.float32 if small else np.float64)

    def _rows_of_array(self, ids: np.ndarray) -> np.ndarray:
        try:
            rows = self._ids.find(ids)
        except ValueError:  # text where the rows have integers, or the other way round
            rows = np.full(ids.shape, NOT_FOUND)
        unknown = ids[rows == NOT_FOUND].tolist()
        if unknown:
            raise ValueError(
                f"vectors has {len(self.vectors)} rows, but none for id {unknown[0]!r} of the "
                "index; give the ids of its rows (by default 0, 1, 2, ...), or a callable."
            )
        return _take_rows(self.vectors, rows)

    def _check_rows(self, rows: np.ndarray, count: tuple[int, ...]) -> None:
        if (
            rows.shape != (*count, self.n_features)
            or rows.ndim != 2
            or rows.dtype.kind not in "biuf"
        ):
            raise ValueError(
                f"vectors must have a row of {self.n_features} numbers, as queries, for each id; "
                f"got shape {rows.shape} and dtype {rows.dtype}."
            )


class MarginRescoring(Rescoring):
    r"""Order candidates by the query's margins against the stored bits.

    The score is :math:`\sum_k |f_k| [b_k \ne (f_k > 0)]`: a differing bit costs the size of the
    query's margin :math:`f_k`, so that a bit the query is unsure of counts little. The order is
    that of :math:`-f^T z` with the stored code z. No vectors of the items are needed. Scores of
    `FloatQueries` are their distances.

    Parameters
    ----------
    margins : FloatQueries, or array-like of shape (n_queries, n_bits)
        `hasher.encode_queries(queries)`, or `hasher.decision_function(queries)`.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn import MarginRescoring
    >>> rescoring = MarginRescoring([[0.1, -2.0, 1.0]])
    >>> codes = np.packbits([[0, 0, 1], [1, 1, 1], [1, 0, 1]], axis=1)
    >>> rescoring.scores(np.zeros(3, dtype=np.int64), np.arange(3), codes)
    array([0.1, 2. , 0. ])
    """

    needs_codes = True

    def __init__(self, margins: ArrayLike | FloatQueries) -> None:
        if not isinstance(margins, FloatQueries):
            margins = FloatQueries(_finite_rows(margins, "margins"))
        self.n_queries, self.n_bits, self.model = len(margins), margins.n_bits, margins.model
        self._queries = margins
        self._weights = np.pad(margins.weights, ((0, 0), (0, -self.n_bits % 8)))  # whole bytes

    def check(self, n_queries: int, n_bits: int) -> None:
        """Raise if there is not one margin per query and bit."""
        super().check(n_queries, n_bits)
        if n_bits != self.n_bits:
            raise ValueError(f"margins has {self.n_bits} columns; the index has n_bits={n_bits}.")

    def scores(self, queries: np.ndarray, ids: np.ndarray, codes: Any) -> np.ndarray:
        """Return the distances of pairs."""
        scores, codes = np.empty(ids.size), np.ascontiguousarray(codes)
        write_pair_costs(
            np.ascontiguousarray(queries), codes, self._queries.codes, self._weights, scores
        )
        terms = self._queries.terms
        levels = None if terms is None else terms.levels(codes)
        starts = np.flatnonzero(np.diff(queries, prepend=-1))
        for start, stop in pairwise([*starts.tolist(), queries.size]):
            query = self._queries[queries[start] : queries[start] + 1]
            there = None if levels is None else levels[start:stop]
            scores[start:stop] = query.of_costs(scores[None, start:stop], there)[0]
        return scores


def _take_rows(array: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Return rows; of a mapped file, without the 128 KiB that the system reads around each."""
    memory: Any = array
    while isinstance(memory, np.ndarray):
        memory = memory.base
    if not isinstance(memory, mmap.mmap) or not hasattr(memory, "madvise"):
        return array[ids]
    memory.madvise(mmap.MADV_RANDOM)
    try:
        return array[ids]
    finally:
        memory.madvise(mmap.MADV_NORMAL)


def _finite_rows(rows: ArrayLike, name: str) -> np.ndarray:
    from sklearn.utils import check_array

    return check_array(rows, dtype=np.float64, order="C", ensure_min_samples=0, input_name=name)


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    """Return rows of length 1 in float64; zeros stay zeros, whose cosine is 0."""
    largest = np.abs(rows).max(axis=1, initial=0, keepdims=True).astype(np.float64)
    with np.errstate(invalid="ignore"):  # scores that are not finite are refused
        rows = rows / np.where(largest > 0, largest, 1)  # whose squares do not overflow or vanish
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.ascontiguousarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float64)


@partial(compiled, fastmath={"reassoc", "contract"})  # to add in vector registers
def _squared_distance(x: np.ndarray, y: np.ndarray) -> float:
    total = 0.0
    for j in range(x.size):
        difference = x[j] - np.float64(y[j])
        total += difference * difference
    return total


@compiled
def _write_distances(
    queries: np.ndarray, rows: np.ndarray, X: np.ndarray, Y: np.ndarray, scores: np.ndarray
) -> None:
    """Write the distances between rows of X and Y, for pairs whose row is within Y."""
    for p in range(queries.size):
        if 0 <= rows[p] < len(Y):
            scores[p] = np.sqrt(_squared_distance(X[queries[p]], Y[rows[p]]))


@partial(compiled, fastmath={"reassoc", "contract"})
def _product(x: np.ndarray, y: np.ndarray) -> float:
    total = 0.0
    for j in range(x.size):
        total += x[j] * np.float64(y[j])
    return total


@compiled
def _write_negative_products(
    queries: np.ndarray, rows: np.ndarray, X: np.ndarray, Y: np.ndarray, scores: np.ndarray
) -> None:
    """Write minus the inner products of rows of X and Y, for pairs whose row is within Y."""
    for p in range(queries.size):
        if 0 <= rows[p] < len(Y):
            scores[p] = -_product(X[queries[p]], Y[rows[p]])
