"""Measures of a method's codes over the whole collection, from up to 500 queries."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from hashlearn.explorer.answers.items import Answer, Bits, Share
from hashlearn.explorer.collection.coded import CodedItems
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.collection.labels import Labels
from hashlearn.explorer.errors import NoAnswerError
from hashlearn.metrics import PrecisionRecallCurve, RankingCounts, count_rankings

MAX_QUERIES = 500
MAP_CUTOFF = 1000
CUTOFFS = (1, 3, 10, 30, 100, 300, 1000)
SEED = 0  # for the sample of queries


class WholeCurve(Answer):
    """Mean precision and recall within radius 0, 1, ..., bits; an empty result has precision 0."""

    precision: tuple[Share, ...]
    recall: tuple[Share, ...]


class PrecisionAt(Answer):
    """Mean precision of the first k items."""

    k: tuple[int, ...]
    precision: tuple[Share, ...]


class Overview(Answer):
    """Measures over many queries, each left out of its own ranking."""

    method: str
    bits: Bits
    n_queries: int = Field(ge=1)
    held_out: bool = Field(description="Whether nothing was learned from the queries.")
    curve: WholeCurve
    pr_area: float = Field(description="Area under the curve.")
    mean_average_precision: float = Field(
        description="Of the first `map_cutoff` items: the sum of the precisions at the relevant "
        "items among them, divided by the number of these, not of all relevant items."
    )
    map_cutoff: int = Field(description="1,000, or all other items if there are fewer.")
    precision_at: PrecisionAt
    ties: Literal["expected"] = Field(
        default="expected", description="All measures are expected values over all orders of ties."
    )


def overview(collection: Collection, method: str, bits: int | None = None) -> Overview:
    """Measure how a method's codes retrieve; computed once for each number of bits.

    Raises NoAnswerError if the collection has no labels, or no two of its items share one.
    """
    coded = collection.method(method)
    bits = coded.check_bits(bits)
    return collection.answers.get(
        ("overview", method, bits), lambda: _measure(collection, coded, bits)
    )


def overview_queries(collection: Collection) -> np.ndarray:
    """Return the positions of the queries: at most 500 at random of those held out, or of all.

    Items without labels are never queries.
    """
    if collection.labels is None:
        return np.empty(0, dtype=np.int64)
    given = collection.curve_queries
    positions = np.arange(collection.n_items) if given is None else np.unique(given)
    n_labels = np.diff(collection.labels.indicator.indptr)
    positions = positions[n_labels[positions] > 0]
    if positions.size <= MAX_QUERIES:
        return positions
    return np.sort(np.random.default_rng(SEED).choice(positions, MAX_QUERIES, replace=False))


def _measure(collection: Collection, coded: CodedItems, bits: int) -> Overview:
    if collection.labels is None:
        raise NoAnswerError("The collection has no labels, so no item is known to be relevant.")
    positions = overview_queries(collection)
    counts = _count(collection.labels, coded, bits, positions)
    if not counts.n_relevant.any():
        raise NoAnswerError(
            "No query shares a label with another item, so there is nothing to find."
        )
    n_ranked = collection.n_items - 1
    ks = tuple(k for k in CUTOFFS if k <= n_ranked)
    cutoff = min(MAP_CUTOFF, n_ranked)
    curve = PrecisionRecallCurve.from_counts(counts)
    return Overview(
        method=coded.name,
        bits=bits,
        n_queries=len(positions),
        held_out=collection.curve_queries is not None,
        curve=WholeCurve(precision=curve.precision.tolist(), recall=curve.recall.tolist()),
        pr_area=curve.area,
        mean_average_precision=float(np.nanmean(counts.average_precision(cutoff, "found"))),
        map_cutoff=cutoff,
        precision_at=PrecisionAt(
            k=ks, precision=tuple(float(counts.expected_hits(k).mean()) / k for k in ks)
        ),
    )


def _count(labels: Labels, coded: CodedItems, bits: int, positions: np.ndarray) -> RankingCounts:
    """Count items and relevant items per query and distance, the query itself left out."""
    queries, database = coded.first_bits(positions, bits), coded.first_bits(slice(None), bits)
    counts = count_rankings(queries, database, labels.relevance(positions), n_bits=bits)
    # A query finds itself at distance 0 and is relevant to itself.
    counts.total[:, 0] -= 1
    counts.relevant[:, 0] -= 1
    return counts
