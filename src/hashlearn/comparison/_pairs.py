"""Items that should be found because they are similar to the query, of the known pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from hashlearn.affinity import Affinity
from hashlearn.comparison._truths import Found, Truth, parted
from hashlearn.metrics import average_precision, precision_at_k

if TYPE_CHECKING:
    from hashlearn.comparison._data import Part

BLOCK_ROWS = 64  # of an affinity that are read at once


class PairTruth(Truth):
    """Pairs that are similar or dissimilar; others are not known, and left out of rankings."""

    name = "pairs"

    def __init__(self, affinity: Affinity, k: int) -> None:
        self.affinity, self.k = affinity, k
        self.items = np.flatnonzero(affinity.has_pairs())
        self.n_missing = affinity.n_items - self.items.size
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
        return parted(self._groups, fold, seed)

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
