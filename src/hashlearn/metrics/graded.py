"""Normalised discounted cumulative gain, for graded relevance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_option
from hashlearn.metrics._blocks import RankingBlock
from hashlearn.metrics._means import share_of
from hashlearn.metrics._rankings import Rankings
from hashlearn.metrics.counts import Ties
from hashlearn.search import Distance, FloatQueries

Gain = Literal["linear", "exponential"]


def ndcg(
    query_codes: ArrayLike | FloatQueries,
    database_codes: ArrayLike,
    relevance: Any,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    ties: Ties = "expected",
    exclude_self: bool = False,
    n_bits: int | None = None,
    distance: Distance | None = None,
    ids: Any = None,
) -> np.ndarray:
    r"""Discounted gain of the first k items over that of the best ranking, per query.

    The item at rank r adds its gain times :math:`1 / \log_2(r + 1)`.

    Parameters
    ----------
    query_codes : array-like of shape (n_queries, width), uint8, or FloatQueries
        Packed codes; or queries that are not rounded to bits: `hasher.encode_queries(X)`, or an
        array of margins, (n_queries, n_bits) float.
    database_codes : array-like of shape (n_database, width), uint8
        Packed codes.
    relevance : Relevance, scipy sparse matrix or array-like of shape (n_queries, n_database)
        Grades, at least 0.
    k : int, optional
        Cut-off; by default the whole ranking.
    gain : {"linear", "exponential"}, default="linear"
        A grade g gains g, or :math:`2^g - 1`.
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
    ndcg : ndarray of shape (n_queries,)
        NaN for a query with nothing relevant.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.metrics import ndcg
    >>> codes = np.array([[0], [1], [3], [7]], dtype=np.uint8)
    >>> ndcg(codes[:1], codes, [[3, 2, 1, 0]])
    array([1.])
    """
    rankings = Rankings.check(
        query_codes, database_codes, relevance, n_bits, exclude_self, distance, ties, ids
    )
    check_option("gain", gain, Gain)
    k = rankings.cutoff(k)
    discounts = 1.0 / np.log2(np.arange(2, k + 2))

    def of_block(block: RankingBlock) -> np.ndarray:
        block = _with_gains(block, gain)
        found = (
            _expected_gain(block, discounts) if ties == "expected" else block.ranked(k) @ discounts
        )
        return share_of(found, _best_gain(block.relevance, discounts))

    return rankings.per_query(of_block, graded=True)


def _with_gains(block: RankingBlock, gain: Gain) -> RankingBlock:
    grades = block.relevance
    if (grades < 0).any():
        raise ValueError(
            f"relevance must be at least 0 for nDCG; got grades down to {grades.min():g}."
        )
    return block if gain == "linear" else replace(block, relevance=np.exp2(grades) - 1)


def _expected_gain(block: RankingBlock, discounts: np.ndarray) -> np.ndarray:
    """Every item of a distance gains their mean: the mean over all their orders."""
    counts = block.by_tie(discounts.size)
    N, inside = counts.total_before, counts.inside(discounts.size)
    summed = np.concatenate([[0.0], np.cumsum(discounts)])
    start = np.minimum(N, discounts.size)  # distances beyond the cut-off: an empty range
    weights = summed[start + inside] - summed[start]
    return (counts.relevant / np.maximum(counts.total, 1) * weights).sum(axis=1)


def _best_gain(gains: np.ndarray, discounts: np.ndarray) -> np.ndarray:
    """Return the discounted gain of each row in decreasing order, up to the cut-off."""
    k = discounts.size
    best = np.zeros(len(gains))
    for i, row in enumerate(gains):
        largest = row if k >= row.size else np.partition(row, row.size - k)[row.size - k :]
        best[i] = np.sort(largest)[::-1] @ discounts[: largest.size]
    return best
