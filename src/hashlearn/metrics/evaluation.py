"""The four measures of the two-step hashing paper, together."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_option, check_radius, clipped_k
from hashlearn._numerics.threads import map_blocks
from hashlearn.metrics._blocks import RankingBlock
from hashlearn.metrics._means import mean_of_defined
from hashlearn.metrics._rankings import (
    Rankings,
    average_precision_of_first,
    block_bounds,
)
from hashlearn.metrics.counts import RankingCounts, Ties
from hashlearn.metrics.curve import _curve_of_sums, _curve_sums, _CurveSums
from hashlearn.metrics.radius import RadiusPrecision
from hashlearn.search import Distance, FloatQueries


class Evaluation(NamedTuple):
    """The measures of :func:`evaluate`.

    Attributes
    ----------
    pr_area : float
        Area under the precision-recall curve over Hamming radii.
    mean_average_precision : float
        Up to a cut-off, over the relevant items found there.
    precision_at_k : float
        Mean precision of the first k items.
    precision_within_radius : float
        Mean precision within a Hamming radius, 0 for an empty result.
    empty_share : float
        Share of queries with nothing within the radius.
    """

    pr_area: float
    mean_average_precision: float
    precision_at_k: float
    precision_within_radius: float
    empty_share: float

    @classmethod
    def from_counts(
        cls,
        counts: RankingCounts,
        *,
        k: int = 300,
        map_cutoff: int = 1000,
        radius: int = 2,
        ties: Ties = "expected",
    ) -> Evaluation:
        """Return the measures from counts per Hamming distance, such as the sum over shards.

        Parameters
        ----------
        counts : RankingCounts
            With ``ties="neutral"`` or ``ties="insertion"`` they must keep the first
            ``max(k, map_cutoff)`` items in that order.
        k, map_cutoff, radius, ties
            As in :func:`evaluate`.

        Returns
        -------
        evaluation : Evaluation
        """
        check_option("ties", ties, Ties)
        check_radius(radius)
        n_ranked = counts.n_ranked if len(counts.total) else max(k, map_cutoff)
        cutoffs = _Cutoffs.check(k, map_cutoff, radius, n_ranked)
        if ties != "expected" and counts.n_first < cutoffs.last:
            raise ValueError(
                f"counts must keep the first {cutoffs.last} items for ties={ties!r}; got "
                f"n_first={counts.n_first}."
            )
        if ties != "expected" and (ties == "neutral") != (counts.first_keys is not None):
            raise ValueError(
                f"counts must keep the first items in the order that ties={ties!r} asks for; give "
                f"count_rankings ties={ties!r}."
            )
        return _joined([_of_counts(counts, cutoffs, ties)])


def evaluate(
    query_codes: ArrayLike | FloatQueries,
    database_codes: ArrayLike,
    relevance: Any,
    *,
    k: int = 300,
    map_cutoff: int = 1000,
    radius: float | None = None,
    ties: Ties = "expected",
    exclude_self: bool = False,
    n_bits: int | None = None,
    distance: Distance | None = None,
    ids: Any = None,
) -> Evaluation:
    """Measure retrieval as the two-step hashing paper does, in one pass over all pairs.

    The same values as :func:`pr_area`, :func:`mean_average_precision` with
    ``denominator="found"``, the mean of :func:`precision_at_k`, and
    :func:`precision_within_radius`.

    Parameters
    ----------
    query_codes : array-like of shape (n_queries, width), uint8, or FloatQueries
        Packed codes; or queries that are not rounded to bits: `hasher.encode_queries(X)`, or an
        array of margins, (n_queries, n_bits) float.
    database_codes : array-like of shape (n_database, width), uint8
        Packed codes.
    relevance : Relevance, scipy sparse matrix or array-like of shape (n_queries, n_database)
        Above 0 is relevant.
    k : int, default=300
        Cut-off of precision; at most the whole database.
    map_cutoff : int, default=1000
        Cut-off of average precision; at most the whole database.
    radius : int or float, optional
        Radius of the look-up, by default 2; an integer for Hamming's distance, any number for float
        queries, which have no default: without it their two measures of the look-up are NaN.
    ties : {"expected", "neutral", "insertion"}, default="expected"
        Equally distant items: the mean over all their orders, in the order in which a search
        returns them by default, or by position in the database.
    exclude_self : bool, default=False
        Query i is database item i, and is left out of its own ranking.
    n_bits : int, optional
        Bits per code; by default those that the distance has parameters for, or 8 * width.
    distance : Distance, optional
        A distance other than Hamming's, such as a hasher's `distance_`. Items are equally distant
        up to rounding, 1e-12 of the largest distance. The area is over 4,096 radii, equal steps
        of the distance's scale, as for float queries; `radius` itself is exact.
    ids : array-like of shape (n_database,), optional
        The ids that an index has for the items, for ``ties="neutral"``; by default positions.

    Returns
    -------
    evaluation : Evaluation

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.metrics import evaluate
    >>> codes = np.array([[0], [1], [254], [255]], dtype=np.uint8)
    >>> relevance = np.array([[1, 1, 0, 0], [0, 0, 1, 1]])
    >>> evaluate(codes[[0, 3]], codes, relevance, k=2)
    Evaluation(pr_area=1.0, mean_average_precision=1.0, precision_at_k=1.0, \
precision_within_radius=1.0, empty_share=0.0)
    """
    rankings = Rankings.check(
        query_codes, database_codes, relevance, n_bits, exclude_self, distance, ties, ids
    )
    has_radius = radius is not None or rankings.pairs.default_radius is not None
    radius = (rankings.pairs.default_radius or 0.0) if radius is None else radius
    rankings.pairs.check_radius(radius)
    cutoffs = _Cutoffs.check(k, map_cutoff, radius, rankings.n_ranked)
    if rankings.pairs.counted_at_once:
        counts = rankings.counts(0 if ties == "expected" else cutoffs.last)
        return _joined([_of_counts(counts, cutoffs, ties)])
    found = _joined(rankings.map(lambda block: _of_block(block, cutoffs, ties)))
    if has_radius:
        return found
    return found._replace(precision_within_radius=np.nan, empty_share=np.nan)


class _Cutoffs(NamedTuple):
    """Where the measures stop."""

    k: int
    map_cutoff: int
    radius: float

    @classmethod
    def check(cls, k: int, map_cutoff: int, radius: float, n_ranked: int) -> Self:
        """Return checked cut-offs, at most the whole ranking."""
        return cls(clipped_k(k, n_ranked), clipped_k(map_cutoff, n_ranked, "map_cutoff"), radius)

    @property
    def last(self) -> int:
        """How much of the ranking is looked at."""
        return max(self.k, self.map_cutoff)


class _Measured(NamedTuple):
    """Sums for the curve, and values per query, of a block of queries."""

    curve: _CurveSums
    average_precision: np.ndarray
    precision: np.ndarray
    found: np.ndarray
    hits: np.ndarray


def _joined(blocks: list[_Measured]) -> Evaluation:
    """Return the measures of all queries."""
    curves, *values = zip(*blocks, strict=True)
    average_precision, precision, found, hits = map(np.concatenate, values)
    within = RadiusPrecision.from_hits(found, hits)
    return Evaluation(
        pr_area=_curve_of_sums(list(curves), "queries").area,
        mean_average_precision=mean_of_defined(average_precision),
        precision_at_k=mean_of_defined(precision),
        precision_within_radius=within.precision,
        empty_share=within.empty_share,
    )


def _of_counts(counts: RankingCounts, cutoffs: _Cutoffs, ties: Ties) -> _Measured:
    """Measure queries from counts by Hamming distance."""
    if ties == "expected":
        precisions = _expected(counts, cutoffs)
    else:
        first, n_relevant = counts.first, counts.n_relevant
        assert first is not None  # kept for these ties

        def measure(start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
            return _of_first(first[start:stop], n_relevant[start:stop], cutoffs)

        blocks = map_blocks(measure, block_bounds(*first.shape))
        average_precision, precision = map(np.concatenate, zip(*blocks, strict=True))
        precisions = average_precision, precision
    return _Measured(_curve_sums(counts), *precisions, *counts.within(cutoffs.radius))


def _of_block(block: RankingBlock, cutoffs: _Cutoffs, ties: Ties) -> _Measured:
    """Measure a block of queries by a real distance."""
    if ties == "expected":
        precisions = _expected(block.by_tie(cutoffs.last), cutoffs)
    else:
        precisions = _of_first(block.ranked(cutoffs.last), block.relevance.sum(axis=1), cutoffs)
    return _Measured(_curve_sums(block.by_radius()), *precisions, *block.within(cutoffs.radius))


def _expected(counts: RankingCounts, cutoffs: _Cutoffs) -> tuple[np.ndarray, np.ndarray]:
    """Return average precision and precision at k, the mean over all orders of ties."""
    average_precision = counts.average_precision(cutoffs.map_cutoff, "found")
    return average_precision, counts.expected_hits(cutoffs.k) / cutoffs.k


def _of_first(
    first: np.ndarray, n_relevant: np.ndarray, cutoffs: _Cutoffs
) -> tuple[np.ndarray, np.ndarray]:
    """Return average precision and precision at k, from the relevance of the first items."""
    average_precision = average_precision_of_first(
        first[:, : cutoffs.map_cutoff], n_relevant, "found"
    )
    return average_precision, first[:, : cutoffs.k].mean(axis=1)
