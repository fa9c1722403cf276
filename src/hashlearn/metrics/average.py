"""Average precision: the mean of the precisions at the ranks of relevant items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_option
from hashlearn.metrics.blocks import Block
from hashlearn.metrics.choices import Denominator, Ties, mean_of_defined
from hashlearn.metrics.counts import Counts
from hashlearn.metrics.expected import expected_precision_over_found, expected_precision_sum
from hashlearn.metrics.rankings import Rankings
from hashlearn.search.distances import Distance


def average_precision(
    query_codes: ArrayLike,
    database_codes: ArrayLike,
    relevance: Any,
    *,
    k: int | None = None,
    denominator: Denominator = "all",
    ties: Ties = "expected",
    exclude_self: bool = False,
    n_bits: int | None = None,
    distance: Distance | None = None,
) -> np.ndarray:
    """Sum of the precisions at relevant ranks up to k over a number of relevant items, per query.

    Parameters
    ----------
    query_codes : array-like of shape (n_queries, width), uint8
        Packed codes.
    database_codes : array-like of shape (n_database, width), uint8
        Packed codes.
    relevance : Relevance, scipy sparse matrix or array-like of shape (n_queries, n_database)
        Above 0 is relevant.
    k : int, optional
        Cut-off; the whole ranking unless given. Without one the denominators are the same.
    denominator : {"all", "found", "min"}, default="all"
        All relevant items, those found up to the cut-off (none found counts 0), or as many as
        could be found there, min(k, all).
    ties : {"expected", "index"}, default="expected"
        Equally distant items: the mean over all their orders, or by position in the database.
    exclude_self : bool, default=False
        Query i is database item i, and is left out of its own ranking.
    n_bits : int, optional
        Bits per code; what the distance has parameters for, or 8 * width, unless given.
    distance : Distance, optional
        Another distance than Hamming's, such as a hasher's `distance_`. Items are equally distant
        up to rounding, 1e-12 of the largest distance.

    Returns
    -------
    average_precision : ndarray of shape (n_queries,)
        NaN for a query with nothing relevant.

    Examples
    --------
    >>> codes = np.array([[0], [1], [3], [7]], dtype=np.uint8)
    >>> average_precision(codes[:1], codes, [[True, False, True, False]])
    array([0.83333333])
    """
    rankings = Rankings.check(
        query_codes, database_codes, relevance, n_bits, exclude_self, distance
    )
    check_option("denominator", denominator, Denominator)
    check_option("ties", ties, Ties)
    k = rankings.cutoff(k)
    if ties == "expected":
        return np.concatenate(
            rankings.tied(lambda counts: expected_average_precision(counts, k, denominator), k)
        )

    def of_block(block: Block) -> np.ndarray:
        return ranked_average_precision(block.ranked(k), block.relevance.sum(axis=1), denominator)

    return rankings.per_query(of_block)


def mean_average_precision(
    query_codes: ArrayLike,
    database_codes: ArrayLike,
    relevance: Any,
    *,
    k: int | None = None,
    denominator: Denominator = "all",
    ties: Ties = "expected",
    exclude_self: bool = False,
    n_bits: int | None = None,
    distance: Distance | None = None,
) -> float:
    """Mean of :func:`average_precision` over the queries with something relevant.

    Parameters
    ----------
    query_codes, database_codes, relevance, k, denominator, ties, exclude_self, n_bits, distance
        As in :func:`average_precision`.

    Returns
    -------
    mean : float
        Queries with nothing relevant are skipped; NaN, with a warning, if no other is left.

    Examples
    --------
    >>> codes = np.array([[0], [1], [3], [7]], dtype=np.uint8)
    >>> mean_average_precision(codes[:2], codes, [[0, 1, 0, 0], [0, 0, 0, 0]])
    0.5
    """
    values = average_precision(
        query_codes,
        database_codes,
        relevance,
        k=k,
        denominator=denominator,
        ties=ties,
        exclude_self=exclude_self,
        n_bits=n_bits,
        distance=distance,
    )
    return mean_of_defined(values)


def expected_average_precision(counts: Counts, k: int, denominator: Denominator) -> np.ndarray:
    """Return average precision with ties="expected", from counts per distance."""
    n_relevant = counts.n_relevant
    if denominator == "found":
        values = expected_precision_over_found(counts, k)
    else:
        most = n_relevant if denominator == "all" else np.minimum(n_relevant, k)
        values = expected_precision_sum(counts, k).sum(axis=1) / np.maximum(most, 1)
    return np.where(n_relevant > 0, values, np.nan)


def ranked_average_precision(
    ranked: np.ndarray, n_relevant: np.ndarray, denominator: Denominator
) -> np.ndarray:
    """Return average precision of rankings given as rows of bool, cut off at their length."""
    k = ranked.shape[1]
    hits = np.cumsum(ranked, axis=1)
    sums = np.where(ranked, hits / np.arange(1, k + 1), 0.0).sum(axis=1)
    count = {
        "all": n_relevant,
        "found": ranked.sum(axis=1),
        "min": np.minimum(n_relevant, k),
    }[denominator]
    return np.where(n_relevant > 0, sums / np.maximum(count, 1), np.nan)
