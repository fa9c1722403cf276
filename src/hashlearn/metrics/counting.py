"""Counting of rankings by Hamming distance."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_option
from hashlearn.metrics._rankings import Rankings
from hashlearn.metrics.counts import RankingCounts
from hashlearn.search.results import TieOrder


def count_rankings(
    query_codes: ArrayLike,
    database_codes: ArrayLike,
    relevance: Any,
    *,
    n_first: int = 0,
    ties: TieOrder = "insertion",
    exclude_self: bool = False,
    n_bits: int | None = None,
    ids: Any = None,
) -> RankingCounts:
    """Count items and relevant items per query and Hamming distance, in one pass over all pairs.

    Counts of the shards of a database add up, and give the measures of the whole.

    Parameters
    ----------
    query_codes : array-like of shape (n_queries, width), uint8
        Packed codes.
    database_codes : array-like of shape (n_database, width), uint8
        Packed codes, of the database or a shard of it.
    relevance : Relevance, scipy sparse matrix or array-like of shape (n_queries, n_database)
        Above 0 is relevant.
    n_first : int, default=0
        How many first items of each ranking to keep the relevance of, for measures that do not
        take the mean over all orders of ties.
    ties : {"insertion", "neutral"}, default="insertion"
        The order of equally distant items among the first: by position in the database, or that in
        which a search returns them by default.
    exclude_self : bool, default=False
        Query i is database item i, and is left out of its own ranking.
    n_bits : int, optional
        Bits per code; by default 8 * width.
    ids : array-like of shape (n_database,), optional
        The ids that an index has for the items, for ``ties="neutral"``: of a shard, those in the
        whole database. By default positions.

    Returns
    -------
    counts : RankingCounts

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.metrics import Evaluation, count_rankings
    >>> codes = np.array([[0], [1], [254], [255]], dtype=np.uint8)
    >>> relevance = np.array([[1, 1, 0, 0], [0, 0, 1, 1]])
    >>> queries, shards = codes[[0, 3]], (slice(0, 1), slice(1, 4))
    >>> a, b = (count_rankings(queries, codes[s], relevance[:, s]) for s in shards)
    >>> Evaluation.from_counts(a + b, k=2).precision_at_k
    1.0
    """
    check_option("ties", ties, TieOrder)
    rankings = Rankings.check(
        query_codes, database_codes, relevance, n_bits, exclude_self, None, ties, ids
    )
    if not rankings.pairs.counted_at_once:
        raise ValueError(
            "query_codes must be packed codes: float queries have no Hamming distances to count by."
        )
    return rankings.counts(n_first)
