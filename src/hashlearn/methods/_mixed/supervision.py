"""What is known of some items: labels, label sets or pairs; of the others nothing is."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from hashlearn.affinity import (
    Affinity,
    as_affinity,
    as_labels,
    check_dissimilar,
    check_items,
)

UNLABELLED = -1  # scikit-learn's convention


class Supervision(ABC):
    """What is known of items, as hashers learn from it.

    Attributes
    ----------
    known : ndarray of bool, of shape (n_items,)
        Of which items something is known.
    """

    known: np.ndarray
    spreads = True  # over a graph, to items of which nothing is known

    @abstractmethod
    def of(self, items: np.ndarray) -> dict[str, Any]:
        """Return what `fit` takes beside some known items."""

    @abstractmethod
    def similar(self, queries: np.ndarray, database: np.ndarray) -> np.ndarray:
        """Tell which known items of a database are similar to which of the queries."""

    @abstractmethod
    def classes(self) -> sp.csr_array | None:
        """Return which class each item is in, one column each; None where there are none.

        An item may be in several, or in none.
        """


class LabelSupervision(Supervision):
    """One label per item, or several.

    Parameters
    ----------
    y : array-like of shape (n_items,) or (n_items, n_labels)
        Labels, -1 for unlabelled items; or a 0/1 indicator with rows of -1 for them.

    Examples
    --------
    >>> supervision = LabelSupervision([0, 1, -1, 1])
    >>> supervision.known
    array([ True,  True, False,  True])
    >>> supervision.of(np.array([1, 3]))
    {'y': array([1, 1])}
    >>> LabelSupervision([[1, 0], [-1, -1], [1, 1]]).classes().toarray().astype(int).tolist()
    [[1, 0], [0, 0], [1, 1]]
    """

    def __init__(self, y: Any) -> None:
        self.y, self.known = split_labels(y)

    def of(self, items: np.ndarray) -> dict[str, Any]:
        """Return the labels of some known items as `y`."""
        return {"y": self.y[items]}

    def similar(self, queries: np.ndarray, database: np.ndarray) -> np.ndarray:
        """Tell which known items of a database share a label with which of the queries."""
        if not sp.issparse(self.y):
            return self.y[queries][:, None] == self.y[database]
        counts = self.y.astype(np.int32)
        return (counts[queries] @ counts[database].T).toarray() > 0

    def classes(self) -> sp.csr_array:
        """Return one column per label."""
        if sp.issparse(self.y):
            return self.y
        of_known = np.unique(self.y[self.known], return_inverse=True)[1]
        return one_hot(of_known, np.flatnonzero(self.known), self.known.size)


class PairSupervision(Supervision):
    """Pairs of items that are similar or dissimilar; of an item without pairs nothing is known.

    Parameters
    ----------
    affinity : Affinity
        The pairs.

    Examples
    --------
    >>> from hashlearn.affinity import SparseAffinity
    >>> pairs = [(0, 1, 1), (2, 3, 1), (1, 3, -1)]
    >>> supervision = PairSupervision(SparseAffinity.from_pairs(pairs, n_items=5))
    >>> supervision.known
    array([ True,  True,  True,  True, False])
    >>> supervision.classes().toarray().astype(int).tolist()
    [[1, 0], [1, 0], [0, 1], [0, 1], [0, 0]]
    """

    def __init__(self, affinity: Affinity) -> None:
        self.affinity = affinity
        self.known = affinity.has_pairs()
        self.spreads = not affinity.graded

    def of(self, items: np.ndarray) -> dict[str, Any]:
        """Return the pairs among some known items as `affinity`."""
        return {"affinity": self.affinity[items]}

    def similar(self, queries: np.ndarray, database: np.ndarray) -> np.ndarray:
        """Tell which items of a database are given as similar to which of the queries."""
        among = self.affinity[np.concatenate([queries, database])]
        return among.block(slice(0, queries.size))[:, queries.size :] > 0

    def classes(self) -> sp.csr_array | None:
        """Return the items that similar pairs connect, one column per such set of two or more.

        Items of one class are connected where pairs come from classes; None where most items
        hang together, and no class can be told from another.
        """
        sets = self._connected()
        sizes = np.bincount(sets[self.known], minlength=sets.max() + 1)
        if sizes.max() > self.known.sum() / 2:
            return None
        joined = np.flatnonzero(self.known & (sizes[sets] > 1))
        return one_hot(np.unique(sets[joined], return_inverse=True)[1], joined, sets.size)

    def as_matrix(self) -> sp.csr_array:
        """Return the pairs as a sparse matrix."""
        return self.affinity.as_sparse()

    def _connected(self) -> np.ndarray:
        """Return for every item which set it is in."""
        if self.affinity.similar_pairs is not None:
            return connected_components(self.affinity.similar_pairs, directed=False)[1]
        groups = self.affinity.groups()
        if groups is None or self.affinity.stored_pairs is not None:
            return connected_components(self.as_matrix() > 0, directed=False)[1]
        between = PairSupervision(self.affinity[groups.representatives])
        return connected_components(between.as_matrix() > 0, directed=False)[1][groups.labels]


def as_supervision(X: Any, y: Any, affinity: Any) -> Supervision:
    """Return what is known of the rows of X: nothing of any if nothing is given.

    Examples
    --------
    >>> as_supervision(np.zeros((3, 1)), [0, 0, 1], None).known.all()
    np.True_
    """
    if affinity is not None:
        return PairSupervision(as_affinity(affinity, None, X))
    if y is None:
        y = np.full(X.shape[0], UNLABELLED)
    supervision = LabelSupervision(y)
    _warn_of_unsigned(supervision.y)
    check_items(supervision.known.size, X.shape[0], "y")
    labels = supervision.y[supervision.known]
    if labels.shape[0]:
        as_affinity(None, labels, labels)  # raises for what are no labels
    return supervision


def _warn_of_unsigned(y: Any) -> None:
    """Warn if -1 was written into numbers that cannot hold it."""
    if y.dtype.kind == "u" and y.size and y.max() == np.iinfo(y.dtype).max:
        warnings.warn(
            f"y has dtype {y.dtype} and the label {y.max()}, which is what -1 becomes there: for "
            "unlabelled items give signed integers.",
            UserWarning,
            stacklevel=4,
        )


def check_teaches(supervision: Supervision) -> None:
    """Raise, before any work, if nothing is dissimilar: bits from labels could be all equal.

    Examples
    --------
    >>> check_teaches(LabelSupervision([1, -1, 1]))
    Traceback (most recent call last):
    ValueError: y has one class only among 2 labelled items (-1 means unlabelled); it takes two.
    """
    if isinstance(supervision, PairSupervision):
        check_dissimilar(supervision.affinity)
    elif isinstance(supervision, LabelSupervision) and supervision.known.any():
        y = supervision.y[supervision.known]
        if as_affinity(None, y, y).n_dissimilar == 0:
            raise ValueError(
                f"y has one class only among {y.shape[0]} labelled items (-1 means unlabelled); "
                "it takes two."
            )


def split_labels(y: Any) -> tuple[Any, np.ndarray]:
    """Return labels, and which items have some; rows of -1 become rows without labels.

    Examples
    --------
    >>> split_labels([3, -1])[1]
    array([ True, False])
    >>> split_labels([[1, -1], [0, 1]])
    Traceback (most recent call last):
    ValueError: y has rows with -1 beside other values; an unlabelled item is a row of -1 alone.
    """
    if sp.issparse(y):
        return _split_sparse(sp.csr_array(y))
    y = np.asarray(y)
    if y.ndim < 2 or y.shape[1] == 1:
        labels = y.ravel()
        return labels, _is_labelled(labels)
    missing = y == UNLABELLED
    known = _rows_without(missing.sum(axis=1), y.shape[1])
    return as_labels(np.where(missing, 0, y)), known


def _split_sparse(y: sp.csr_array) -> tuple[Any, np.ndarray]:
    missing = (y == UNLABELLED).astype(np.int32)
    known = _rows_without(np.asarray(missing.sum(axis=1)).ravel(), y.shape[1])
    kept = sp.csr_array(sp.diags_array(known.astype(y.dtype), dtype=y.dtype) @ y)
    return as_labels(kept), known


def _rows_without(n_missing: np.ndarray, n_labels: int) -> np.ndarray:
    """Tell which rows of an indicator have no -1; the others must have nothing else."""
    if not np.isin(n_missing, (0, n_labels)).all():
        raise ValueError(
            "y has rows with -1 beside other values; an unlabelled item is a row of -1 alone."
        )
    return n_missing == 0


def _is_labelled(labels: np.ndarray) -> np.ndarray:
    """Tell which labels are not -1, as a number or, among words, as a word."""
    if labels.dtype.kind in "biuf":
        return labels != UNLABELLED
    return np.array([str(label) not in ("-1", "-1.0") for label in labels], dtype=bool)


def one_hot(classes: np.ndarray, items: np.ndarray, n_items: int) -> sp.csr_array:
    """Return an indicator of the classes of some items; the others are in none.

    Examples
    --------
    >>> one_hot(np.array([1, 0]), np.array([0, 2]), n_items=3).toarray().astype(int).tolist()
    [[0, 1], [0, 0], [1, 0]]
    """
    shape = (n_items, int(classes.max(initial=-1)) + 1)
    return sp.csr_array((np.ones(items.size, dtype=bool), (items, classes)), shape=shape)
