"""Pairs, triplets, and partners of items, similar or dissimilar, drawn at random."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hashlearn._numerics.integer_products import BLOCK_ENTRIES

if TYPE_CHECKING:
    from hashlearn.affinity.base import Affinity

N_TRIES = 16  # blind draws of a partner; then all pairs of an item are searched
NO_PARTNER = -1


class Pairs(NamedTuple):
    """Pairs of items with their affinity.

    Attributes
    ----------
    i, j : ndarray of shape (n_pairs,)
        The items of each pair.
    y : ndarray of shape (n_pairs,)
        Their affinity: +1 or -1, or a number between but not 0 if the affinity is graded.
    """

    i: np.ndarray
    j: np.ndarray
    y: np.ndarray


class Triplets(NamedTuple):
    """Items with a similar and a dissimilar item each.

    Attributes
    ----------
    i : ndarray of shape (n_triplets,)
        The items.
    j, k : ndarray of shape (n_triplets,)
        An item similar to each, and one dissimilar to it.
    """

    i: np.ndarray
    j: np.ndarray
    k: np.ndarray


class Partners(ABC):
    """The partners of items whose affinity has one sign."""

    owners: np.ndarray  # items that have any, as far as known without looking at all pairs

    @abstractmethod
    def draw(self, items: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
        """Return a random partner of each item, -1 where it has none."""


class StoredPartners(Partners):
    """Partners in the rows of a sparse matrix."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.counts = np.diff(graph.indptr)
        self.owners = np.flatnonzero(self.counts)

    def draw(self, items: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
        """Return a random entry of each item's row."""
        counts = self.counts[items]
        place = self.graph.indptr[items] + _below(counts, random_state)
        partners = np.full(items.size, NO_PARTNER)
        partners[counts > 0] = self.graph.indices[place[counts > 0]]
        return partners


class Classmates(Partners):
    """Other members of the item's class."""

    def __init__(self, classes: np.ndarray) -> None:
        self.classes = classes
        self.order = np.argsort(classes, kind="stable")
        self.sizes = np.bincount(classes)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.place = np.empty_like(self.order)
        self.place[self.order] = np.arange(classes.size)
        self.owners = np.flatnonzero(self.sizes[classes] > 1)

    def draw(self, items: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
        """Return a random member of each item's class other than itself."""
        others = self.sizes[self.classes[items]] - 1
        place = self.starts[self.classes[items]] + _below(others, random_state)
        place += place >= self.place[items]  # skips the item itself
        last = self.order[np.minimum(place, self.order.size - 1)]
        return np.where(others > 0, last, NO_PARTNER)


class TriedPartners(Partners):
    """Partners found by trial, and in an item's whole row of the affinity where that fails."""

    def __init__(self, affinity: Affinity, sign: int) -> None:
        self.affinity = affinity
        self.sign = sign
        self.owners = np.flatnonzero(affinity.has_pairs())

    def draw(self, items: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
        """Return the first of some random items that is a partner."""
        partners = np.full(items.size, NO_PARTNER)
        missing = np.arange(items.size)
        for _ in range(N_TRIES):
            if not missing.size:
                break
            j = random_state.randint(self.affinity.n_items, size=missing.size)
            hit = self.sign * self.affinity.at(items[missing], j) > 0
            partners[missing[hit]] = j[hit]
            missing = missing[~hit]
        self._search_rows(items, partners, missing, random_state)
        return partners

    def _search_rows(
        self,
        items: np.ndarray,
        partners: np.ndarray,
        missing: np.ndarray,
        random_state: np.random.RandomState,
    ) -> None:
        """Fill the missing partners from whole rows of the affinity, a block at a time."""
        missing = missing[np.argsort(items[missing], kind="stable")]
        step = max(1, BLOCK_ENTRIES // self.affinity.n_items)
        asked, first = np.unique(items[missing], return_index=True)
        ends = np.append(first[1:], missing.size)
        for start in range(0, asked.size, step):
            block = self.sign * self.affinity.block(asked[start : start + step]) > 0
            for row, low, high in zip(block, first[start:], ends[start:], strict=False):
                choices = np.flatnonzero(row)
                if choices.size:
                    drawn = random_state.randint(choices.size, size=high - low)
                    partners[missing[low:high]] = choices[drawn]


def _below(counts: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
    """Return a random integer from 0 below each count, 0 where the count is 0."""
    drawn = (random_state.uniform(size=counts.size) * counts).astype(np.int64)
    return np.minimum(drawn, np.maximum(counts - 1, 0))  # the product may be rounded up
