"""Precision of hash look-up: all items within a Hamming radius."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.metrics.choices import mean_of_defined
from hashlearn.metrics.counts import Counts
from hashlearn.metrics.rankings import Rankings


class RadiusPrecision(NamedTuple):
    """Precision within a radius, and how often nothing lies there.

    Attributes
    ----------
    precision : float
        Mean over all queries; an empty result counts 0.
    empty_share : float
        Share of queries whose result is empty.
    """

    precision: float
    empty_share: float


def precision_within_radius(
    query_codes: ArrayLike,
    database_codes: ArrayLike,
    relevance: Any,
    radius: int = 2,
    *,
    exclude_self: bool = False,
    n_bits: int | None = None,
) -> RadiusPrecision:
    """Share of relevant items among those within a Hamming radius, averaged over queries.

    Parameters
    ----------
    query_codes : array-like of shape (n_queries, width), uint8
        Packed codes.
    database_codes : array-like of shape (n_database, width), uint8
        Packed codes.
    relevance : Relevance, scipy sparse matrix or array-like of shape (n_queries, n_database)
        Above 0 is relevant.
    radius : int, default=2
        Largest distance that is looked up.
    exclude_self : bool, default=False
        Query i is database item i, and is left out of its own ranking.
    n_bits : int, optional
        Bits per code; 8 * width unless given.

    Returns
    -------
    result : RadiusPrecision

    Examples
    --------
    >>> codes = np.array([[0], [1], [3], [255]], dtype=np.uint8)
    >>> relevance = np.eye(4, dtype=bool)
    >>> precision_within_radius(codes[[0, 3]], codes, relevance[[0, 3]], radius=1)
    RadiusPrecision(precision=0.75, empty_share=0.0)
    """
    check_radius(radius)
    rankings = Rankings.check(query_codes, database_codes, relevance, n_bits, exclude_self)
    return radius_precision_of_counts(rankings.counts(), radius)


def check_radius(radius: int) -> None:
    """Check that `radius` is a distance."""
    if not isinstance(radius, Integral) or radius < 0:
        raise ValueError(f"radius={radius!r} is no distance: it takes an integer of at least 0.")


def radius_precision_of_counts(counts: Counts, radius: int) -> RadiusPrecision:
    """Return the precision within a radius from counts per distance."""
    found = counts.total[:, : radius + 1].sum(axis=1)
    hits = counts.relevant[:, : radius + 1].sum(axis=1)
    return RadiusPrecision(
        mean_of_defined(hits / np.maximum(found, 1)), mean_of_defined((found == 0) * 1.0)
    )
