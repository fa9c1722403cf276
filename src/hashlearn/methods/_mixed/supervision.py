"""Supervision of some of the items: labels, label sets or pairs. The others are unlabelled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from hashlearn.affinity import (
    Affinity,
    SparseAffinity,
    as_affinity,
    check_dissimilar,
    check_items,
)
from hashlearn.methods._mixed.labels import UNLABELLED, split_labels, warn_of_unsigned
from hashlearn.methods._mixed.spreading import Walks, spread_pairs

MAX_REACHED = 12_000  # unlabelled items learned from: more improve little and take most of the time
MAX_TRIED = 1000  # unlabelled items that a trial learns from: enough to compare
MAX_GRAM_ITEMS = 20_000  # in the Gram matrix of a kernel machine


class Evidence(NamedTuple):
    """Items to learn from, by position, and the arguments of `fit` beside them."""

    items: np.ndarray
    given: dict[str, Any]

    @property
    def teaches(self) -> bool:
        """Whether any two of the items are dissimilar: otherwise equal codes are optimal."""
        pairs = as_affinity(self.given.get("affinity"), self.given.get("y"), self.items)
        return pairs.n_dissimilar > 0

    def take(self, places: np.ndarray) -> Evidence:
        """Return a part of it, by positions in `items`."""
        return Evidence(
            self.items[places], {name: value[places] for name, value in self.given.items()}
        )


class Supervision(ABC):
    """Supervision of items, and what hashers learn from it."""

    known: np.ndarray  # which items are labelled, or have pairs
    weights: np.ndarray | None = None  # of all items
    spreads = True  # over a graph, to unlabelled items
    from_pairs = False  # not from labels
    n_classes = 0  # where every known item has one class

    def of(self, items: np.ndarray) -> Evidence:
        """Return the evidence of some known items."""
        return self._evidence(items, **self._given(items))

    def _evidence(self, items: np.ndarray, **given: Any) -> Evidence:
        """Return items with what is known of them, and their weights if there are any."""
        if self.weights is not None:
            given["sample_weight"] = self.weights[items]
        return Evidence(items, given)

    @abstractmethod
    def _given(self, items: np.ndarray) -> dict[str, Any]: ...

    def take(self, items: np.ndarray) -> Supervision:
        """Return the supervision of some items alone."""
        taken = self._take(items)
        taken.weights = None if self.weights is None else self.weights[items]
        return taken

    @abstractmethod
    def _take(self, items: np.ndarray) -> Supervision: ...

    @abstractmethod
    def similar(self, items: np.ndarray) -> np.ndarray:
        """Return which of some known items are similar to each other, and none to itself."""

    @abstractmethod
    def classes(self) -> sp.csr_array | None:
        """Return the classes of each item, any number, one column per class; None without any."""

    @abstractmethod
    def check_teaches(self) -> None:
        """Raise if known items are all similar: equal codes would be optimal."""

    def spread(
        self,
        known: np.ndarray,
        graph: sp.csr_array,
        random_state: np.random.RandomState,
        *,
        most: int = MAX_REACHED,
    ) -> Evidence:
        """Return the evidence of `known` items, and of items that it spreads to over a graph.

        At most `most` items are drawn, or as many as there are known ones if these are more, within
        the limit of a kernel machine if the known ones are.
        """
        n_known = int(known.sum())
        most = max(most, n_known)
        if n_known <= MAX_GRAM_ITEMS:
            most = min(most, MAX_GRAM_ITEMS - n_known)
        return self._spread(known, graph, most, random_state)

    def spread_in_trial(
        self,
        shown: np.ndarray,
        hidden: np.ndarray,
        graph: sp.csr_array,
        random_state: np.random.RandomState,
    ) -> Evidence:
        """Return the evidence of `shown` items, spread to few others and to no `hidden` one."""
        is_shown = np.zeros(self.known.size, dtype=bool)
        is_shown[shown] = True
        evidence = self.spread(is_shown, graph, random_state, most=MAX_TRIED)
        return evidence.take(np.flatnonzero(~np.isin(evidence.items, hidden)))

    @abstractmethod
    def _spread(
        self, known: np.ndarray, graph: sp.csr_array, most: int, random_state: Any
    ) -> Evidence: ...


class LabelSupervision(Supervision):
    """One label per item, -1 for none; or a 0/1 indicator of several, with rows of -1 for none."""

    def __init__(self, y: Any) -> None:
        self.y, self.known = split_labels(y)

    @property
    def n_classes(self) -> int:  # type: ignore[override]
        """Number of classes, 0 where items have several labels."""
        return 0 if sp.issparse(self.y) else np.unique(self.y[self.known]).size

    def _given(self, items: np.ndarray) -> dict[str, Any]:
        return {"y": self.y[items]}

    def _take(self, items: np.ndarray) -> Supervision:
        taken = copy(self)
        taken.y, taken.known = self.y[items], self.known[items]
        return taken

    def similar(self, items: np.ndarray) -> np.ndarray:
        """Return which of some known items share a label."""
        y = self.y[items]
        if sp.issparse(y):
            counts = y.astype(np.int32)
            shared = (counts @ counts.T).toarray() > 0
        else:
            shared = y[:, None] == y
        np.fill_diagonal(shared, False)
        return shared

    def classes(self) -> sp.csr_array:
        """Return one column per label."""
        if sp.issparse(self.y):
            return self.y
        of_known = np.unique(self.y[self.known], return_inverse=True)[1]
        return _one_hot(of_known, np.flatnonzero(self.known), self.known.size)

    def check_teaches(self) -> None:
        """Raise if labelled items are all of one class."""
        if not self.known.any():
            return
        y = self.y[self.known]
        if as_affinity(None, y, y).n_dissimilar == 0:
            raise ValueError(
                f"y must have at least two classes; got one class only among {y.shape[0]} labelled "
                "items (-1 means unlabelled)."
            )

    def _spread(
        self, known: np.ndarray, graph: sp.csr_array, most: int, random_state: Any
    ) -> Evidence:
        """Give unlabelled items the labels that more than half of the walks from them end at."""
        labels = self.classes()[known]
        likely = Walks(graph, known).likely(labels)
        reached = random_state.permutation(np.flatnonzero(np.diff(likely.indptr)))[:most]
        items = np.concatenate([np.flatnonzero(known), np.flatnonzero(~known)[reached]])
        y = self.y[known]
        if sp.issparse(y):
            return self._evidence(items, y=sp.csr_array(sp.vstack([y, likely[reached]])))
        column, first = np.unique(labels.indices, return_index=True)  # an item of every class
        names = np.empty(labels.shape[1], dtype=y.dtype)
        names[column] = y[first]
        return self._evidence(items, y=np.concatenate([y, names[likely[reached].indices]]))


class PairSupervision(Supervision):
    """Pairs of items that are similar or dissimilar; items without pairs are unlabelled."""

    from_pairs = True

    def __init__(self, affinity: Affinity) -> None:
        self.affinity = affinity
        self.known = affinity.has_pairs()
        self.spreads = not affinity.graded

    def _given(self, items: np.ndarray) -> dict[str, Any]:
        return {"affinity": self.affinity[items]}

    def _take(self, items: np.ndarray) -> Supervision:
        return PairSupervision(self.affinity[items])

    def similar(self, items: np.ndarray) -> np.ndarray:
        """Return which of some items are given as similar."""
        given = self.affinity[items].block(slice(None)) > 0
        np.fill_diagonal(given, False)
        return given

    def classes(self) -> sp.csr_array | None:
        """Return the components that similar pairs connect; None if one has most of the items."""
        sets = self._components()
        sizes = np.bincount(sets[self.known], minlength=sets.max() + 1)
        if sizes.max() > self.known.sum() / 2:
            return None
        joined = np.flatnonzero(self.known & (sizes[sets] > 1))
        return _one_hot(np.unique(sets[joined], return_inverse=True)[1], joined, sets.size)

    def check_teaches(self) -> None:
        """Raise if no pair is dissimilar."""
        check_dissimilar(self.affinity)

    def _components(self) -> np.ndarray:
        """Return the component of every item in the graph of similar pairs."""
        if self.affinity.similar_pairs is not None:
            return connected_components(self.affinity.similar_pairs, directed=False)[1]
        groups = self.affinity.groups()
        if groups is None or self.affinity.stored_pairs is not None:
            return connected_components(self.affinity.as_sparse() > 0, directed=False)[1]
        between = self.affinity[groups.representatives].as_sparse()
        return connected_components(between > 0, directed=False)[1][groups.labels]

    def _spread(
        self, known: np.ndarray, graph: sp.csr_array, most: int, random_state: Any
    ) -> Evidence:
        """Let unlabelled items adopt pairs of the nearest item on the graph that has some."""
        items, pairs = spread_pairs(self.affinity.as_sparse(), known, graph, most, random_state)
        return self._evidence(items, affinity=SparseAffinity(pairs)[items])


def as_supervision(X: Any, y: Any, affinity: Any) -> Supervision:
    """Return the supervision of the rows of X; without labels and affinity, none is known."""
    if affinity is not None:
        return PairSupervision(as_affinity(affinity, None, X))
    if y is None:
        y = np.full(X.shape[0], UNLABELLED)
    supervision = LabelSupervision(y)
    warn_of_unsigned(supervision.y)
    check_items(supervision.known.size, X.shape[0], "y")
    labels = supervision.y[supervision.known]
    if labels.shape[0]:
        as_affinity(None, labels, labels, similarity="idf-cosine")  # raises if not labels
    return supervision


def _one_hot(classes: np.ndarray, items: np.ndarray, n_items: int) -> sp.csr_array:
    """Return an indicator of the classes of some items; the others are in none."""
    shape = (n_items, int(classes.max(initial=-1)) + 1)
    return sp.csr_array((np.ones(items.size, dtype=bool), (items, classes)), shape=shape)
