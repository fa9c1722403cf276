"""Precision and recall among the first k items of each ranking."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.metrics._blocks import RankingBlock
from hashlearn.metrics._means import mean_of_defined, share_of
from hashlearn.metrics._rankings import Rankings
from hashlearn.metrics.counts import Ties
from hashlearn.search import Distance, FloatQueries


def precision_at_k(
    query_codes: ArrayLike | FloatQueries,
    database_codes: ArrayLike,
    relevance: Any,
    k: int,
    *,
    ties: Ties = "expected",
    exclude_self: bool = False,
    n_bits: int | None = None,
    distance: Distance | None = None,
    ids: Any = None,
) -> np.ndarray:
    """Share of relevant items among the first k, per query.

    Parameters
    ----------
    query_codes : array-like of shape (n_queries, width), uint8, or FloatQueries
        Packed codes; or queries that are not rounded to bits: `hasher.encode_queries(X)`, or an
        array of margins, (n_queries, n_bits) float.
    database_codes : array-like of shape (n_database, width), uint8
        Packed codes.
    relevance : Relevance, scipy sparse matrix or array-like of shape (n_queries, n_database)
        Above 0 is relevant.
    k : int
        The number of first items, at most the length of a ranking.
    ties : {"expected", "neutral", "insertion"}, default="expected"
        Equally distant items: the mean over all their orders, in the order in which a search
        returns them by default, or by position in the database.
    exclude_self : bool, default=False
        Query i is database item i, and is left out of its own ranking.
    n_bits : int, optional
        Bits per code; by default those that the distance has parameters for, or 8 * width.
    distance : Distance, optional
        A distance other than Hamming's, such as a hasher's `distance_`. Items are equally distant
        up to rounding, 1e-12 of the largest distance.
    ids : array-like of shape (n_database,), optional
        The ids that an index has for the items, for ``ties="neutral"``; by default positions.

    Returns
    -------
    precision : ndarray of shape (n_queries,)

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.metrics import precision_at_k
    >>> codes = np.array([[0], [1], [3], [7]], dtype=np.uint8)
    >>> precision_at_k(codes[:1], codes, [[True, False, True, False]], k=2)
    array([0.5])
    """
    rankings = Rankings.check(
        query_codes, database_codes, relevance, n_bits, exclude_self, distance, ties, ids
    )
    k = rankings.cutoff(k)
    if ties == "expected":
        return np.concatenate(rankings.measured(lambda counts: counts.expected_hits(k) / k, k))
    return rankings.per_query(lambda block: block.ranked(k).sum(axis=1)) / k


def recall_at_k(
    query_codes: ArrayLike | FloatQueries,
    database_codes: ArrayLike,
    relevance: Any,
    k: int,
    *,
    ties: Ties = "expected",
    exclude_self: bool = False,
    n_bits: int | None = None,
    distance: Distance | None = None,
    ids: Any = None,
) -> np.ndarray:
    """Share of all relevant items that is among the first k, per query.

    Parameters
    ----------
    query_codes, database_codes, relevance, k, ties, exclude_self, n_bits, distance, ids
        As in :func:`precision_at_k`.

    Returns
    -------
    recall : ndarray of shape (n_queries,)
        NaN for a query with nothing relevant.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.metrics import recall_at_k
    >>> codes = np.array([[0], [1], [3], [7]], dtype=np.uint8)
    >>> recall_at_k(codes[:1], codes, [[True, False, True, True]], k=3)
    array([0.66666667])
    """
    rankings = Rankings.check(
        query_codes, database_codes, relevance, n_bits, exclude_self, distance, ties, ids
    )
    k = rankings.cutoff(k)
    if ties == "expected":
        return np.concatenate(
            rankings.measured(
                lambda counts: share_of(counts.expected_hits(k), counts.n_relevant), k
            )
        )
    return rankings.per_query(
        lambda block: share_of(block.ranked(k).sum(axis=1), block.relevance.sum(axis=1))
    )


def precision_curve(
    query_codes: ArrayLike | FloatQueries,
    database_codes: ArrayLike,
    relevance: Any,
    ks: ArrayLike,
    *,
    ties: Ties = "expected",
    exclude_self: bool = False,
    n_bits: int | None = None,
    distance: Distance | None = None,
    ids: Any = None,
) -> np.ndarray:
    """Mean over the queries of :func:`precision_at_k`, for several k in one pass over all pairs.

    Parameters
    ----------
    query_codes, database_codes, relevance, ties, exclude_self, n_bits, distance, ids
        As in :func:`precision_at_k`.
    ks : array-like of int of shape (n,)
        Numbers of first items, each at most the length of a ranking.

    Returns
    -------
    precision : ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.metrics import precision_curve
    >>> codes = np.array([[0], [1], [3], [7]], dtype=np.uint8)
    >>> precision_curve(codes[:1], codes, [[True, False, True, False]], ks=[1, 2, 4])
    array([1. , 0.5, 0.5])
    """
    rankings = Rankings.check(
        query_codes, database_codes, relevance, n_bits, exclude_self, distance, ties, ids
    )
    cutoffs = np.array([rankings.cutoff(int(k)) for k in np.asarray(ks)], dtype=np.int64)
    if not cutoffs.size:
        return np.empty(0)
    if ties == "expected":
        blocks = rankings.measured(
            lambda counts: np.array([counts.expected_hits(k) / k for k in cutoffs]),
            int(cutoffs.max()),
        )
        return np.array([mean_of_defined(row) for row in np.concatenate(blocks, axis=1)])

    def hits(block: RankingBlock) -> np.ndarray:
        return np.cumsum(block.ranked(int(cutoffs.max())), axis=1)[:, cutoffs - 1]

    return rankings.per_query(hits).mean(axis=0) / cutoffs
