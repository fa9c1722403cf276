"""The measures of a database that is spread over a cluster, from counts of its shards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from hashlearn._numerics.checks import check_option, check_radius
from hashlearn._numerics.words import check_same_width
from hashlearn.distributed.cluster import extra, find_client
from hashlearn.distributed.merging import smallest
from hashlearn.distributed.shards import Shards, is_dask, n_bytes
from hashlearn.metrics.choices import Ties
from hashlearn.metrics.counts import Counts
from hashlearn.metrics.evaluation import (
    Cutoffs,
    Evaluation,
    by_index,
    evaluation_of,
    expected,
    part_of_counts,
)
from hashlearn.metrics.rankings import Rankings
from hashlearn.metrics.relevance import relevance_from_labels
from hashlearn.search.packing import check_packed


def evaluate(
    query_codes: ArrayLike,
    database_codes: Any,
    query_labels: Any,
    database_labels: Any,
    *,
    k: int = 300,
    map_cutoff: int = 1000,
    radius: int = 2,
    ties: Ties = "expected",
    n_bits: int | None = None,
    client: Any = None,
) -> Evaluation:
    """Measure retrieval from a database in shards; items that share a label are relevant.

    The values are those of :func:`hashlearn.metrics.evaluate`, to the last digit. A shard answers
    with its counts per query and distance, and with ``ties="index"`` also with the relevance of
    its first items; codes and labels stay where they are.

    Parameters
    ----------
    query_codes : array-like of shape (n_queries, width), uint8
        Packed codes.
    database_codes : array-like or dask array of shape (n_database, width), uint8
        Packed codes; a dask array gives a shard per chunk, which is computed once.
    query_labels : array-like of shape (n_queries,) or (n_queries, n_labels)
        One label per query, or a 0/1 indicator of several labels.
    database_labels : array-like, dask array or series of shape (n_database,) or (n_database, \
n_labels)
        The same for the database. Where the rows of a dask array are not known (it came from
        a dataframe), the other takes the same chunks.
    k : int, default=300
        Cut-off of precision; a smaller database is taken whole.
    map_cutoff : int, default=1000
        Cut-off of average precision; a smaller database is taken whole.
    radius : int, default=2
        Radius of the look-up.
    ties : {"expected", "index"}, default="expected"
        Equally distant items: the mean over all their orders, or by position in the database.
    n_bits : int, optional
        Bits per code, 8 * width unless given.
    client : distributed.Client, optional
        The cluster; the default client unless given.

    Returns
    -------
    evaluation : Evaluation

    Examples
    --------
    >>> from distributed import Client
    >>> codes = np.array([[0], [1], [254], [255]], dtype=np.uint8)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     evaluate(codes[[0, 3]], codes, ["cat", "dog"], ["cat", "cat", "dog", "dog"], k=2)
    Evaluation(pr_area=1.0, mean_average_precision=1.0, precision_at_k=1.0, \
precision_within_radius=1.0, empty_share=0.0)
    """
    check_option("ties", ties, Ties)
    check_radius(radius)
    codes, labels = _rows(database_codes), _rows(database_labels)
    queries = _Queries(check_packed(query_codes, n_bits, "query_codes"), _rows(query_labels))
    _check(queries, codes, labels, n_bits)
    if not np.isnan(codes.shape[0]):
        Cutoffs.check(k, map_cutoff, radius, codes.shape[0])
    shards = Shards.build(find_client(client), _LabelledCodes, codes, labels)
    cutoffs = Cutoffs.check(k, map_cutoff, radius, len(shards))
    n_bits = n_bits or 8 * queries.codes.shape[1]
    n_ranked = cutoffs.last if ties == "index" else 0
    counts, ranked = _counted(shards, queries, n_bits, n_ranked)
    if ties == "expected":
        measured = expected(counts, cutoffs)
    else:
        measured = by_index(ranked, counts.n_relevant, cutoffs)
    return evaluation_of([part_of_counts(counts, measured, radius)])


class _LabelledCodes:
    """A shard: codes and labels of the same items."""

    def __init__(self, codes: np.ndarray, labels: Any) -> None:
        if codes.shape[0] != labels.shape[0]:
            raise ValueError(
                f"database_codes and database_labels have chunks of {codes.shape[0]} and "
                f"{labels.shape[0]} rows: they take the same chunks."
            )
        self.codes, self.labels = codes, labels

    def __len__(self) -> int:
        return self.codes.shape[0]

    def __sizeof__(self) -> int:
        return n_bytes(self.codes) + n_bytes(self.labels)


class _Queries(NamedTuple):
    """Codes and labels of some queries."""

    codes: np.ndarray
    labels: Any


class _ShardCounts(NamedTuple):
    """What a shard answers: counts, and the relevance of the first items of its rankings."""

    counts: Counts
    ranked: np.ndarray


def _rows(values: Any) -> Any:
    """Return what can be cut into rows: a dask array, an array or a CSR matrix."""
    dataframe = extra("dask.dataframe")
    if isinstance(values, (dataframe.Series, dataframe.DataFrame)):
        return values.map_partitions(np.asarray, meta=np.asarray(values._meta))
    if is_dask(values):
        return values
    return values.tocsr() if sparse.issparse(values) else np.asarray(values)


def _check(queries: _Queries, codes: Any, labels: Any, n_bits: int | None) -> None:
    """Check shapes and kinds, without computing anything; the workers check the values."""
    no_codes = check_packed(_no_rows(codes), n_bits, "database_codes")
    check_same_width(queries.codes, no_codes, ("query_codes", "database_codes"))
    if queries.labels.shape[1:] != labels.shape[1:]:
        raise ValueError(
            f"query_labels has shape {queries.labels.shape} and database_labels {labels.shape}: "
            "they take two 1-D arrays of labels, or two 0/1 indicators with the same number of "
            "labels."
        )
    relevance_from_labels(queries.labels, _no_rows(labels))
    for name, n, n_labels in (
        ("query", len(queries.codes), queries.labels.shape[0]),
        ("database", codes.shape[0], labels.shape[0]),
    ):
        if n != n_labels and not np.isnan([n, n_labels]).any():
            raise ValueError(
                f"{name}_labels has {n_labels} rows: with {n} {name}_codes it takes {n}."
            )


def _no_rows(values: Any) -> np.ndarray:
    return np.empty((0, *values.shape[1:]), dtype=values.dtype)


def _counted(
    shards: Shards, queries: _Queries, n_bits: int, n_ranked: int
) -> tuple[Counts, np.ndarray]:
    """Return counts of the whole database, and the relevance of the first items."""
    parts = []
    for batch in shards.batches(len(queries.codes), 16 * (n_bits + 1) + n_ranked):
        asked = _Queries(*(values[batch] for values in queries))
        answers: list[_ShardCounts] = shards.ask(_count, asked, n_bits, n_ranked)
        total = np.sum([answer.counts.total for answer in answers], axis=0)
        relevant = np.sum([answer.counts.relevant for answer in answers], axis=0)
        parts.append((total, relevant, _merge_ranked(answers, n_ranked)))
    totals, relevants, ranked = map(np.concatenate, zip(*parts, strict=True))
    return Counts(totals, relevants), ranked


def _count(shard: _LabelledCodes, queries: _Queries, n_bits: int, n_ranked: int) -> _ShardCounts:
    """Count on a worker."""
    relevance = relevance_from_labels(queries.labels, shard.labels)
    rankings = Rankings.check(queries.codes, shard.codes, relevance, n_bits, exclude_self=False)
    k = min(n_ranked, len(shard))
    blocks = rankings.map(lambda block: (*block.by_radius(), block.ranked(k)))
    total, relevant, ranked = map(np.concatenate, zip(*blocks, strict=True))
    return _ShardCounts(Counts(total, relevant), ranked)


def _merge_ranked(answers: Sequence[_ShardCounts], k: int) -> np.ndarray:
    """Return the relevance of the first k items, ties by position: by shard, then in it."""
    ranked = np.concatenate([answer.ranked for answer in answers], axis=1)
    distances = np.concatenate([_first_distances(*answer) for answer in answers], axis=1)
    return np.take_along_axis(ranked, smallest(distances, k), axis=1)


def _first_distances(counts: Counts, ranked: np.ndarray) -> np.ndarray:
    """Return the distances of the first items, which follow from the counts."""
    n_queries, n_distances = counts.total.shape
    each = np.tile(np.arange(n_distances), n_queries)
    return np.repeat(each, counts.inside(ranked.shape[1]).ravel()).reshape(ranked.shape)
