"""What a query finds: nearest items, items within a radius, precision and recall at every radius.

Equally distant items are shown by position. Their order says nothing, so precision is told for
the list as shown and as expected over all orders of ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from hashlearn._numerics.checks import check_radius
from hashlearn.explorer.answers.ranking import Asked, Hit, Query, Ranking, rank
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.errors import NoAnswerError, WrongValueError
from hashlearn.metrics.average import expected_average_precision
from hashlearn.metrics.curve import curve_of_sums, curve_sums
from hashlearn.metrics.expected import expected_hits


class Tie(NamedTuple):
    """Equally distant items: how many are shown, of how many."""

    distance: int
    shown: int
    total: int


class ShownPrecision(NamedTuple):
    """The share of relevant items in the list as shown, and expected over all orders of ties."""

    shown: float
    expected: float


@dataclass(frozen=True)
class Found:
    """The nearest items of a query.

    Attributes
    ----------
    method : str
    bits : int
        How many bits were used.
    k : int
        How many items were asked for.
    query : Asked
    hits : tuple of Hit
        By distance, then by position; fewer than k if there are no more.
    ties : tuple of Tie
        The distances of the hits.
    precision : ShownPrecision or None
        None if nothing tells relevant items, or there are no hits.
    """

    method: str
    bits: int
    k: int
    query: Asked
    hits: tuple[Hit, ...]
    ties: tuple[Tie, ...]
    precision: ShownPrecision | None


@dataclass(frozen=True)
class Within:
    """The items within a radius of a query.

    Attributes
    ----------
    method : str
    bits : int
        How many bits were used.
    radius : int
    query : Asked
    count : int
        How many items there are.
    precision : float or None
        The share of relevant ones; None if there are no items, or nothing tells.
    recall : float or None
        The share of all relevant items; None if there are none.
    hits : tuple of Hit
        The first of the items, by distance, then by position.
    """

    method: str
    bits: int
    radius: int
    query: Asked
    count: int
    precision: float | None
    recall: float | None
    hits: tuple[Hit, ...]


@dataclass(frozen=True)
class QueryCurve:
    """Precision and recall of everything within each radius of a query.

    Attributes
    ----------
    method : str
    bits : int
        How many bits were used.
    query : Asked
    radii : tuple of int
        0 to `bits`.
    counts : tuple of int
        Items within.
    precision : tuple of float or None
        None where nothing is within.
    recall : tuple of float
    average_precision : float
        Of the whole ranking, expected over all orders of ties.
    """

    method: str
    bits: int
    query: Asked
    radii: tuple[int, ...]
    counts: tuple[int, ...]
    precision: tuple[float | None, ...]
    recall: tuple[float, ...]
    average_precision: float


def search(
    collection: Collection, method: str, query: Query, bits: int | None = None, k: int = 30
) -> Found:
    """Find the k nearest items of a query, itself left out.

    Parameters
    ----------
    collection : Collection
    method : str
        Whose codes.
    query : Query
    bits : int, optional
        How many bits are used, the first ones; all unless given.
    k : int, default=30
        At least 1; where there are fewer items, all are found.

    Returns
    -------
    found : Found

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.explorer import CodedItems, IdDisplay, Labels
    >>> coded = CodedItems("lsh", "Random projections", np.array([[0], [64], [192]], np.uint8), 2)
    >>> labels = Labels.from_values(["cat", "cat", "dog"])
    >>> pets = Collection("pets", np.arange(3), IdDisplay(), labels, {"lsh": coded})
    >>> found = search(pets, "lsh", Query(position=0), k=1)
    >>> found.hits, found.ties
    ((Hit(position=1, distance=1, code='01', relevant=True),), (Tie(distance=1, shown=1, total=1),))
    """
    if k < 1:
        raise WrongValueError(f"k={k} is too small: it takes at least 1.")
    ranking = rank(collection, method, query, bits)
    hits = ranking.first(min(k, ranking.n_ranked))
    return Found(
        method=method,
        bits=ranking.bits,
        k=k,
        query=ranking.asked,
        hits=hits,
        ties=_ties(ranking, hits),
        precision=_precision(ranking, hits),
    )


def within_radius(
    collection: Collection,
    method: str,
    query: Query,
    bits: int | None = None,
    radius: int = 2,
    limit: int = 200,
) -> Within:
    """Find the items within a radius of a query, itself left out.

    Parameters
    ----------
    collection, method, query, bits
        As in :func:`search`.
    radius : int, default=2
        The largest Hamming distance, at least 0.
    limit : int, default=200
        How many of the items are listed, at least 0; all are counted.

    Returns
    -------
    within : Within
    """
    check_radius(radius)
    if limit < 0:
        raise WrongValueError(f"limit={limit} is too small: it takes at least 0.")
    ranking = rank(collection, method, query, bits)
    count, n_hits = ranking.within(radius)
    return Within(
        method=method,
        bits=ranking.bits,
        radius=radius,
        query=ranking.asked,
        count=count,
        precision=n_hits / count if ranking.is_judged and count else None,
        recall=n_hits / ranking.n_relevant if ranking.n_relevant else None,
        hits=ranking.first(min(limit, count)),
    )


def query_curve(
    collection: Collection, method: str, query: Query, bits: int | None = None
) -> QueryCurve:
    """Measure precision and recall within every radius of a query, itself left out.

    Parameters
    ----------
    collection, method, query, bits
        As in :func:`search`.

    Returns
    -------
    curve : QueryCurve

    Raises
    ------
    NoAnswerError
        If the query has no label, or no other item has it.
    """
    ranking = rank(collection, method, query, bits)
    if not ranking.is_judged:
        raise NoAnswerError("The query has no label: nothing tells which items are relevant.")
    if not ranking.n_relevant:
        raise NoAnswerError("No other item has a label of the query: there is nothing to find.")
    counts = ranking.counts
    curve = curve_of_sums([curve_sums(counts)], average="queries")
    within = counts.total[0].cumsum().tolist()
    precision = zip(curve.precision.tolist(), within, strict=True)
    average = expected_average_precision(counts, ranking.n_ranked, denominator="all")
    return QueryCurve(
        method=method,
        bits=ranking.bits,
        query=ranking.asked,
        radii=tuple(range(ranking.bits + 1)),
        counts=tuple(within),
        precision=tuple(value if count else None for value, count in precision),
        recall=tuple(curve.recall.tolist()),
        average_precision=float(average[0]),
    )


def _ties(ranking: Ranking, hits: tuple[Hit, ...]) -> tuple[Tie, ...]:
    """Return for each distance of the hits how many of its items are shown."""
    shown = {d: len(list(tied)) for d, tied in groupby(hits, key=lambda hit: hit.distance)}
    return tuple(Tie(d, n, int(ranking.counts.total[0, d])) for d, n in shown.items())


def _precision(ranking: Ranking, hits: tuple[Hit, ...]) -> ShownPrecision | None:
    if not (ranking.is_judged and hits):
        return None
    n_relevant = sum(bool(hit.relevant) for hit in hits)
    expected = expected_hits(ranking.counts, len(hits))[0]
    return ShownPrecision(n_relevant / len(hits), float(expected) / len(hits))
