"""Precision of hash look-up: all items within a Hamming radius."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.metrics._means import mean_of_defined
from hashlearn.metrics._rankings import Rankings
from hashlearn.search import Distance, FloatQueries


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

    @classmethod
    def from_hits(cls, found: np.ndarray, hits: np.ndarray) -> RadiusPrecision:
        """Return the precision from the items, and the relevant items, within a radius.

        Parameters
        ----------
        found, hits : ndarray of shape (n_queries,)

        Returns
        -------
        result : RadiusPrecision
        """
        return cls(
            mean_of_defined(hits / np.maximum(found, 1)), mean_of_defined((found == 0) * 1.0)
        )


def precision_within_radius(
    query_codes: ArrayLike | FloatQueries,
    database_codes: ArrayLike,
    relevance: Any,
    radius: float | None = None,
    *,
    exclude_self: bool = False,
    n_bits: int | None = None,
    distance: Distance | None = None,
) -> RadiusPrecision:
    """Share of relevant items among those within a radius, averaged over queries.

    Parameters
    ----------
    query_codes : array-like of shape (n_queries, width), uint8, or FloatQueries
        Packed codes; or queries that are not rounded to bits: `hasher.encode_queries(X)`, or an
        array of margins, (n_queries, n_bits) float.
    database_codes : array-like of shape (n_database, width), uint8
        Packed codes.
    relevance : Relevance, scipy sparse matrix or array-like of shape (n_queries, n_database)
        Above 0 is relevant.
    radius : int or float, optional
        Largest distance that is looked up, by default 2; an integer for Hamming's, any number for
        float queries, for which it must be given.
    exclude_self : bool, default=False
        Query i is database item i, and is left out of its own ranking.
    n_bits : int, optional
        Bits per code; by default those that the distance has parameters for, or 8 * width.
    distance : Distance, optional
        A distance other than Hamming's, such as a hasher's `distance_`.

    Returns
    -------
    result : RadiusPrecision

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.metrics import precision_within_radius
    >>> codes = np.array([[0], [1], [3], [255]], dtype=np.uint8)
    >>> relevance = np.eye(4, dtype=bool)
    >>> precision_within_radius(codes[[0, 3]], codes, relevance[[0, 3]], radius=1)
    RadiusPrecision(precision=0.75, empty_share=0.0)
    """
    rankings = Rankings.check(
        query_codes, database_codes, relevance, n_bits, exclude_self, distance
    )
    within: Any = rankings.pairs.default_radius if radius is None else radius
    rankings.pairs.check_radius(within)
    found, hits = zip(*rankings.map(lambda block: block.within(within)), strict=True)
    return RadiusPrecision.from_hits(np.concatenate(found), np.concatenate(hits))
