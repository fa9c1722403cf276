"""How a method's codes retrieve over the whole collection: measures of up to 500 queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hashlearn._numerics.words import by_word
from hashlearn.explorer.collection.coded import CodedItems
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.collection.labels import Labels
from hashlearn.explorer.errors import NoAnswerError
from hashlearn.metrics.average import expected_average_precision
from hashlearn.metrics.choices import mean_of_defined
from hashlearn.metrics.counts import Counts
from hashlearn.metrics.curve import curve_of_sums, curve_sums
from hashlearn.metrics.expected import expected_hits
from hashlearn.metrics.rankings import Rankings

MAX_QUERIES = 500
MAP_CUTOFF = 1000
CUTOFFS = (1, 3, 10, 30, 100, 300, 1000)
SEED = 0  # of the sample of queries


@dataclass(frozen=True)
class Overview:
    """Measures over many queries, expected over all orders of ties.

    Attributes
    ----------
    method : str
    bits : int
        How many bits were used.
    n_queries : int
        How many queries there were, each left out of its own ranking.
    held_out : bool
        Whether nothing was learned from the queries.
    precision, recall : tuple of float
        Within radius 0, 1, ..., `bits`; an empty result has precision 0.
    pr_area : float
        The area under that curve.
    mean_average_precision : float
        Over the relevant items found up to the cut-off.
    map_cutoff : int
        The cut-off: 1,000, or all items if there are fewer.
    ks : tuple of int
        How many items precision is told for.
    precision_at : tuple of float
        Mean precision of the first so many items.
    """

    method: str
    bits: int
    n_queries: int
    held_out: bool
    precision: tuple[float, ...]
    recall: tuple[float, ...]
    pr_area: float
    mean_average_precision: float
    map_cutoff: int
    ks: tuple[int, ...]
    precision_at: tuple[float, ...]


def overview(collection: Collection, method: str, bits: int | None = None) -> Overview:
    """Measure how a method's codes retrieve; computed once for each number of bits.

    Parameters
    ----------
    collection : Collection
    method : str
        Whose codes.
    bits : int, optional
        How many bits are used, the first ones; all unless given.

    Returns
    -------
    overview : Overview

    Raises
    ------
    NoAnswerError
        If the collection has no labels, or no two of its items share one.

    Examples
    --------
    >>> from hashlearn.explorer import CodedItems, IdDisplay, Labels
    >>> coded = CodedItems("lsh", "Random projections", np.array([[0], [64], [192]], np.uint8), 2)
    >>> labels = Labels.from_values(["cat", "cat", "dog"])
    >>> pets = Collection("pets", np.arange(3), IdDisplay(), labels, {"lsh": coded})
    >>> found = overview(pets, "lsh")
    >>> found.n_queries, found.mean_average_precision
    (3, 0.875)
    """
    coded = collection.method(method)
    bits = coded.check_bits(bits)
    return collection.answers.get(
        ("overview", method, bits), lambda: _measure(collection, coded, bits)
    )


def overview_queries(collection: Collection) -> np.ndarray:
    """Return the positions of the queries: those held out, or all; at most 500 at random.

    Items without labels are never queries. Without labels there are none.
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
        raise NoAnswerError("The collection has no labels: nothing tells which items are relevant.")
    positions = overview_queries(collection)
    counts = _count(collection.labels, coded, bits, positions)
    if not counts.n_relevant.any():
        raise NoAnswerError("No query shares a label with another item: there is nothing to find.")
    n_ranked = collection.n_items - 1
    ks = tuple(k for k in CUTOFFS if k <= n_ranked)
    cutoff = min(MAP_CUTOFF, n_ranked)
    curve = curve_of_sums([curve_sums(counts)], average="queries")
    return Overview(
        method=coded.name,
        bits=bits,
        n_queries=len(positions),
        held_out=collection.curve_queries is not None,
        precision=tuple(curve.precision.tolist()),
        recall=tuple(curve.recall.tolist()),
        pr_area=curve.area,
        mean_average_precision=mean_of_defined(expected_average_precision(counts, cutoff, "found")),
        map_cutoff=cutoff,
        ks=ks,
        precision_at=tuple(float(expected_hits(counts, k).mean()) / k for k in ks),
    )


def _count(labels: Labels, coded: CodedItems, bits: int, positions: np.ndarray) -> Counts:
    """Count items and relevant items per query and distance, without the queries themselves."""
    queries = by_word(coded.first_bits(positions, bits))
    relevance = labels.relevance(positions)
    words = coded.prefix(bits).words
    total, relevant = Rankings(queries, words, relevance, bits, exclude_self=False).counts()
    # A query finds itself at distance 0, and has a label: it is one relevant item too many.
    total[:, 0] -= 1
    relevant[:, 0] -= 1
    return Counts(total, relevant)
