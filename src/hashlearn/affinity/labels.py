"""Affinity from one label per item: similar if the same, dissimilar if not."""

from __future__ import annotations

import warnings
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from hashlearn.affinity._sampling import Classmates, Partners
from hashlearn.affinity._shared import (
    Groups,
    groups_from_keys,
    membership,
    sums_by_group,
    zero_diagonal,
)
from hashlearn.affinity.base import Affinity
from hashlearn.affinity.pairs import SparseAffinity

DISSIMILAR_PER_ITEM = 200  # drawn where not all pairs fit
MAX_SAMPLED_PAIRS = 20_000_000  # about 2 GB in Step 1

_FEWEST_IDS = 20  # fewer labels may all differ by chance
_MISSING = ("None", "nan", "<NA>", "NaT")  # what is not a string and prints as one of these


class LabelAffinity(Affinity):
    """Items with the same label are similar, all others dissimilar.

    Parameters
    ----------
    labels : array-like of shape (n_items,)
        One label per item: numbers, strings, anything that can be sorted. -1 is a class as any
        other, with a warning if it stands beside two or more non-negative integers, because it
        often marks unlabelled items; `MixedHasher` takes it so.

    Attributes
    ----------
    classes : ndarray of shape (n_items,)
        The class of every item, counted from 0.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity
    >>> affinity = LabelAffinity(["cat", "dog", "cat"])
    >>> affinity
    LabelAffinity(3 items, 1 similar and 2 dissimilar pairs)
    >>> affinity.block(slice(None))
    array([[ 0, -1,  1],
           [-1,  0, -1],
           [ 1, -1,  0]], dtype=int8)
    """

    classes: np.ndarray

    def __init__(self, labels: ArrayLike) -> None:
        checked = _of_one_type(column_or_1d(labels, warn=True))
        with warnings.catch_warnings():  # of many classes; ours says what to do
            warnings.filterwarnings("ignore", "The number of unique classes is greater")
            check_classification_targets(checked)
        self._fill(checked)
        _warn_of_unlabelled(checked)
        _warn_of_ids(self._sizes.size, self.n_items)

    def _fill(self, labels: np.ndarray) -> None:
        _, self.classes, self._sizes = np.unique(labels, return_inverse=True, return_counts=True)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.classes.size

    @property
    def n_similar(self) -> int:
        """Number of similar pairs {i, j}."""
        return int((self._sizes * (self._sizes - 1)).sum()) // 2

    def _take(self, items: np.ndarray) -> Self:
        taken = self.__class__.__new__(self.__class__)
        taken._fill(self.classes[items])
        return taken

    def block(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return rows of Y as a dense array, the diagonal 0."""
        same = self.classes[rows][:, None] == self.classes
        return zero_diagonal(np.where(same, np.int8(1), np.int8(-1)), rows)

    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return y_ij for positions in two arrays of one shape, 0 where i = j."""
        same = self.classes[i] == self.classes[j]
        return np.where(i == j, np.int8(0), np.where(same, np.int8(1), np.int8(-1)))

    def dot(self, V: np.ndarray) -> np.ndarray:
        """Return the product Y V; with class sums it costs O(n) per column."""
        sums = sums_by_group(V, self.classes, self._sizes.size)
        return 2 * sums[self.classes] - V.sum(axis=0) - V

    def sample_pairs(self, random_state: np.random.RandomState) -> SparseAffinity:
        """Return all similar pairs and a sample of dissimilar ones, some hundreds per item."""
        if self.n_similar > MAX_SAMPLED_PAIRS:
            raise ValueError(
                f"{self!r} has more than {MAX_SAMPLED_PAIRS} similar pairs, too many to store; use "
                "'ksh' or 'bre', a loss whose optimum is equal codes, or fewer items."
            )
        n = self.n_items
        member = membership(self.classes, self._sizes.size)
        similar = sp.csr_array(member @ member.T)
        i, j = random_state.randint(n, size=(2, min(DISSIMILAR_PER_ITEM * n, MAX_SAMPLED_PAIRS)))
        differ = self.classes[i] != self.classes[j]
        i, j = i[differ], j[differ]
        far = sp.csr_array((np.ones(i.size, dtype=np.int8), (i, j)), shape=(n, n))
        far = ((far + far.T) != 0).astype(np.int8)
        return SparseAffinity(sp.csr_array(similar - far))

    def groups(self) -> Groups:
        """Return the classes: items of one class are exchangeable."""
        return groups_from_keys(self.classes)

    def _partners(self, sign: int) -> Partners:
        return Classmates(self.classes) if sign > 0 else super()._partners(sign)


def _of_one_type(labels: np.ndarray) -> np.ndarray:
    """Return labels, checked to be all there and of one type; objects become numbers."""
    objects = labels.dtype.kind == "O"
    numbers = [y for y in labels if not isinstance(y, str)] if objects else []
    missing = sum(str(y) in _MISSING for y in numbers)
    if labels.dtype.kind == "f":
        missing = int(np.isnan(labels).sum())
    if missing:
        raise ValueError(
            f"Labels of {missing} of {labels.size} items are missing (None or NaN): leave these "
            "items out, or mark them -1 and use MixedHasher, which learns from all items."
        )
    kinds = sorted({type(y).__name__ for y in labels}) if numbers else []
    if len(kinds) > 1:
        raise ValueError(f"Labels must be of one type; got {' and '.join(kinds)}.")
    return np.array(labels.tolist()) if numbers else labels


def _warn_of_ids(n_classes: int, n_items: int) -> None:
    """Warn if most labels are different, as ids are."""
    if n_items >= _FEWEST_IDS and n_classes > n_items / 2:
        warnings.warn(
            f"{n_items} items have {n_classes} different labels, so hardly any two are similar: if "
            "these labels are ids, fit without them.",
            UserWarning,
            stacklevel=4,
        )


def _warn_of_unlabelled(labels: np.ndarray) -> None:
    """Warn if -1, which often marks unlabelled items, stands beside non-negative integers."""
    if labels.dtype.kind not in "if" or labels.min(initial=0) != -1:
        return
    found, counts = np.unique(labels, return_counts=True)
    if found.size > 2 and (found[1:] >= 0).all():  # with one other it is a usual binary label
        warnings.warn(
            f"-1, the label of {counts[0]} of {labels.size} items, is a class like the others; "
            "if it marks unlabelled items, use MixedHasher, or leave them out.",
            UserWarning,
            stacklevel=3,
        )
