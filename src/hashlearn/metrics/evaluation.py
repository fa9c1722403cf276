"""The four measures of the two-step hashing paper, together."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_k, check_option, check_radius
from hashlearn.metrics.average import (
    expected_average_precision,
    ranked_average_precision,
)
from hashlearn.metrics.blocks import Block
from hashlearn.metrics.choices import Ties, mean_of_defined
from hashlearn.metrics.counts import Counts
from hashlearn.metrics.curve import CurveSums, curve_of_sums, curve_sums
from hashlearn.metrics.expected import expected_hits
from hashlearn.metrics.radius import radius_precision
from hashlearn.metrics.rankings import Rankings
from hashlearn.search.distances import Distance


class Evaluation(NamedTuple):
    """What :func:`evaluate` measures.

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


def evaluate(
    query_codes: ArrayLike,
    database_codes: ArrayLike,
    relevance: Any,
    *,
    k: int = 300,
    map_cutoff: int = 1000,
    radius: float = 2,
    ties: Ties = "expected",
    exclude_self: bool = False,
    n_bits: int | None = None,
    distance: Distance | None = None,
) -> Evaluation:
    """Measure retrieval as the two-step hashing paper does, in one pass over all pairs.

    The same values as :func:`pr_area`, :func:`mean_average_precision` with
    ``denominator="found"``, the mean of :func:`precision_at_k`, and
    :func:`precision_within_radius`.

    Parameters
    ----------
    query_codes : array-like of shape (n_queries, width), uint8
        Packed codes.
    database_codes : array-like of shape (n_database, width), uint8
        Packed codes.
    relevance : Relevance, scipy sparse matrix or array-like of shape (n_queries, n_database)
        Above 0 is relevant.
    k : int, default=300
        Cut-off of precision; a smaller database is taken whole.
    map_cutoff : int, default=1000
        Cut-off of average precision; a smaller database is taken whole.
    radius : int or float, default=2
        Radius of the look-up; an integer for Hamming's distance.
    ties : {"expected", "index"}, default="expected"
        Equally distant items: the mean over all their orders, or by position in the database.
    exclude_self : bool, default=False
        Query i is database item i, and is left out of its own ranking.
    n_bits : int, optional
        Bits per code; what the distance has parameters for, or 8 * width, unless given.
    distance : Distance, optional
        Another distance than Hamming's, such as a hasher's `distance_`. Items are equally distant
        up to rounding, 1e-12 of the largest distance. The area is over 4,096 radii, equal steps
        of the distance's scale; `radius` itself is exact.

    Returns
    -------
    evaluation : Evaluation

    Examples
    --------
    >>> codes = np.array([[0], [1], [254], [255]], dtype=np.uint8)
    >>> relevance = np.array([[1, 1, 0, 0], [0, 0, 1, 1]])
    >>> evaluate(codes[[0, 3]], codes, relevance, k=2)
    Evaluation(pr_area=1.0, mean_average_precision=1.0, precision_at_k=1.0, \
precision_within_radius=1.0, empty_share=0.0)
    """
    rankings = Rankings.check(
        query_codes, database_codes, relevance, n_bits, exclude_self, distance
    )
    check_option("ties", ties, Ties)
    check_radius(radius, distance)
    cutoffs = Cutoffs.check(k, map_cutoff, radius, rankings.n_ranked)
    if distance is None:
        parts = [_of_all(rankings, cutoffs, ties)]
    else:
        parts = rankings.map(lambda block: _of_block(block, cutoffs, ties))
    return evaluation_of(parts)


class Cutoffs(NamedTuple):
    """Where the measures stop."""

    k: int
    map_cutoff: int
    radius: float

    @classmethod
    def check(cls, k: int, map_cutoff: int, radius: float, n_ranked: int) -> Self:
        """Return checked cut-offs, at most the whole ranking."""
        return cls(_shrunk(k, n_ranked, "k"), _shrunk(map_cutoff, n_ranked, "map_cutoff"), radius)

    @property
    def last(self) -> int:
        """How much of the ranking is looked at."""
        return max(self.k, self.map_cutoff)


class Part(NamedTuple):
    """Sums for the curve, and values per query, of some queries."""

    curve: CurveSums
    average_precision: np.ndarray
    precision: np.ndarray
    found: np.ndarray
    hits: np.ndarray


def evaluation_of(parts: list[Part]) -> Evaluation:
    """Return the measures of all queries, given in parts."""
    average_precision, precision, found, hits = (
        np.concatenate(values) for values in list(zip(*parts, strict=True))[1:]
    )
    within = radius_precision(found, hits)
    return Evaluation(
        pr_area=curve_of_sums([part.curve for part in parts], "queries").area,
        mean_average_precision=mean_of_defined(average_precision),
        precision_at_k=mean_of_defined(precision),
        precision_within_radius=within.precision,
        empty_share=within.empty_share,
    )


def part_of_counts(counts: Counts, measured: tuple[np.ndarray, np.ndarray], radius: float) -> Part:
    """Return the part of queries whose items were counted by Hamming distance.

    Parameters
    ----------
    counts : Counts
    measured : tuple of ndarray
        Average precision and precision at k, of :func:`expected` or :func:`by_index`.
    radius : float
        Of the look-up.
    """
    found, hits = (part[:, : int(radius) + 1].sum(axis=1) for part in counts)
    return Part(curve_sums(counts), *measured, found, hits)


def expected(counts: Counts, cutoffs: Cutoffs) -> tuple[np.ndarray, np.ndarray]:
    """Return average precision and precision at k, the mean over all orders of ties."""
    average_precision = expected_average_precision(counts, cutoffs.map_cutoff, "found")
    return average_precision, expected_hits(counts, cutoffs.k) / cutoffs.k


def by_index(
    ranked: np.ndarray, n_relevant: np.ndarray, cutoffs: Cutoffs
) -> tuple[np.ndarray, np.ndarray]:
    """Return average precision and precision at k, from the relevance of the first items."""
    average_precision = ranked_average_precision(
        ranked[:, : cutoffs.map_cutoff], n_relevant, "found"
    )
    return average_precision, ranked[:, : cutoffs.k].mean(axis=1)


def _shrunk(cutoff: int, n: int, name: str) -> int:
    check_k(min(cutoff, max(n, 1)), n, name)
    return min(cutoff, n)


def _of_all(rankings: Rankings, cutoffs: Cutoffs, ties: Ties) -> Part:
    """Measure all queries by Hamming distance, from counts per distance."""
    if ties == "expected":
        counts = rankings.counts()
        measured = expected(counts, cutoffs)
    else:
        parts = rankings.map(lambda block: (*block.by_radius(), *_ranked(block, cutoffs)))
        total, relevant, *ranked = (np.concatenate(part) for part in zip(*parts, strict=True))
        counts, measured = Counts(total, relevant), (ranked[0], ranked[1])
    return part_of_counts(counts, measured, cutoffs.radius)


def _of_block(block: Block, cutoffs: Cutoffs, ties: Ties) -> Part:
    """Measure the queries of a block."""
    if ties == "expected":
        measured = expected(block.by_tie(cutoffs.last), cutoffs)
    else:
        measured = _ranked(block, cutoffs)
    return Part(curve_sums(block.by_radius()), *measured, *block.within(cutoffs.radius))


def _ranked(block: Block, cutoffs: Cutoffs) -> tuple[np.ndarray, np.ndarray]:
    """Return average precision and precision at k, ties by position."""
    return by_index(block.ranked(cutoffs.last), block.relevance.sum(axis=1), cutoffs)
