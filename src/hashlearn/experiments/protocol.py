"""Splits of the paper: queries, the database that is searched, and the training items.

Four protocols, all drawn by a seed:

- ``usual``: random queries, the rest is the database, training items from it (balanced over
  classes where an item has one). Items that share a label are relevant, or the similar pairs
  of the set.
- ``unseen``: three tenths of the classes are kept out of training; queries and database come
  from these classes only [1]_. (An item with several labels is used if all are kept out, or
  none.)
- ``l2``: no labels; the nearest 2 percent of the database in Euclidean distance are relevant.
  Two training items are similar if either is among the other's nearest 2 percent of them.
- ``all-labels``: as ``usual``, with the whole database as training items.

References
----------
.. [1] Sablayrolles, Douze, Usunier and Jégou, "How should we evaluate supervised hashing?",
   ICASSP 2017.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.rbf import SquaredDistances
from hashlearn.affinity import DenseAffinity, NeighborAffinity
from hashlearn.affinity.neighbors import NEAREST_FRACTION
from hashlearn.experiments.sets import ExperimentSet
from hashlearn.metrics import Relevance, as_relevance, relevance_from_labels

UNSEEN_SHARE = 0.3
FEWEST_UNSEEN = 2  # with one class every item would be relevant
FEWEST_CLASSES = 4
# Limits for small sets: enough remains as a database, and most of it is not in training.
MOST_QUERIES, MOST_TRAINING = 1 / 6, 1 / 2
_BLOCK_ENTRIES = 2**26  # distances held at once

# What splits depend on, besides sizes and seed.
RULES = {
    "unseen_share": UNSEEN_SHARE,
    "fewest_unseen": FEWEST_UNSEEN,
    "most_queries": MOST_QUERIES,
    "most_training": MOST_TRAINING,
    "nearest_fraction": NEAREST_FRACTION,
}


class Sizes(NamedTuple):
    """Numbers of queries, training items and database items; None means all remaining items."""

    n_queries: int = 2000
    n_training: int = 2000
    n_database: int | None = None


@dataclass(frozen=True)
class Split:
    """Rows of a set, the supervision of its training items, and the relevant items."""

    queries: np.ndarray
    database: np.ndarray
    training: np.ndarray  # database items, except in the protocol "unseen"
    supervision: dict[str, Any]  # arguments of `fit` besides X: "y" or "affinity"
    relevance: Relevance  # of database items to queries
    training_relevance: Relevance | None  # of training items to each other; None for too many
    graded: bool = False  # relevance is a number: of shared labels

    @property
    def sizes(self) -> dict[str, int]:
        """The number of rows of each kind."""
        return {
            "n_queries": self.queries.size,
            "n_training": self.training.size,
            "n_database": self.database.size,
        }


def draw_split(data: ExperimentSet, protocol: str, sizes: Sizes, seed: int) -> Split:
    """Draw the split of a protocol.

    In a small set at most a sixth of the items are queries, and at most half of the database
    training items.
    """
    if protocol not in PROTOCOLS:
        known = ", ".join(map(repr, PROTOCOLS))
        raise ValueError(f"protocol must be one of {known}; got {protocol!r}.")
    return PROTOCOLS[protocol](data, sizes, np.random.RandomState(seed))


def _usual(data: ExperimentSet, sizes: Sizes, random: np.random.RandomState) -> Split:
    queries, database = _queries_and_database(random.permutation(data.n_items), sizes)
    training = _balanced(database, data.y)[: _n_training(sizes, database)]
    return _labelled(data, queries, database, training)


def _all_labels(data: ExperimentSet, sizes: Sizes, random: np.random.RandomState) -> Split:
    queries, database = _queries_and_database(random.permutation(data.n_items), sizes)
    split = _labelled(data, queries, database, database)
    return replace(split, training_relevance=None)  # n x n pairs would be too many


def _l2(data: ExperimentSet, sizes: Sizes, random: np.random.RandomState) -> Split:
    queries, database = _queries_and_database(random.permutation(data.n_items), sizes)
    training = database[: _n_training(sizes, database)]
    affinity = NeighborAffinity.from_data(data.X[training], fraction=NEAREST_FRACTION)
    itself = sp.eye_array(training.size, dtype=np.float32, format="csr")
    return Split(
        queries,
        database,
        training,
        supervision={"affinity": affinity},
        relevance=as_relevance(nearest_share(data.X, queries, database, NEAREST_FRACTION)),
        training_relevance=as_relevance(affinity.similar_pairs + itself),
    )


def _unseen(data: ExperimentSet, sizes: Sizes, random: np.random.RandomState) -> Split:
    y = _labels(data, "unseen")
    if n_classes(y) < FEWEST_CLASSES:
        raise ValueError(
            f"The protocol 'unseen' needs at least {FEWEST_CLASSES} classes; {data.name} has "
            f"{n_classes(y)}."
        )
    indicator = y.astype(bool) if y.ndim == 2 else y[:, None] == np.unique(y)
    n_unseen = max(FEWEST_UNSEEN, round(UNSEEN_SHARE * indicator.shape[1]))
    kept_out, known = np.split(random.permutation(indicator.shape[1]), [n_unseen])
    has_unseen = np.asarray(indicator[:, kept_out].any(axis=1))
    has_known = np.asarray(indicator[:, known].any(axis=1))
    order = random.permutation(data.n_items)
    queries, database = _queries_and_database(order[(has_unseen & ~has_known)[order]], sizes)
    training = _balanced(order[~has_unseen[order]], y)[: sizes.n_training]
    labels = y[training]
    shown = y[:, kept_out] if y.ndim == 2 else y
    return Split(
        queries,
        database,
        training,
        supervision={"y": labels},
        relevance=_relevance(shown[queries], shown[database]),
        training_relevance=_relevance(labels, labels),
        graded=y.ndim == 2,
    )


PROTOCOLS: dict[str, Callable[[ExperimentSet, Sizes, np.random.RandomState], Split]] = {
    "usual": _usual,
    "unseen": _unseen,
    "l2": _l2,
    "all-labels": _all_labels,
}


def _labelled(
    data: ExperimentSet, queries: np.ndarray, database: np.ndarray, training: np.ndarray
) -> Split:
    """Return a split whose relevance comes from the set: labels, or similar pairs."""
    if data.similar is not None:
        return _of_similar(data.similar, queries, database, training)
    y = _labels(data, "usual")
    labels = y[training]
    return Split(
        queries,
        database,
        training,
        supervision={"y": labels},
        relevance=_relevance(y[queries], y[database]),
        training_relevance=_relevance(labels, labels),
        graded=y.ndim == 2,
    )


def _relevance(query_labels: np.ndarray, database_labels: np.ndarray) -> Relevance:
    """Return the relevance by labels: of several per item the number that two items share."""
    return relevance_from_labels(query_labels, database_labels, graded=True)


def _of_similar(
    similar: Any, queries: np.ndarray, database: np.ndarray, training: np.ndarray
) -> Split:
    within = similar[training][:, training].toarray().astype(bool)
    within |= within.T
    np.fill_diagonal(within, True)
    return Split(
        queries,
        database,
        training,
        supervision={"affinity": DenseAffinity(np.where(within, 1, -1).astype(np.int8))},
        relevance=as_relevance(similar[queries][:, database]),
        training_relevance=as_relevance(sp.csr_array(within)),
    )


def _queries_and_database(order: np.ndarray, sizes: Sizes) -> tuple[np.ndarray, np.ndarray]:
    n_queries = max(1, min(sizes.n_queries, int(MOST_QUERIES * order.size)))
    n_used = order.size if sizes.n_database is None else n_queries + sizes.n_database
    return order[:n_queries], order[n_queries:n_used]


def _n_training(sizes: Sizes, database: np.ndarray) -> int:
    return min(sizes.n_training, int(MOST_TRAINING * database.size))


def _balanced(order: np.ndarray, y: np.ndarray | None) -> np.ndarray:
    """Return items reordered so that classes alternate; unchanged without classes.

    The first n are then balanced; a small class leaves its share to the others.
    """
    if y is None or y.ndim == 2:
        return order
    labels = y[order]
    by_class = np.argsort(labels, kind="stable")
    _, first, counts = np.unique(labels[by_class], return_index=True, return_counts=True)
    turn = np.empty(order.size, dtype=np.int64)
    turn[by_class] = np.arange(order.size) - np.repeat(first, counts)
    return order[np.argsort(turn, kind="stable")]


def n_classes(y: np.ndarray) -> int:
    """Return the number of classes, or of labels where items have several."""
    return y.shape[1] if y.ndim == 2 else np.unique(y).size


def _labels(data: ExperimentSet, protocol: str) -> np.ndarray:
    if data.y is None:
        raise ValueError(f"{data.name} has no labels: the protocol {protocol!r} needs them.")
    return data.y


def nearest_share(X: Any, queries: np.ndarray, database: np.ndarray, share: float) -> sp.csr_array:
    """Return a boolean matrix of the nearest share of database items to each query.

    The share is rounded up to whole items; ties (in float32) go to the first in the database.
    X is read once, in the order of its rows, so that it may be a memory map.
    """
    n_near = int(np.ceil(round(share * database.size, 9)))
    to_queries = SquaredDistances(X[queries])
    nearest = np.empty((queries.size, 0), dtype=np.uint64)
    by_row = np.argsort(database)
    step = max(1, _BLOCK_ENTRIES // max(queries.size, 1))
    for start in range(0, database.size, step):
        positions = by_row[start : start + step]
        found = _keys(to_queries(X[database[positions]]).T, positions)
        nearest = _smallest(np.concatenate([nearest, found], axis=1), n_near)
    columns = np.sort((nearest & np.uint64(0xFFFFFFFF)).astype(np.int32), axis=1)
    starts = np.arange(queries.size + 1, dtype=np.int64) * columns.shape[1]
    found = np.ones(columns.size, dtype=bool)
    return sp.csr_array((found, columns.ravel(), starts), (queries.size, database.size))


def _keys(D: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return numbers ordered by distance, then by position.

    The bits of non-negative floats have the order of the floats.
    """
    bits = np.ascontiguousarray(D, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return (bits << np.uint64(32)) | positions.astype(np.uint64)


def _smallest(keys: np.ndarray, n: int) -> np.ndarray:
    """Return the n smallest of each row, in any order."""
    return keys if keys.shape[1] <= n else np.partition(keys, n - 1, axis=1)[:, :n]
