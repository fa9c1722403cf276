"""What a search should find, and the case of vectors alone: their true neighbours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from hashlearn.comparison._splits import N_FOLDS
from hashlearn.search import nearest_codes

if TYPE_CHECKING:
    from hashlearn.comparison._data import Part

CANDIDATES = (1, 2, 4, 10)  # in multiples of k; more than 1: ordered again by the vectors
IN_USE = "in-use-"  # before the name of a measure: the database has the training items, too
NEW = "new-"  # before the name of a measure: on classes that were kept out
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


def parted(classes: np.ndarray, fold: int, seed: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Return which items are of the third of the classes that a fold keeps out, and the rest."""
    names = np.unique(classes[classes >= 0])
    if names.size < N_FOLDS:
        return None
    out = np.array_split(np.random.RandomState(seed).permutation(names), N_FOLDS)[fold]
    is_out = np.isin(classes, out)
    return is_out, ~is_out & (classes >= 0)
