"""Average precision: the mean of the precisions at the ranks of relevant items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_option
from hashlearn.metrics._blocks import RankingBlock
from hashlearn.metrics._means import mean_of_defined
from hashlearn.metrics._rankings import Rankings, average_precision_of_first
from hashlearn.metrics.counts import Denominator, Ties
from hashlearn.search import Distance, FloatQueries


def average_precision(
    query_codes: ArrayLike | FloatQueries,
    database_codes: ArrayLike,
    relevance: Any,
    *,
    k: int | None = None,
    denominator: Denominator = "all",
    ties: Ties = "expected",
    exclude_self: bool = False,
    n_bits: int | None = None,
    distance: Distance | None = None,
    ids: Any = None,
) -> np.ndarray:
    """Sum of the precisions at relevant ranks up to k over a number of relevant items, per query.

    Parameters
    ----------
    query_codes : array-like of shape (n_queries, width), uint8, or FloatQueries
        Packed codes; or queries that are not rounded to bits: `hasher.encode_queries(X)`, or an
        array of margins, (n_queries, n_bits) float.
    database_codes : array-like of shape (n_database, width), uint8
        Packed codes.
    relevance : Relevance, scipy sparse matrix or array-like of shape (n_queries, n_database)
        Above 0 is relevant.
    k : int, optional
        Cut-off; by default the whole ranking, for which all denominators are the same.
    denominator : {"all", "found", "min"}, default="all"
        All relevant items, those found up to the cut-off (none found counts 0), or the most that
        could be found there, min(k, all).
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
    average_precision : ndarray of shape (n_queries,)
        NaN for a query with nothing relevant.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.metrics import average_precision
    >>> codes = np.array([[0], [1], [3], [7]], dtype=np.uint8)
    >>> average_precision(codes[:1], codes, [[True, False, True, False]])
    array([0.83333333])
    """
    rankings = Rankings.check(
        query_codes, database_codes, relevance, n_bits, exclude_self, distance, ties, ids
    )
    check_option("denominator", denominator, Denominator)
    k = rankings.cutoff(k)
    if ties == "expected":
        return np.concatenate(
            rankings.measured(lambda counts: counts.average_precision(k, denominator), k)
        )

    def of_block(block: RankingBlock) -> np.ndarray:
        return average_precision_of_first(block.ranked(k), block.relevance.sum(axis=1), denominator)

    return rankings.per_query(of_block)


def mean_average_precision(
    query_codes: ArrayLike | FloatQueries,
    database_codes: ArrayLike,
    relevance: Any,
    *,
    k: int | None = None,
    denominator: Denominator = "all",
    ties: Ties = "expected",
    exclude_self: bool = False,
    n_bits: int | None = None,
    distance: Distance | None = None,
    ids: Any = None,
) -> float:
    """Mean of :func:`average_precision` over the queries with something relevant.

    Parameters
    ----------
    query_codes, database_codes, relevance, k, denominator, ties, exclude_self, n_bits, \
distance, ids
        As in :func:`average_precision`.

    Returns
    -------
    mean : float
        Queries with nothing relevant are skipped; NaN, with a warning, if no other is left.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.metrics import mean_average_precision
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
        ids=ids,
    )
    return mean_of_defined(values)
