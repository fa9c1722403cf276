"""What a search should find: true neighbours, items with a label in common, or similar pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from hashlearn.affinity import Affinity
from hashlearn.comparison._splits import MOST_TRAINING, N_FOLDS
from hashlearn.items import is_missing
from hashlearn.metrics import (
    average_precision,
    ndcg,
    precision_at_k,
    relevance_from_labels,
)
from hashlearn.search import nearest_codes

if TYPE_CHECKING:
    from hashlearn.comparison._data import Part

CANDIDATES = (1, 2, 4, 10)  # in multiples of k; more than 1: ordered again by the vectors
IN_USE = "in-use-"  # before the name of a measure: the database has the training items, too
NEW = "new-"  # before the name of a measure: on classes that were kept out
BLOCK_ROWS = 64  # of an affinity that are read at once
MIN_NEW = 20  # queries of classes kept out, for a mean that says something

Found = dict[str, np.ndarray]  # values per query by measure


def is_new(measure: str) -> bool:
    """Return whether a measure is of classes kept out."""
    return measure.startswith(NEW)


class Truth(ABC):
    """What a search should find, and what may be learned from.

    `measures` are the names of what is measured, the first one decides unless a target names
    another. `items` are the positions of the items that splits are drawn from.
    """

    name: str
    measures: tuple[str, ...]
    items: np.ndarray
    supervised = True  # items are relevant by labels or pairs, not by their vectors
    has_labels = False
    n_missing = 0

    @property
    def decisive(self) -> str:
        """The measure that decides unless a target names another."""
        return self.measures[0]

    def given(self, training: np.ndarray, semi_supervised: bool) -> tuple[np.ndarray, dict]:
        """Return the items to learn from, and the arguments of a supervised `fit` beside them."""
        return training, {}

    def kept_out(self, fold: int, seed: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Return which items are of classes that a fold keeps out, and which of the others."""
        return None

    def best_precision(self, part: Part) -> np.ndarray:
        """Return the precision at k of a perfect ranking for each query, NaN if it is left out."""
        return np.ones(part.queries.size)

    def random_precision(self, part: Part) -> np.ndarray:
        """Return the precision of a random ranking for each query, NaN if it is left out."""
        return np.zeros(part.queries.size)

    def has_answer(self, part: Part) -> np.ndarray:
        """Tell for each query whether a ranking of the database can be better than another."""
        return self.best_precision(part) > 0

    def no_answer(self, part: Part) -> str:
        """Return a sentence for the case that no query has an answer."""
        return (
            f"no query has anything to find: none of {part.n_choosing:,} has a label in common "
            f"with one of {part.split.database.size:,} items of the database. Are the labels ids?"
        )

    def measure_vectors(self, part: Part) -> dict[int, Found]:
        """Return measures of the ranking by the vectors themselves."""
        return self.measure(part.vector_queries, part.X_database, part)

    @abstractmethod
    def measure(self, asked: Any, stored: Any, part: Part) -> dict[int, Found]:
        """Return measures of rankings, by the number of candidates per neighbour.

        `stored` are the codes of the part's database, or its vectors if `asked` are vectors.
        """


class NeighbourTruth(Truth):
    """The k nearest vectors of each query. Codes are measured by what a search finds."""

    name = "vectors"
    supervised = False

    def __init__(self, n_items: int, k: int) -> None:
        self.items, self.k = np.arange(n_items), k
        self.measures = (f"recall@{k}",)

    def measure_vectors(self, part: Part) -> dict[int, Found]:
        """Return a recall of 1: vectors find their neighbours, by definition."""
        _ = part.nearest  # found now, so that no method's time includes it
        return {1: {self.decisive: np.ones(part.queries.size)}}

    def measure(self, asked: Any, stored: Any, part: Part) -> dict[int, Found]:
        """Return recall among the first candidates.

        To order the candidates again by their vectors brings every neighbour among them to the
        front: so it is recall among the first k times as many.
        """
        _, ids = nearest_codes(asked, stored, min(len(stored), CANDIDATES[-1] * self.k))
        return {
            times: {self.decisive: self._recall(ids[:, : times * self.k], part)}
            for times in CANDIDATES
        }

    def _recall(self, found: np.ndarray, part: Part) -> np.ndarray:
        """Return the share of the k nearest that was found; any of those as near counts."""
        items, least, is_cut = part.nearest
        hits = np.array([np.isin(a, b[b >= 0]).sum() for a, b in zip(found, items, strict=True)])
        queries = part.vector_queries
        for i in np.flatnonzero(is_cut):  # more are as near than were kept
            near = queries[i : i + 1].nearness(part.X_database[found[i]])
            hits[i] = np.count_nonzero(near >= least[i])
        return np.minimum(hits, self.k) / self.k


class LabelTruth(Truth):
    """Items of one label each, or of several as a 0/1 indicator; -1 stands for no label."""

    name = "labels"
    has_labels = True

    def __init__(self, y: np.ndarray, missing: np.ndarray, k: int) -> None:
        self.y, self.k = y, k
        self.items = np.flatnonzero(~missing)
        self._unlabelled = np.random.RandomState(0).permutation(np.flatnonzero(missing))
        self.n_missing = self._unlabelled.size
        self._n_beside = self.n_missing / max(self.items.size, 1)  # for each labelled item
        of_several = (f"ndcg@{k}",) if y.ndim == 2 else ()
        self.measures = (f"precision@{k}", "map", *of_several)

    def given(self, training: np.ndarray, semi_supervised: bool) -> tuple[np.ndarray, dict]:
        """Return the items to learn from, and their labels.

        Unlabelled items are added in their share of all, but no more than `hashlearn fit` samples.
        """
        if semi_supervised and self.n_missing:
            n = min(round(self._n_beside * training.size), max(MOST_TRAINING - training.size, 0))
            training = np.concatenate([training, self._unlabelled[:n]])
        return training, {"y": self.y[training]}

    def kept_out(self, fold: int, seed: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Return which items are of classes that a fold keeps out, and which of the others."""
        if self.y.ndim == 1:
            return _parted(self.y, fold, seed)
        if self.y.shape[1] < N_FOLDS:
            return None
        columns = np.random.RandomState(seed).permutation(self.y.shape[1])
        out = np.array_split(columns, N_FOLDS)[fold]
        has_out = self.y[:, out].any(axis=1)
        has_other = np.delete(self.y, out, axis=1).any(axis=1)
        return np.asarray(has_out & ~has_other), np.asarray(has_other & ~has_out)

    def best_precision(self, part: Part) -> np.ndarray:
        """Return the precision at k of a perfect ranking for each query."""
        return np.minimum(self._n_relevant(part), self.k) / self.k

    def random_precision(self, part: Part) -> np.ndarray:
        """Return the share of right items in the database for each query."""
        return self._n_relevant(part) / part.split.database.size

    def _n_relevant(self, part: Part) -> np.ndarray:
        queries, database = self.y[part.queries], self.y[part.split.database]
        return relevance_from_labels(queries, database).block(0, len(queries)).sum(axis=1)

    def measure(self, asked: Any, stored: Any, part: Part) -> dict[int, Found]:
        """Return precision at k and average precision of the whole ranking, ties in expectation."""
        queries, database = self.y[part.queries], self.y[part.split.database]
        relevance = relevance_from_labels(queries, database)
        args = (asked, stored, relevance)
        found = {
            f"precision@{self.k}": precision_at_k(*args, self.k),
            "map": average_precision(*args),
        }
        if self.y.ndim == 2:
            grades = _SharedLabels(queries, database)
            found[f"ndcg@{self.k}"] = ndcg(asked, stored, grades, k=self.k)
        return {1: found}


class PairTruth(Truth):
    """Pairs that are similar or dissimilar; others are not known, and left out of rankings."""

    name = "pairs"

    def __init__(self, affinity: Affinity, k: int) -> None:
        self.affinity, self.k = affinity, k
        self.items = np.flatnonzero(affinity.has_pairs())
        self.measures = ("map", f"precision@{k}")  # of few known pairs, most have no precision at k
        if not affinity.n_dissimilar:
            raise ValueError(
                "affinity has no dissimilar pair (-1), without which every ranking is perfect; 0 "
                "and False mean that a pair is not known."
            )
        self._groups = _connected(affinity)

    def given(self, training: np.ndarray, semi_supervised: bool) -> tuple[np.ndarray, dict]:
        """Return the items to learn from, and the pairs among them."""
        return training, {"affinity": self.affinity[training]}

    def kept_out(self, fold: int, seed: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Return which items a fold keeps out: items that similar pairs connect, stay together."""
        return _parted(self._groups, fold, seed)

    def best_precision(self, part: Part) -> np.ndarray:
        """Return the precision of a perfect ranking of the known items of each query."""
        n_similar, _ = self._counts(part)
        return np.minimum(n_similar, self.k) / self.k

    def random_precision(self, part: Part) -> np.ndarray:
        """Return the share of similar items among the known ones of each query."""
        return np.divide(*self._counts(part))

    def _counts(self, part: Part) -> np.ndarray:
        """Return the numbers of similar and of known items, NaN for queries that are left out."""
        counts = np.full((2, part.queries.size), np.nan)
        for i, y in self._answerable(part):
            if np.count_nonzero(y) > self.k:
                counts[:, i] = np.count_nonzero(y > 0), np.count_nonzero(y)
        return counts

    def has_answer(self, part: Part) -> np.ndarray:
        """Tell which queries have both a similar and a dissimilar item in the database."""
        return np.isin(np.arange(part.queries.size), [i for i, _ in self._answerable(part)])

    def no_answer(self, part: Part) -> str:
        """Return a sentence for too few known pairs."""
        return (
            f"too few pairs are known: none of {part.n_choosing:,} queries has both a similar and "
            f"a dissimilar one of {part.split.database.size:,} items of the database."
        )

    def measure(self, asked: Any, stored: Any, part: Part) -> dict[int, Found]:
        """Return the measures of rankings of items whose pair with the query is known.

        Precision at k is of queries with more than k of these: of others it is always the same.
        """
        precision, average = np.full((2, part.queries.size), np.nan)
        for i, y in self._answerable(part):
            known = np.flatnonzero(y)
            args = asked[i : i + 1], stored[known], y[None, known] > 0
            average[i] = average_precision(*args)[0]
            if known.size > self.k:
                precision[i] = precision_at_k(*args, self.k)[0]
        return {1: {"map": average, f"precision@{self.k}": precision}}

    def _answerable(self, part: Part) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the place of each query with items of both kinds, and its row of the database."""
        for i, query in enumerate(part.queries):
            y = self.affinity.block(np.array([query]))[0, part.split.database]
            if (y > 0).any() and (y < 0).any():
                yield i, y


def make_truth(n_items: int, y: Any, affinity: Affinity | None, k: int) -> Truth:
    """Return what should be found: checked labels, pairs, or neighbours."""
    if affinity is not None:
        return PairTruth(affinity, k)
    if y is None:
        return NeighbourTruth(n_items, k)
    labels = np.asarray(y.toarray() if sp.issparse(y) else y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels.ravel()
    if labels.ndim not in (1, 2) or len(labels) != n_items:
        raise ValueError(
            f"y must have a label, or a row of 0/1, for each of {n_items:,} items; got shape "
            f"{labels.shape}."
        )
    missing = is_missing(labels)
    known = labels[~missing]
    if labels.ndim == 1:
        numbers = np.full(len(labels), -1)
        names, numbers[~missing] = np.unique(
            known.astype(str) if known.dtype == object else known, return_inverse=True
        )
        if names.size < 2:
            raise ValueError(
                f"y must have at least two classes; got {names.size}. Without y, codes are "
                "compared by the neighbours that they find."
            )
        return LabelTruth(numbers, missing, k)
    if not np.isin(known, (0, 1)).all():
        raise ValueError("y is 2-D, so it must be a 0/1 indicator; got other values.")
    if not (known != known[:1]).any():
        raise ValueError("y must have different label sets; all items have the same, or none.")
    return LabelTruth(np.where(missing[:, None], -1, labels).astype(np.int8), missing, k)


class _SharedLabels:
    """How many labels a query and an item have in common."""

    def __init__(self, queries: np.ndarray, database: np.ndarray) -> None:
        self._queries, self._database = (y.astype(np.float32) for y in (queries, database))
        self.shape = len(queries), len(database)

    def block(self, start: int, stop: int) -> np.ndarray:
        return self._queries[start:stop] @ self._database.T


def _connected(affinity: Affinity) -> np.ndarray:
    """Return a number for each item, the same for items that similar pairs connect."""
    if affinity.classes is not None:
        return affinity.classes
    for stored in (affinity.stored_pairs, affinity.similar_pairs):
        if stored is not None:
            return connected_components(stored > 0, directed=False)[1]
    n = affinity.n_items
    found = np.arange(n)
    for start in range(0, n, BLOCK_ROWS):  # all pairs at once may not fit into memory
        rows = np.arange(start, min(start + BLOCK_ROWS, n))
        i, j = np.nonzero(affinity.block(rows) > 0)
        similar = sp.coo_array((np.ones(i.size), (found[rows[i]], found[j])), shape=(n, n))
        found = connected_components(similar, directed=False)[1][found]
    return found


def _parted(classes: np.ndarray, fold: int, seed: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Return which items are of the third of the classes that a fold keeps out, and the rest."""
    names = np.unique(classes[classes >= 0])
    if names.size < N_FOLDS:
        return None
    out = np.array_split(np.random.RandomState(seed).permutation(names), N_FOLDS)[fold]
    is_out = np.isin(classes, out)
    return is_out, ~is_out & (classes >= 0)
