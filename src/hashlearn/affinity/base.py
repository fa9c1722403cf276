"""What should be near: the face that every affinity shows to inference.

An affinity is a symmetric n x n matrix Y with entries +1 (similar), -1 (dissimilar) and 0
(undefined); its diagonal is ignored and reads as 0. It is rarely stored as such. Inference asks
for what it needs: groups of exchangeable items, products Y v, dense rows, or the stored pairs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike


class Groups(NamedTuple):
    """Groups of exchangeable items: some optimum of Step 1 gives each group one code.

    Attributes
    ----------
    labels : ndarray of shape (n_items,)
        The group of every item.
    representatives : ndarray of shape (n_groups,)
        One item of every group; affinities between groups are those between these.
    inside : ndarray of shape (n_groups,)
        How many ordered pairs are defined (and similar) inside each group.
    """

    labels: np.ndarray
    representatives: np.ndarray
    inside: np.ndarray


class Affinity(ABC):
    """Which pairs of items are similar, dissimilar or undefined."""

    complete = True  # every pair of two items is defined
    cheap_products = True  # and a product Y v costs far less than n^2
    graded = False  # entries are any real numbers in [-1, 1]

    @property
    @abstractmethod
    def n_items(self) -> int:
        """Number of items."""

    @property
    @abstractmethod
    def n_similar(self) -> int:
        """Number of similar pairs {i, j}."""

    @property
    @abstractmethod
    def n_dissimilar(self) -> int:
        """Number of dissimilar pairs {i, j}."""

    @property
    def n_defined(self) -> int:
        """Number of defined pairs {i, j}."""
        return self.n_similar + self.n_dissimilar

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix, so that scikit-learn splits an affinity as it splits X."""
        return (self.n_items, self.n_items)

    def __len__(self) -> int:
        return self.n_items

    def __getitem__(self, rows: Any) -> Self:
        """Return the affinity among some items: rows and columns alike.

        Two copies of an item are what labels or neighbours say of them; in a matrix or in pairs,
        where an item says nothing of itself, they are undefined.
        """
        if isinstance(rows, tuple):  # scikit-learn indexes as affinity[rows, ...]
            rows = rows[0]
        return self._take(np.arange(self.n_items)[rows])

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.n_items} items, {self.n_similar} similar and "
            f"{self.n_dissimilar} dissimilar pairs)"
        )

    @abstractmethod
    def _take(self, items: np.ndarray) -> Self:
        """Return the affinity among the items at these positions."""

    @abstractmethod
    def block(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return rows of Y as a dense array, the diagonal 0."""

    @abstractmethod
    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return y_ij for positions in two arrays of one shape, 0 where i = j."""

    @abstractmethod
    def dot(self, V: np.ndarray) -> np.ndarray:
        """Return the product Y V with the diagonal of Y 0."""

    def has_pairs(self) -> np.ndarray:
        """Tell which items have a defined pair; nothing is known of the others."""
        return np.ones(self.n_items, dtype=bool)

    def similar_dot(self, V: np.ndarray) -> np.ndarray:
        """Return S V, S the similar pairs alone; with Y complete, S = (Y + 1 - I) / 2."""
        return (self.dot(V) + V.sum(axis=0) - V) / 2

    def groups(self) -> Groups | None:
        """Return groups of exchangeable items, or None if each item stands alone."""
        return None

    def copies_are_similar(self) -> np.ndarray:
        """Tell of which items copies count as similar; of the others they say nothing."""
        return np.ones(self.n_items, dtype=bool)

    def inside(self, weights: np.ndarray, groups: Groups | None) -> np.ndarray:
        """Return how many similar ordered pairs lie inside each group, or inside each item.

        Parameters
        ----------
        weights : ndarray of shape (n_items,)
            How often each item counts: so many copies of it there are.
        groups : Groups or None
            None: each item is one variable.
        """
        of_copies = self.copies_are_similar()
        if groups is None:
            return np.where(of_copies, np.maximum(weights**2 - weights, 0), 0)
        sums = np.bincount(groups.labels, weights=weights)
        squares = np.bincount(groups.labels, weights=weights**2)
        with_copies = np.maximum(sums**2 - sums, 0)
        without = np.where(groups.inside > 0, sums**2 - squares, 0)
        return np.where(of_copies[groups.representatives], with_copies, without)


def groups_from_keys(keys: Sequence[Any] | np.ndarray, alone: np.ndarray | None = None) -> Groups:
    """Group items with equal keys; all pairs inside a group are similar.

    Parameters
    ----------
    keys : sequence
        One key per item, as a numpy array or as anything that can be hashed.
    alone : ndarray of bool, default=None
        Items that stay alone, whatever their key.
    """
    labels = _first_occurrence(keys)
    if alone is not None:
        labels = np.where(alone, np.arange(labels.size), labels)
    representatives, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return Groups(labels, representatives, sizes * (sizes - 1))


def _first_occurrence(keys: Sequence[Any] | np.ndarray) -> np.ndarray:
    """Return for every item the position of the first item with the same key."""
    if isinstance(keys, np.ndarray):
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        return first[which]
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(key, i) for i, key in enumerate(keys)], dtype=np.int64)


def zero_diagonal(block: np.ndarray, rows: np.ndarray | slice) -> np.ndarray:
    """Set the diagonal entries that lie in a block of full rows to 0, in place."""
    items = np.arange(block.shape[1])[rows]
    block[np.arange(items.size), items] = 0
    return block


def check_items(n_items: int, n_samples: int, name: str) -> None:
    """Raise if an affinity or labels speak of another number of items than X has."""
    if n_items != n_samples:
        raise ValueError(f"{name} is about {n_items} items, X has {n_samples}.")


def check_dissimilar(affinity: Affinity) -> None:
    """Raise, before any work, if nothing is dissimilar.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity
    >>> check_dissimilar(LabelAffinity([0, 0, 1]))
    """
    if affinity.n_dissimilar == 0:
        raise ValueError(
            f"{affinity!r} has no dissimilar pair (one class only, or no entry -1; 0 means not "
            "known): all-equal codes would be its optimum."
        )


def as_sums(V: np.ndarray, labels: np.ndarray, n_groups: int) -> np.ndarray:
    """Sum the rows of V (or the entries of a vector) by group."""
    if V.ndim == 1:
        return np.bincount(labels, weights=V, minlength=n_groups)
    return np.stack([np.bincount(labels, weights=v, minlength=n_groups) for v in V.T], axis=1)


def as_positions(items: ArrayLike, n_items: int, name: str) -> np.ndarray:
    """Return item positions as int64, checked to lie in [0, n_items)."""
    positions = np.asarray(items)
    if positions.dtype.kind not in "iu":
        raise ValueError(f"{name} has dtype {positions.dtype}; it takes positions, integers.")
    if positions.size and (positions.min() < 0 or positions.max() >= n_items):
        raise ValueError(
            f"{name} goes from {positions.min()} to {positions.max()}; "
            f"with {n_items} items positions go from 0 to {n_items - 1}."
        )
    return positions.astype(np.int64)
