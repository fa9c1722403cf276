"""Measures of a database that is spread over a cluster, from counts of its shards."""

from __future__ import annotations

from functools import partial, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from hashlearn._numerics.checks import check_option, check_radius, clipped_k
from hashlearn._numerics.ids import as_ids
from hashlearn._numerics.words import check_same_width
from hashlearn.distributed._client import extra, find_client
from hashlearn.distributed._shards import Shards, is_dask, n_bytes, no_rows
from hashlearn.metrics import Evaluation, RankingCounts, count_rankings, relevance_from_labels
from hashlearn.metrics.counts import Ties
from hashlearn.search import check_packed, joint_model
from hashlearn.search.results import TieOrder


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
    ids: Any = None,
    client: Any = None,
) -> Evaluation:
    """Measure retrieval from a database in shards; items that share a label are relevant.

    The values are those of :func:`hashlearn.metrics.evaluate`, to the last digit. A shard returns
    its counts per query and distance, and unless ties are expected also the relevance of its first
    items; codes and labels stay where they are.

    Parameters
    ----------
    query_codes : array-like of shape (n_queries, width), uint8
        Packed codes.
    database_codes : array-like or dask array of shape (n_database, width), uint8
        Packed codes; each chunk of a dask array is a shard, which is computed once.
    query_labels : array-like of shape (n_queries,) or (n_queries, n_labels)
        One label per query, or a 0/1 indicator of several labels.
    database_labels : array-like, dask array or series of shape (n_database,) or (n_database, \
n_labels)
        The same for the database. If the rows of a dask array are unknown (from a dataframe), the
        other must have the same chunks.
    k : int, default=300
        Cut-off of precision; at most the whole database.
    map_cutoff : int, default=1000
        Cut-off of average precision; at most the whole database.
    radius : int, default=2
        Radius of the look-up.
    ties : {"expected", "neutral", "insertion"}, default="expected"
        Equally distant items: the mean over all their orders, in the order in which a search
        returns them by default, or by position in the database.
    n_bits : int, optional
        Bits per code; by default 8 * width.
    ids : array-like of shape (n_database,), optional
        The ids that an index has for the items, for ``ties="neutral"``; by default positions.
    client : distributed.Client, optional
        The cluster; by default that of the default client.

    Returns
    -------
    evaluation : Evaluation

    Examples
    --------
    >>> import numpy as np
    >>> from distributed import Client
    >>> from hashlearn.distributed import evaluate
    >>> codes = np.array([[0], [1], [254], [255]], dtype=np.uint8)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     evaluate(codes[[0, 3]], codes, ["cat", "dog"], ["cat", "cat", "dog", "dog"], k=2)
    Evaluation(pr_area=1.0, mean_average_precision=1.0, precision_at_k=1.0, \
precision_within_radius=1.0, empty_share=0.0)
    """
    check_option("ties", ties, Ties)
    check_radius(radius)
    joint_model(query_codes=query_codes, database_codes=database_codes)
    codes, labels = _rows(database_codes), _rows(database_labels)
    queries = _Queries(check_packed(query_codes, n_bits, "query_codes"), _rows(query_labels))
    _check(queries, codes, labels, n_bits)
    cutoffs = {"k": k, "map_cutoff": map_cutoff}
    if not np.isnan(codes.shape[0]):  # wrong ones are refused before the work
        _last_rank(cutoffs, codes.shape[0])
    shards = Shards.build(find_client(client), _LabelledCodes, codes, labels)
    first = None if ties == "expected" else _First(_last_rank(cutoffs, len(shards)), ties)
    own = shards.starts if ids is None else shards.parts_of(as_ids(ids), "ids")
    counts = _counted(shards, queries, n_bits or 8 * queries.codes.shape[1], first, own)
    return Evaluation.from_counts(counts, radius=radius, ties=ties, **cutoffs)


def _last_rank(cutoffs: dict[str, int], n: int) -> int:
    """Return how much of a ranking of n items is looked at."""
    return max(clipped_k(cutoff, n, name) for name, cutoff in cutoffs.items())


class _LabelledCodes:
    """A shard: codes and labels of the same items."""

    def __init__(self, codes: np.ndarray, labels: Any) -> None:
        if codes.shape[0] != labels.shape[0]:
            raise ValueError(
                "database_codes and database_labels must have the same chunks; got chunks of "
                f"{codes.shape[0]} and {labels.shape[0]} rows."
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


class _First(NamedTuple):
    """How many first items of each ranking are kept, and in which order of ties."""

    n: int
    ties: TieOrder


def _rows(values: Any) -> Any:
    """Return values with rows: a dask array, an array or a CSR matrix."""
    dataframe = extra("dask.dataframe")
    if isinstance(values, (dataframe.Series, dataframe.DataFrame)):
        return values.map_partitions(np.asarray, meta=np.asarray(values._meta))
    if is_dask(values):
        return values
    return values.tocsr() if sparse.issparse(values) else np.asarray(values)


def _check(queries: _Queries, codes: Any, labels: Any, n_bits: int | None) -> None:
    """Check shapes and kinds, without computing anything; the workers check the values."""
    no_codes = check_packed(no_rows(codes), n_bits, "database_codes")
    check_same_width(queries.codes, no_codes, ("query_codes", "database_codes"))
    if queries.labels.shape[1:] != labels.shape[1:]:
        raise ValueError(
            "query_labels and database_labels must be two 1-D arrays of labels, or two 0/1 "
            "indicators with the same number of labels; got shapes "
            f"{queries.labels.shape} and {labels.shape}."
        )
    relevance_from_labels(queries.labels, no_rows(labels))
    for name, n, n_labels in (
        ("query", len(queries.codes), queries.labels.shape[0]),
        ("database", codes.shape[0], labels.shape[0]),
    ):
        if n != n_labels and not np.isnan([n, n_labels]).any():
            raise ValueError(f"{name}_labels must have {n} rows, as {name}_codes; got {n_labels}.")


def _counted(
    shards: Shards, queries: _Queries, n_bits: int, first: _First | None, ids: list[Any]
) -> RankingCounts:
    """Return the counts of the whole database."""
    blocks = []
    first_bytes = 0 if first is None else 9 * first.n  # relevance and tie keys
    for rows in shards.batches(len(queries.codes), 16 * (n_bits + 1) + first_bytes):
        asked = _Queries(*(values[rows] for values in queries))
        counts = shards.ask(partial(_count, queries=asked, n_bits=n_bits, first=first), each=ids)
        blocks.append(reduce(add, counts))
    return RankingCounts.concatenated(blocks)


def _count(
    shard: _LabelledCodes, ids: Any, queries: _Queries, n_bits: int, first: _First | None
) -> RankingCounts:
    """Count a shard on a worker; `ids` are those of its items, or the first of consecutive ones."""
    relevance = relevance_from_labels(queries.labels, shard.labels)
    codes = queries.codes, shard.codes
    if first is None:
        return count_rankings(*codes, relevance, n_bits=n_bits)
    if isinstance(ids, int):
        ids = np.arange(ids, ids + len(shard))
    return count_rankings(
        *codes, relevance, n_first=first.n, ties=first.ties, n_bits=n_bits, ids=ids
    )
