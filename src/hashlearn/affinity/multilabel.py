"""Affinity from several labels per item: items that share a label are similar."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from hashlearn.affinity.base import (
    BLOCK_ENTRIES,
    Affinity,
    Groups,
    as_sums,
    blocked_dot,
    groups_from_keys,
    zero_diagonal,
)

MAX_LABEL_SETS = 30_000  # their affinities are stored, a byte each: 0.9 GB at this number


class MultilabelAffinity(Affinity):
    """Items that share at least one label are similar, all others dissimilar.

    An item without labels is dissimilar to every other. Only distinct label sets are compared,
    so a million items with a thousand label sets cost a thousand squared.

    Parameters
    ----------
    indicator : array-like or sparse matrix of shape (n_items, n_labels)
        1 where an item has a label, else 0.
    jaccard : float in (0, 1], default=None
        If given, items are similar if the Jaccard index of their label sets reaches it.

    Examples
    --------
    >>> affinity = MultilabelAffinity([[1, 1, 0], [0, 1, 1], [0, 0, 1]])
    >>> affinity.block([0])
    array([[ 0,  1, -1]], dtype=int8)
    """

    def __init__(self, indicator: Any, jaccard: float | None = None) -> None:
        if jaccard is not None and not 0 < jaccard <= 1:
            raise ValueError(f"jaccard={jaccard!r} is not in (0, 1].")
        sets, of_item = _distinct_rows(_as_indicator(indicator))
        if sets.shape[0] > MAX_LABEL_SETS:
            raise ValueError(
                f"The indicator has {sets.shape[0]} distinct label sets; at most "
                f"{MAX_LABEL_SETS} are compared. Sample the items, or give the affinity sparse."
            )
        self._fill(_label_set_affinity(sets, jaccard), of_item, sets.max(axis=1))

    def _fill(self, between: np.ndarray, of_item: np.ndarray, labelled: np.ndarray) -> None:
        """Keep the affinity between label sets, the set of each item and which have labels."""
        self._between = between
        self._of_item = of_item
        self._labelled = labelled
        self._sizes = np.bincount(of_item, minlength=between.shape[0])

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self._of_item.size

    @property
    def n_similar(self) -> int:
        """Number of similar pairs {i, j}."""
        sizes = self._sizes.astype(np.float64)
        balance = sizes @ blocked_dot(self._between, sizes)  # similar less dissimilar, with i = j
        own = sizes @ np.diagonal(self._between)
        ordered = (balance - own + self.n_items * (self.n_items - 1)) / 2
        return round(ordered / 2)

    @property
    def n_dissimilar(self) -> int:
        """Number of dissimilar pairs {i, j}."""
        return self.n_items * (self.n_items - 1) // 2 - self.n_similar

    def _take(self, items: np.ndarray) -> Self:
        taken = self.__class__.__new__(self.__class__)
        used, of_item = np.unique(self._of_item[items], return_inverse=True)
        taken._fill(self._between[np.ix_(used, used)], of_item, self._labelled[used])
        return taken

    def block(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return rows of Y as a dense array, the diagonal 0."""
        block = self._between[self._of_item[rows]][:, self._of_item]
        return zero_diagonal(block, rows)

    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return y_ij for positions in two arrays of one shape, 0 where i = j."""
        return np.where(i == j, np.int8(0), self._between[self._of_item[i], self._of_item[j]])

    def dot(self, V: np.ndarray) -> np.ndarray:
        """Return the product Y V, through sums over label sets."""
        product = blocked_dot(self._between, as_sums(V, self._of_item, self._sizes.size))
        own = np.diagonal(self._between)[self._of_item]
        return product[self._of_item] - (own * V.T).T

    def groups(self) -> Groups | None:
        """Return the label sets; items without labels stay alone."""
        return groups_from_keys(self._of_item, alone=~self._labelled[self._of_item])


def _as_indicator(indicator: Any) -> np.ndarray:
    """Return a dense 0/1 array, checked."""
    array = indicator.toarray() if sp.issparse(indicator) else np.asarray(indicator)
    if array.ndim != 2:
        raise ValueError(f"A label indicator has two dimensions; got shape {array.shape}.")
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        raise ValueError("A label indicator holds 0 and 1 only.")
    return array.astype(bool)


def _distinct_rows(indicator: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows and for every row its position among them."""
    packed = np.ascontiguousarray(np.packbits(indicator, axis=1))
    if packed.shape[1] == 0:
        raise ValueError("A label indicator needs at least one label.")
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return indicator[first], which


def _label_set_affinity(sets: np.ndarray, jaccard: float | None) -> np.ndarray:
    """Return the int8 affinity between label sets, each with itself included."""
    counts = sets.astype(np.float32)
    sizes = counts.sum(axis=1)
    between = np.empty((len(sets), len(sets)), dtype=np.int8)
    step = max(1, BLOCK_ENTRIES // len(sets))
    for start in range(0, len(sets), step):
        rows = slice(start, start + step)
        shared = counts[rows] @ counts.T
        similar = shared > 0
        if jaccard is not None:
            union = sizes[rows, None] + sizes - shared
            # float64, as a user computes a threshold: 7 / 13 must reach 7 / 13
            index = shared.astype(np.float64) / np.maximum(union, 1)
            similar &= index >= jaccard
        between[rows] = np.where(similar, 1, -1)
    return between
