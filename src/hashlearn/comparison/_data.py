"""The items of a comparison, and the parts that they are split into."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn.affinity import Affinity
from hashlearn.comparison._labels import labels_to_find
from hashlearn.comparison._neighbours import Nearest, nearest_neighbours
from hashlearn.comparison._pairs import PairTruth
from hashlearn.comparison._splits import (
    MOST_TRAINING,
    N_FOLDS,
    Sizes,
    Split,
    draw_split,
    screened,
    sizes_for,
)
from hashlearn.comparison._truths import MIN_NEW, NEW, NeighbourTruth, Truth
from hashlearn.metrics import VectorQueries

TIED_QUERIES = 100  # of which ties are counted
IN_USE_QUERIES = 500  # of a kind, in a database that is up to twice as large


class Part:
    """Training items, database and queries of a fold, of which the first `n_choosing` choose.

    `is_new` tells which queries are of classes that the fold may keep out.
    """

    def __init__(self, data: Data, split: Split, is_new: np.ndarray | None) -> None:
        self.split, self.n_choosing = split, split.choosing.size
        self.queries = np.concatenate([split.choosing, split.reporting])
        self.is_new: Any = None if is_new is None else is_new[self.queries]
        self.truth, self.metric, self.k = data.truth, data.metric, data.k
        self._data = data

    @cached_property
    def X_training(self) -> Any:
        """The items to learn from."""
        return self._data.X[self.split.training]

    @cached_property
    def X_database(self) -> Any:
        """The items that are searched."""
        return self._data.X[self.split.database]

    @cached_property
    def X_queries(self) -> Any:
        """The queries of both kinds."""
        return self._data.X[self.queries]

    def in_use(self) -> Part:
        """Return some of the queries, and a database that has the training items behind it."""
        split = self.split
        return Part(
            self._data,
            split._replace(
                database=np.concatenate([split.database, split.training]),
                choosing=_some(split.choosing),
                reporting=_some(split.reporting),
            ),
            None,
        )

    @property
    def vector_queries(self) -> VectorQueries:
        """The queries, to be compared with vectors."""
        return VectorQueries(self.X_queries, self.metric)

    @cached_property
    def nearest(self) -> Nearest:
        """The nearest items of each query in the database."""
        return nearest_neighbours(self.vector_queries, self.X_database, self.k)


class Data:
    """The items that are compared on, and what should be found among them."""

    def __init__(
        self,
        X: Any,
        truth: Truth,
        metric: Any,
        k: int,
        seed: int,
        most_training: int = MOST_TRAINING,
    ) -> None:
        self.X, self.truth, self.metric, self.k, self.seed = X, truth, metric, k, seed
        self.sizes = sizes_for(
            truth.items.size, labelled=truth.supervised, most_training=most_training
        )
        if k > self.sizes.n_database:
            raise ValueError(
                f"k must be at most {self.sizes.n_database:,}, the size of the database that "
                f"queries are searched in; got {k}."
            )
        self._last: dict[tuple[int, bool, bool], Part] = {}

    @property
    def vector_bytes(self) -> int:
        """The bytes of a vector in single precision; of a sparse one, of its values and columns."""
        n, d = self.X.shape
        return 8 * -(-self.X.nnz // n) if sp.issparse(self.X) else 4 * d

    @property
    def has_screening(self) -> bool:
        """Whether a first round on fewer items saves time."""
        few = self.sizes.screening()
        return self.sizes.n_training >= 2 * few.n_training and self.k <= few.n_database

    @cached_property
    def has_new(self) -> bool:
        """Whether every fold can keep out classes that enough of its queries have."""
        for fold in range(N_FOLDS):
            split, sides = self._split(fold, screening=False), self.truth.kept_out(fold, self.seed)
            if sides is None:
                return False
            is_new, is_other = sides
            n_new = min(is_new[part].sum() for part in (split.choosing, split.reporting))
            if n_new < MIN_NEW or is_other[split.training].sum() < MIN_NEW:
                return False
        return True

    @property
    def measures(self) -> list[str]:
        """The names of what is measured, on all classes and on those kept out."""
        names = self.truth.measures
        return [*names, *(NEW + name for name in names if self.has_new)]

    def sizes_of(self, *, screening: bool) -> Sizes:
        """Return the sizes of a round."""
        return self.sizes.screening() if screening else self.sizes

    @cached_property
    def facts(self) -> dict[str, float]:
        """What a reader of the figures should know, by the names of `Settings`."""
        return {  # all of the same part
            "ceiling": self.ceiling(),
            "chance": self.chance(),
            "copied": self.copied(),
            "tied": self.tied(),
        }

    def ceiling(self) -> float:
        """Return the precision at k of a perfect ranking; raise if there is nothing to find."""
        part = self.part(0, False, False)
        if not self.truth.has_answer(part)[: part.n_choosing].any():
            raise ValueError(self.truth.no_answer(part))
        return _mean_of_known(self.truth.best_precision(part)[: part.n_choosing], 1.0)

    def chance(self) -> float:
        """Return the precision of a random ranking."""
        part = self.part(0, False, False)
        return _mean_of_known(self.truth.random_precision(part)[: part.n_choosing], 0.0)

    def copied(self) -> float:
        """Return the share of queries that are equal to an item learned from or searched."""
        part = self.part(0, False, False)
        known = set(chain(_hashes(part.X_training), _hashes(part.X_database)))
        return float(np.mean([each in known for each in _hashes(part.X_queries)]))

    def tied(self) -> float:
        """Return the share of queries whose k nearest are not told from many more vectors."""
        if self.truth.supervised:
            return 0.0
        part = self.part(0, False, False)
        some = part.vector_queries[:: max(1, part.queries.size // TIED_QUERIES)]
        return float(nearest_neighbours(some, part.X_database, self.k).is_cut.mean())

    def _split(self, fold: int, screening: bool) -> Split:
        split = draw_split(self.truth.items, self.sizes, fold, self.seed)
        return screened(split, self.sizes.screening(), self.seed) if screening else split

    def part(self, fold: int, screening: bool, new: bool) -> Part:
        """Return the parts of a fold, those of the first round, or those without some classes."""
        key = fold, screening, new
        if key not in self._last:
            self._last.clear()  # first: a part holds copies of rows
            self._last[key] = self._part(*key)
        return self._last[key]

    def _part(self, fold: int, screening: bool, new: bool) -> Part:
        split = self._split(fold, screening)
        sides = self.truth.kept_out(fold, self.seed) if self.has_new else None
        is_new = None if sides is None else sides[0]
        if new and sides is not None:
            is_new, is_other = sides
            split = split._replace(
                training=split.training[is_other[split.training]],
                choosing=split.choosing[is_new[split.choosing]],
                reporting=split.reporting[is_new[split.reporting]],
            )
        return Part(self, split, is_new)


def make_truth(n_items: int, y: Any, affinity: Affinity | None, k: int) -> Truth:
    """Return what should be found: checked labels, pairs, or neighbours."""
    if affinity is not None:
        return PairTruth(affinity, k)
    return NeighbourTruth(n_items, k) if y is None else labels_to_find(y, n_items, k)


def _some(queries: np.ndarray) -> np.ndarray:
    """Return some queries from all over the file, which may be sorted."""
    return queries[:: -(-queries.size // IN_USE_QUERIES)]


def _mean_of_known(values: np.ndarray, default: float) -> float:
    return float(np.nanmean(values)) if np.isfinite(values).any() else default


def _hashes(X: Any) -> Iterator[int]:
    """Return a hash of each row's values."""
    if not sp.issparse(X):
        return (hash(row.tobytes()) for row in X)
    X = X.sorted_indices()
    return (
        hash((X.indices[start:stop].tobytes(), X.data[start:stop].tobytes()))
        for start, stop in pairwise(X.indptr)
    )
