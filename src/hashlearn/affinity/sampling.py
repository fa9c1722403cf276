"""Pairs and triplets drawn from an affinity, for methods that learn from samples of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from hashlearn._numerics.integer_products import BLOCK_ENTRIES
from hashlearn.affinity.base import Affinity
from hashlearn.affinity.labels import LabelAffinity
from hashlearn.affinity.neighbors import NeighborAffinity
from hashlearn.affinity.pairs import SparseAffinity

N_TRIES = 16  # blind draws of a partner; who has none by then is asked for all its partners
NO_PARTNER = -1


class Pairs(NamedTuple):
    """Pairs of items with their affinity y, +1 or -1 (graded: in between, not 0)."""

    i: np.ndarray
    j: np.ndarray
    y: np.ndarray


class Triplets(NamedTuple):
    """Items i with a similar item j and a dissimilar item k each."""

    i: np.ndarray
    j: np.ndarray
    k: np.ndarray


def draw_pairs(
    affinity: Affinity,
    n_pairs: int,
    random_state: np.random.RandomState,
    *,
    similar_share: float = 0.5,
) -> Pairs:
    """Draw defined pairs, a share of them similar, with replacement.

    The first item of a pair is uniform among those that have a similar (or dissimilar) partner,
    the second among its partners. Where no item has any, pairs of that kind are left out.

    Parameters
    ----------
    affinity : Affinity
        Which pairs are similar and dissimilar.
    n_pairs : int
        How many pairs to draw.
    random_state : RandomState
        Draws them.
    similar_share : float, default=0.5
        The share of draws that ask for a similar partner.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity
    >>> pairs = draw_pairs(LabelAffinity([0, 0, 1, 1]), 100, np.random.RandomState(0))
    >>> len(pairs.y), bool((pairs.i != pairs.j).all())
    (100, True)
    """
    is_similar = random_state.uniform(size=n_pairs) < similar_share
    i, j = np.full((2, n_pairs), NO_PARTNER)
    for sign in (+1, -1):
        partners, places = _partners(affinity, sign), np.flatnonzero(is_similar == (sign > 0))
        if partners.owners.size:
            i[places] = random_state.choice(partners.owners, places.size)
            j[places] = partners.draw(i[places], random_state)
    found = j != NO_PARTNER
    i, j = i[found], j[found]
    return Pairs(i, j, affinity.at(i, j))


def draw_triplets(
    affinity: Affinity, n_triplets: int, random_state: np.random.RandomState
) -> Triplets:
    """Draw items with a similar and a dissimilar partner each, with replacement.

    Items that lack either are never drawn; there are no triplets if all do.

    Parameters
    ----------
    affinity : Affinity
        Which pairs are similar and dissimilar.
    n_triplets : int
        How many triplets to draw.
    random_state : RandomState
        Draws them.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity
    >>> triplets = draw_triplets(LabelAffinity([0, 0, 1]), 50, np.random.RandomState(0))
    >>> bool((triplets.k == 2).all())
    True
    """
    similar, dissimilar = _partners(affinity, +1), _partners(affinity, -1)
    owners = np.intersect1d(similar.owners, dissimilar.owners, assume_unique=True)
    i = random_state.choice(owners, n_triplets) if owners.size else owners
    j, k = similar.draw(i, random_state), dissimilar.draw(i, random_state)
    found = (j != NO_PARTNER) & (k != NO_PARTNER)
    return Triplets(i[found], j[found], k[found])


def draw_partners(
    affinity: Affinity, items: np.ndarray, sign: int, random_state: np.random.RandomState
) -> np.ndarray:
    """Draw for each item a random partner whose affinity has that sign, -1 where none has.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity
    >>> affinity = LabelAffinity([0, 0, 1])
    >>> draw_partners(affinity, np.array([0, 1, 2]), +1, np.random.RandomState(0))
    array([ 1,  0, -1])
    """
    return _partners(affinity, sign).draw(items, random_state)


class _Partners(ABC):
    """The partners of items whose affinity has one sign.

    Attributes
    ----------
    owners : ndarray of int
        The items that have any, as far as that is known without looking at all pairs.
    """

    owners: np.ndarray

    @abstractmethod
    def draw(self, items: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
        """Return a random partner of each item, -1 where it has none."""


def _partners(affinity: Affinity, sign: int) -> _Partners:
    """Return where partners are found fastest: in stored pairs, in classes, or by trying."""
    if isinstance(affinity, SparseAffinity):
        stored = sign * affinity.matrix
        stored.data = np.maximum(stored.data, 0)
        stored.eliminate_zeros()
        return _StoredPartners(stored)
    if isinstance(affinity, NeighborAffinity) and sign > 0:
        return _StoredPartners(affinity.similar)
    if isinstance(affinity, LabelAffinity) and sign > 0:
        return _Classmates(affinity.groups().labels)
    return _TriedPartners(affinity, sign)


class _StoredPartners(_Partners):
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


class _Classmates(_Partners):
    """Other members of the item's class."""

    def __init__(self, labels: np.ndarray) -> None:
        self.labels = labels
        self.order = np.argsort(labels, kind="stable")
        self.sizes = np.bincount(labels)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.place = np.empty_like(self.order)
        self.place[self.order] = np.arange(labels.size)
        self.owners = np.flatnonzero(self.sizes[labels] > 1)

    def draw(self, items: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
        """Return a random member of each item's class but itself."""
        others = self.sizes[self.labels[items]] - 1
        place = self.starts[self.labels[items]] + _below(others, random_state)
        place += place >= self.place[items]  # the item itself is passed over
        last = self.order[np.minimum(place, self.order.size - 1)]
        return np.where(others > 0, last, NO_PARTNER)


class _TriedPartners(_Partners):
    """Partners found by trying, and by looking at all pairs of an item where that fails."""

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
        self._ask_for_all(items, partners, missing, random_state)
        return partners

    def _ask_for_all(
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
    return np.minimum(drawn, np.maximum(counts - 1, 0))  # a product may be rounded up
