"""The four measures of the two-step hashing paper, together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.metrics.average import (
    expected_average_precision,
    ranked_average_precision,
)
from hashlearn.metrics.choices import Ties, check_option, mean_of_defined
from hashlearn.metrics.counts import Counts
from hashlearn.metrics.curve import curve_of_counts
from hashlearn.metrics.expected import expected_hits
from hashlearn.metrics.radius import check_radius, radius_precision_of_counts
from hashlearn.metrics.rankings import Block, Rankings
from hashlearn.search.nearest import check_k


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
    radius: int = 2,
    ties: Ties = "expected",
    exclude_self: bool = False,
    n_bits: int | None = None,
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
    radius : int, default=2
        Radius of the look-up.
    ties : {"expected", "index"}, default="expected"
        Equally distant items: the mean over all their orders, or by position in the database.
    exclude_self : bool, default=False
        Query i is database item i, and is left out of its own ranking.
    n_bits : int, optional
        Bits per code; 8 * width unless given.

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
    rankings = Rankings.check(query_codes, database_codes, relevance, n_bits, exclude_self)
    check_option("ties", ties, Ties)
    check_radius(radius)
    k = _shrunk(k, rankings.n_ranked, "k")
    map_cutoff = _shrunk(map_cutoff, rankings.n_ranked, "map_cutoff")
    if ties == "expected":
        counts = rankings.counts()
        average_precision = expected_average_precision(counts, map_cutoff, "found")
        precision = expected_hits(counts, k) / k
    else:
        counts, average_precision, precision = _by_index(rankings, k, map_cutoff)
    within = radius_precision_of_counts(counts, radius)
    return Evaluation(
        pr_area=curve_of_counts(counts, "queries").area,
        mean_average_precision=mean_of_defined(average_precision),
        precision_at_k=mean_of_defined(precision),
        precision_within_radius=within.precision,
        empty_share=within.empty_share,
    )


def _shrunk(cutoff: int, n: int, name: str) -> int:
    check_k(min(cutoff, max(n, 1)), n, name)
    return min(cutoff, n)


def _by_index(rankings: Rankings, k: int, map_cutoff: int) -> tuple[Counts, np.ndarray, np.ndarray]:
    """Return counts, average precision and precision at k, ties by position."""

    def of_block(block: Block) -> tuple[np.ndarray, ...]:
        ranked = block.ranked(max(k, map_cutoff))
        average_precision = ranked_average_precision(
            ranked[:, :map_cutoff], block.relevance.sum(axis=1), "found"
        )
        return *block.counts(), average_precision, ranked[:, :k].mean(axis=1)

    parts = zip(*rankings.map(of_block), strict=True)
    total, relevant, average_precision, precision = (np.concatenate(part) for part in parts)
    return Counts(total, relevant), average_precision, precision
