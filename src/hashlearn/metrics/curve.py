"""Precision and recall at every Hamming radius, and the area under their curve."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import trapezoid

from hashlearn._numerics.checks import check_option
from hashlearn.metrics._means import warn_undefined
from hashlearn.metrics._rankings import Rankings
from hashlearn.metrics.counts import RankingCounts
from hashlearn.search import Distance, FloatQueries

Average = Literal["queries", "pooled", "non-empty"]


class PrecisionRecallCurve(NamedTuple):
    """Precision and recall of all items within radius 0, 1, ..., n_bits.

    Attributes
    ----------
    precision, recall : ndarray of shape (n_bits + 1,)
        For real distances (4096,), the ends of equal steps of their scale.
    """

    precision: np.ndarray
    recall: np.ndarray

    @classmethod
    def from_counts(
        cls, counts: RankingCounts, average: Average = "queries"
    ) -> PrecisionRecallCurve:
        """Return the curve from counts per Hamming distance.

        Parameters
        ----------
        counts : RankingCounts
        average : {"queries", "pooled", "non-empty"}, default="queries"
            As in :func:`precision_recall_curve`.

        Returns
        -------
        curve : PrecisionRecallCurve
        """
        check_option("average", average, Average)
        return _curve_of_sums([_curve_sums(counts)], average)

    @property
    def area(self) -> float:
        """Trapezoids over recall, with the point (0, precision at radius 0) in front."""
        precision = np.concatenate([self.precision[:1], self.precision])
        return float(trapezoid(precision, np.concatenate([[0.0], self.recall])))


def precision_recall_curve(
    query_codes: ArrayLike | FloatQueries,
    database_codes: ArrayLike,
    relevance: Any,
    *,
    average: Average = "queries",
    exclude_self: bool = False,
    n_bits: int | None = None,
    distance: Distance | None = None,
) -> PrecisionRecallCurve:
    """Precision and recall of what lies within each Hamming radius from 0 to n_bits.

    Queries with nothing relevant have no recall and are skipped.

    Parameters
    ----------
    query_codes : array-like of shape (n_queries, width), uint8, or FloatQueries
        Packed codes; or queries that are not rounded to bits: `hasher.encode_queries(X)`, or an
        array of margins, (n_queries, n_bits) float.
    database_codes : array-like of shape (n_database, width), uint8
        Packed codes.
    relevance : Relevance, scipy sparse matrix or array-like of shape (n_queries, n_database)
        Above 0 is relevant.
    average : {"queries", "pooled", "non-empty"}, default="queries"
        Mean over queries, where an empty result has precision 0; precision and recall of the
        pooled counts of all queries; or mean over queries with precision averaged over those
        whose result is not empty (0 if all are empty).
    exclude_self : bool, default=False
        Query i is database item i, and is left out of its own ranking.
    n_bits : int, optional
        Bits per code; by default those that the distance has parameters for, or 8 * width.
    distance : Distance, optional
        A distance other than Hamming's, such as a hasher's `distance_`. The radii are
        then 4,096 equal steps of its scale, from 0 to the largest distance; for float queries
        from the smallest to the largest that any code could have.

    Returns
    -------
    curve : PrecisionRecallCurve
        NaN, with a warning, if no query has anything relevant.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.metrics import precision_recall_curve
    >>> codes = np.array([[0], [1], [3], [7]], dtype=np.uint8)
    >>> relevance = [[True, False, True, False]]
    >>> curve = precision_recall_curve(codes[:1], codes, relevance)
    >>> curve.precision[:4].round(2), curve.recall[:4]
    (array([1.  , 0.5 , 0.67, 0.5 ]), array([0.5, 0.5, 1. , 1. ]))
    """
    check_option("average", average, Average)
    rankings = Rankings.check(
        query_codes, database_codes, relevance, n_bits, exclude_self, distance
    )
    return _curve_of_sums(rankings.measured(_curve_sums), average)


def pr_area(
    query_codes: ArrayLike | FloatQueries,
    database_codes: ArrayLike,
    relevance: Any,
    *,
    average: Average = "queries",
    exclude_self: bool = False,
    n_bits: int | None = None,
    distance: Distance | None = None,
) -> float:
    """Area under the precision-recall curve over Hamming radii.

    The trapezoid rule, with the point (recall 0, precision at radius 0) in front.

    Parameters
    ----------
    query_codes, database_codes, relevance, average, exclude_self, n_bits, distance
        As in :func:`precision_recall_curve`.

    Returns
    -------
    area : float

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.metrics import pr_area
    >>> codes = np.array([[0], [1], [3], [7]], dtype=np.uint8)
    >>> round(pr_area(codes[:1], codes, [[True, False, True, False]]), 4)
    0.7917
    """
    return precision_recall_curve(
        query_codes,
        database_codes,
        relevance,
        average=average,
        exclude_self=exclude_self,
        n_bits=n_bits,
        distance=distance,
    ).area


class _CurveSums(NamedTuple):
    """Sums per radius over the queries of a block that have something relevant."""

    n_queries: int
    precision: np.ndarray  # an empty result has 0
    recall: np.ndarray
    n_results: np.ndarray  # that are not empty
    found: np.ndarray  # items within the radius
    hits: np.ndarray  # relevant items


def _curve_sums(counts: RankingCounts) -> _CurveSums:
    """Return the sums over queries from counts per distance."""
    defined = counts.n_relevant > 0
    found = np.cumsum(counts.total[defined], axis=1)
    hits = np.cumsum(counts.relevant[defined], axis=1)
    return _CurveSums(
        n_queries=len(hits),
        precision=(hits / np.maximum(found, 1)).sum(axis=0),
        recall=(hits / hits[:, -1:]).sum(axis=0),
        n_results=(found > 0).sum(axis=0),
        found=found.sum(axis=0),
        hits=hits.sum(axis=0),
    )


def _curve_of_sums(blocks: list[_CurveSums], average: Average) -> PrecisionRecallCurve:
    """Return the curve from the sums over all blocks of queries."""
    n_queries, precision, recall, n_results, found, hits = (
        np.sum(values, axis=0) for values in zip(*blocks, strict=True)
    )
    if not n_queries:
        warn_undefined()
        undefined = np.full(found.shape, np.nan)
        return PrecisionRecallCurve(undefined, undefined)
    if average == "pooled":
        return PrecisionRecallCurve(hits / np.maximum(found, 1), hits / hits[-1])
    n_averaged = np.maximum(n_results, 1) if average == "non-empty" else n_queries
    return PrecisionRecallCurve(precision / n_averaged, recall / n_queries)
