"""Affinity from several labels per item: items that share a label are similar."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from hashlearn.affinity._label_sets import LabelSets, SetPairs, compare_sets
from hashlearn.affinity._shared import (
    Groups,
    groups_from_keys,
    membership,
    sums_by_group,
    zero_diagonal,
)
from hashlearn.affinity.base import Affinity
from hashlearn.affinity.pairs import SparseAffinity

PAIRS_PER_ITEM = 200  # drawn where not all pairs fit
MAX_SAMPLED_PAIRS = 20_000_000  # about 2 GB in Step 1


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

    Attributes
    ----------
    label_sets : LabelSets
        The label set of every item, and which label sets are similar.

    Examples
    --------
    >>> from hashlearn.affinity import MultilabelAffinity
    >>> affinity = MultilabelAffinity([[1, 1, 0], [0, 1, 1], [0, 0, 1]])
    >>> affinity.block([0])
    array([[ 0,  1, -1]], dtype=int8)
    """

    label_sets: LabelSets

    def __init__(self, indicator: Any, jaccard: float | None = None) -> None:
        if jaccard is not None and not 0 < jaccard <= 1:
            raise ValueError(f"jaccard must be in (0, 1]; got {jaccard!r}.")
        sets, of_item = _distinct_rows(_as_indicator(indicator))
        self._fill(compare_sets(sets, jaccard), of_item, np.diff(sets.indptr) > 0)

    def _fill(self, pairs: SetPairs, of_item: np.ndarray, labelled: np.ndarray) -> None:
        """Store the similar label sets, the set of each item, and which sets have labels."""
        self.label_sets = LabelSets(pairs, of_item, np.where(labelled, np.int8(1), np.int8(-1)))
        self._pairs, self._of_item, self._labelled = pairs, of_item, labelled
        self._sizes = np.bincount(of_item, minlength=pairs.n_sets)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self._of_item.size

    @property
    def n_similar(self) -> int:
        """Number of similar pairs {i, j}."""
        sizes = self._sizes.astype(np.float64)
        return round(sizes @ self._pairs.dot(sizes) - sizes @ self._labelled) // 2

    def _take(self, items: np.ndarray) -> Self:
        taken = self.__class__.__new__(self.__class__)
        used, of_item = np.unique(self._of_item[items], return_inverse=True)
        taken._fill(self._pairs.take(used), of_item, self._labelled[used])
        return taken

    def block(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return rows of Y as a dense array, the diagonal 0."""
        similar = self._pairs.rows(self._of_item[rows])[:, self._of_item]
        return zero_diagonal(2 * similar - np.int8(1), rows)

    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return y_ij for positions in two arrays of one shape, 0 where i = j."""
        similar = self._pairs.at(self._of_item[i], self._of_item[j])
        return np.where(i == j, np.int8(0), 2 * similar - np.int8(1))

    def dot(self, V: np.ndarray) -> np.ndarray:
        """Return the product Y V, through sums over label sets."""
        if V.ndim == 2:
            return np.stack([self.dot(v) for v in V.T], axis=1)
        near = self._pairs.dot(sums_by_group(V, self._of_item, self._sizes.size))
        return (2 * near - V.sum())[self._of_item] - self.label_sets.own[self._of_item] * V

    def sample_pairs(self, random_state: np.random.RandomState) -> SparseAffinity:
        """Return the similar pairs (a sample if too many) and a sample of dissimilar ones."""
        n = self.n_items
        size = min(PAIRS_PER_ITEM * n, MAX_SAMPLED_PAIRS)
        i, j = random_state.randint(n, size=(2, size))
        sampled = self._sampled(i, j)
        if self.n_similar <= MAX_SAMPLED_PAIRS:
            near = self._all_similar()
        else:
            near = self._sampled(*self._draw_partners(size, random_state))
        pairs = sampled + near
        np.sign(pairs.data, out=pairs.data)
        return SparseAffinity(pairs)

    def _sampled(self, i: np.ndarray, j: np.ndarray) -> sp.csr_array:
        """Return the affinity of some pairs as a symmetric matrix."""
        shape = (self.n_items, self.n_items)
        drawn = sp.csr_array((np.ones(i.size, dtype=bool), (i, j)), shape=shape)
        drawn = sp.coo_array(drawn + drawn.T)  # among booleans a sum is "or"
        return sp.csr_array((self.at(*drawn.coords), drawn.coords), shape=shape)

    def _all_similar(self) -> sp.csr_array:
        """Return the similar pairs as ones, the diagonal included."""
        member = membership(self._of_item, self._sizes.size)
        return sp.csr_array(member @ self._pairs.listed() @ member.T)

    def _draw_partners(
        self, size: int, random_state: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw pairs of items, many of them similar: a first item, then one of its partners."""
        i = random_state.randint(self.n_items, size=size)
        sets = self._pairs.draw_partners(self._of_item[i], random_state)
        members = np.argsort(self._of_item, kind="stable")
        ends = np.cumsum(self._sizes)
        place = (random_state.uniform(size=size) * self._sizes[sets]).astype(np.int64)
        return i, members[ends[sets] - 1 - place]

    def copies_are_similar(self) -> np.ndarray:
        """Return which items have labels: their copies share them."""
        return self._labelled[self._of_item]

    def groups(self) -> Groups | None:
        """Return the label sets; items without labels stay alone."""
        return groups_from_keys(self._of_item, alone=~self._labelled[self._of_item])


def as_labels(y: Any) -> Any:
    """Return labels as a vector, or as a sparse indicator where items have several.

    Parameters
    ----------
    y : array-like of shape (n_items,) or (n_items, n_labels), or sparse matrix
        One label per item, or a 0/1 indicator of several.

    Returns
    -------
    labels : ndarray of shape (n_items,), or csr_array of bool of shape (n_items, n_labels)

    Examples
    --------
    >>> from hashlearn.affinity import as_labels
    >>> as_labels([[1], [2]])
    array([1, 2])
    >>> as_labels([[1, 0], [1, 1]]).shape
    (2, 2)
    """
    if not sp.issparse(y):
        y = np.asarray(y)
        if y.ndim < 2 or y.shape[1] == 1:
            return y.ravel()
    return sp.csr_array(_as_indicator(y))


def distinct_labels(labels: Any) -> tuple[Any, np.ndarray]:
    """Return the distinct labels or label sets, and which of them each item has.

    Parameters
    ----------
    labels : ndarray of shape (n_items,) or csr_array of bool of shape (n_items, n_labels)
        As `as_labels` returns them.

    Returns
    -------
    distinct : ndarray of shape (n_distinct,) or csr_array of shape (n_distinct, n_labels)
    which : ndarray of shape (n_items,)
        The position of each item's label, or label set, in `distinct`.

    Examples
    --------
    >>> from hashlearn.affinity import as_labels, distinct_labels
    >>> distinct, which = distinct_labels(as_labels(["cat", "dog", "cat"]))
    >>> which
    array([0, 1, 0])
    """
    return _distinct_rows(labels) if sp.issparse(labels) else np.unique(labels, return_inverse=True)


def _as_indicator(indicator: Any) -> Any:
    """Return a boolean array, or a sparse matrix of True, checked."""
    array: Any = sp.csr_array(indicator) if sp.issparse(indicator) else np.asarray(indicator)
    if array.ndim != 2:
        raise ValueError(f"A label indicator must have two dimensions; got shape {array.shape}.")
    if array.shape[1] == 0:
        raise ValueError("A label indicator must have at least one label; got none.")
    values = array.data if sp.issparse(array) else array
    if array.dtype.kind not in "biuf" or not np.all((values == 0) | (values == 1)):
        unlabelled = "; got -1: MixedHasher takes a row of -1 as an unlabelled item"
        has_minus_one = array.dtype.kind in "if" and np.any(values == -1)
        raise ValueError(
            f"A label indicator must hold 0 and 1 only{unlabelled if has_minus_one else ''}."
        )
    array = array.astype(bool)
    if sp.issparse(array):
        array = array.copy()  # the caller's may be the same, and keeps its explicit zeros
        array.sum_duplicates()
        array.eliminate_zeros()
    return array


def _distinct_rows(indicator: Any) -> tuple[sp.csr_array, np.ndarray]:
    """Return the distinct rows of an indicator, and for every row its position among them."""
    if sp.issparse(indicator):
        starts, columns = indicator.indptr, indicator.indices.astype(np.int32, copy=False)
        rows = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        groups = groups_from_keys([columns[a:b].tobytes() for a, b in rows])
        return indicator[groups.representatives], groups.labels
    packed = np.ascontiguousarray(np.packbits(indicator, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return sp.csr_array(indicator[first]), which
