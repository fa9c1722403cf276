"""Neighbours of a query: the nearest items, those within a radius, precision at every radius.

Equally distant items are listed in the neutral order of an index. It means nothing, so precision is
given for the list as shown, and as expected over all orders of ties.
"""

from __future__ import annotations

from itertools import groupby

from pydantic import Field

from hashlearn._numerics.checks import check_radius
from hashlearn.explorer.answers.items import Answer, Bits, Count, Share
from hashlearn.explorer.answers.ranking import Asked, Hit, Query, Ranking, rank
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.errors import NoAnswerError, WrongValueError
from hashlearn.metrics import PrecisionRecallCurve


class Tie(Answer):
    """Equally distant items."""

    distance: Count
    shown: int = Field(ge=1, description="Number of hits at this distance.")
    total: int = Field(ge=1, description="Number of items at this distance.")


class ShownPrecision(Answer):
    """The share of relevant items: as shown, and the mean over all orders of ties."""

    shown: Share
    expected: Share


class Found(Answer):
    """The nearest items of a query."""

    method: str
    bits: Bits
    k: int = Field(ge=1, description="Number of items asked for.")
    query: Asked
    hits: tuple[Hit, ...] = Field(
        description="By distance, then in a neutral order; fewer than k if there are no more items."
    )
    ties: tuple[Tie, ...] = Field(description="One entry per distance of the hits.")
    precision: ShownPrecision | None = Field(
        description="null if the query has no label, or there are no hits."
    )


class Within(Answer):
    """The items within a radius of a query."""

    method: str
    bits: Bits
    radius: Count
    query: Asked
    count: Count = Field(description="Number of items within; the hits are the first of them.")
    precision: Share | None = Field(description="null if unknown, or nothing is within.")
    recall: Share | None = Field(description="null if no item is relevant.")
    hits: tuple[Hit, ...]


class QueryCurve(Answer):
    """Precision and recall within every radius of a query."""

    method: str
    bits: Bits
    query: Asked
    radii: tuple[Count, ...] = Field(description="0 to the number of bits.")
    counts: tuple[Count, ...] = Field(description="Items within.")
    precision: tuple[Share | None, ...] = Field(description="null where nothing is within.")
    recall: tuple[Share, ...]
    average_precision: Share = Field(
        description="Of the whole ranking: the sum of the precisions at the relevant items, "
        "divided by the number of all relevant items; expected over all orders of ties."
    )


def search(
    collection: Collection, method: str, query: Query, bits: int | None = None, k: int = 30
) -> Found:
    """Find the k nearest items of a query, itself left out; all items if there are fewer."""
    if k < 1:
        raise WrongValueError(f"k must be at least 1; got {k}.")
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
    """Find the items within a radius of a query: all are counted, at most `limit` listed."""
    check_radius(radius)
    if limit < 0:
        raise WrongValueError(f"limit must be at least 0; got {limit}.")
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

    Takes the parameters of :func:`search`, and raises NoAnswerError if the query has no label, or
    no other item has it.
    """
    ranking = rank(collection, method, query, bits)
    if not ranking.is_judged:
        raise NoAnswerError("The query has no label, so no item is known to be relevant.")
    if not ranking.n_relevant:
        raise NoAnswerError("No other item has a label of the query, so there is nothing to find.")
    counts = ranking.counts
    curve = PrecisionRecallCurve.from_counts(counts)
    within = counts.total[0].cumsum().tolist()
    precision = zip(curve.precision.tolist(), within, strict=True)
    average = counts.average_precision()
    return QueryCurve(
        method=method,
        bits=ranking.bits,
        query=ranking.asked,
        radii=tuple(range(ranking.bits + 1)),
        counts=tuple(within),
        precision=tuple(value if count else None for value, count in precision),
        recall=tuple(curve.recall.tolist()),
        average_precision=min(float(average[0]), 1.0),  # sums of ties may round above 1
    )


def _ties(ranking: Ranking, hits: tuple[Hit, ...]) -> tuple[Tie, ...]:
    """Return the number of hits and of items at each distance of the hits."""
    shown = {d: len(list(tied)) for d, tied in groupby(hits, key=lambda hit: hit.distance)}
    total = ranking.counts.total[0]
    return tuple(Tie(distance=d, shown=n, total=int(total[d])) for d, n in shown.items())


def _precision(ranking: Ranking, hits: tuple[Hit, ...]) -> ShownPrecision | None:
    if not (ranking.is_judged and hits):
        return None
    shown = sum(bool(hit.relevant) for hit in hits)
    expected = ranking.counts.expected_hits(len(hits))[0]
    return ShownPrecision(shown=shown / len(hits), expected=float(expected) / len(hits))
