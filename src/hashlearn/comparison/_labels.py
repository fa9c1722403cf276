"""Items that should be found because they share a label with the query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from hashlearn.comparison._splits import MOST_TRAINING, N_FOLDS
from hashlearn.comparison._truths import Found, Truth, parted
from hashlearn.items import is_missing
from hashlearn.metrics import (
    average_precision,
    ndcg,
    precision_at_k,
    relevance_from_labels,
)

if TYPE_CHECKING:
    from hashlearn.comparison._data import Part


class LabelTruth(Truth):
    """Items of one label each, or of several as a 0/1 indicator; -1 stands for no label."""

    name = "labels"
    has_labels = True

    def __init__(self, y: np.ndarray, missing: np.ndarray, k: int) -> None:
        self.y, self.k = y, k
        self.items = np.flatnonzero(~missing)
        self._unlabelled = np.random.RandomState(0).permutation(np.flatnonzero(missing))
        self.n_missing = self._unlabelled.size
        self._n_beside = self.n_missing / max(self.items.size, 1)  # for each labelled item
        of_several = (f"ndcg@{k}",) if y.ndim == 2 else ()
        self.measures = (f"precision@{k}", "map", *of_several)

    def given(self, training: np.ndarray, semi_supervised: bool) -> tuple[np.ndarray, dict]:
        """Return the items to learn from, and their labels.

        Unlabelled items are added in their share of all, but no more than `hashlearn fit` samples.
        """
        if semi_supervised and self.n_missing:
            n = min(round(self._n_beside * training.size), max(MOST_TRAINING - training.size, 0))
            training = np.concatenate([training, self._unlabelled[:n]])
        return training, {"y": self.y[training]}

    def kept_out(self, fold: int, seed: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Return which items are of classes that a fold keeps out, and which of the others."""
        if self.y.ndim == 1:
            return parted(self.y, fold, seed)
        if self.y.shape[1] < N_FOLDS:
            return None
        columns = np.random.RandomState(seed).permutation(self.y.shape[1])
        out = np.array_split(columns, N_FOLDS)[fold]
        has_out = self.y[:, out].any(axis=1)
        has_other = np.delete(self.y, out, axis=1).any(axis=1)
        return np.asarray(has_out & ~has_other), np.asarray(has_other & ~has_out)

    def best_precision(self, part: Part) -> np.ndarray:
        """Return the precision at k of a perfect ranking for each query."""
        return np.minimum(self._n_relevant(part), self.k) / self.k

    def random_precision(self, part: Part) -> np.ndarray:
        """Return the share of right items in the database for each query."""
        return self._n_relevant(part) / part.split.database.size

    def _n_relevant(self, part: Part) -> np.ndarray:
        queries, database = self.y[part.queries], self.y[part.split.database]
        return relevance_from_labels(queries, database).block(0, len(queries)).sum(axis=1)

    def measure(self, asked: Any, stored: Any, part: Part) -> dict[int, Found]:
        """Return precision at k and average precision of the whole ranking, ties in expectation."""
        queries, database = self.y[part.queries], self.y[part.split.database]
        relevance = relevance_from_labels(queries, database)
        args = (asked, stored, relevance)
        found = {
            f"precision@{self.k}": precision_at_k(*args, self.k),
            "map": average_precision(*args),
        }
        if self.y.ndim == 2:
            grades = relevance_from_labels(queries, database, graded=True)
            found[f"ndcg@{self.k}"] = ndcg(asked, stored, grades, k=self.k)
        return {1: found}


def labels_to_find(y: Any, n_items: int, k: int) -> LabelTruth:
    """Return what should be found by labels as they are given, checked."""
    labels = np.asarray(y.toarray() if sp.issparse(y) else y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels.ravel()
    if labels.ndim not in (1, 2) or len(labels) != n_items:
        raise ValueError(
            f"y must have a label, or a row of 0/1, for each of {n_items:,} items; got shape "
            f"{labels.shape}."
        )
    missing = is_missing(labels)
    known = labels[~missing]
    if labels.ndim == 1:
        numbers = np.full(len(labels), -1)
        names, numbers[~missing] = np.unique(
            known.astype(str) if known.dtype == object else known, return_inverse=True
        )
        if names.size < 2:
            raise ValueError(
                f"y must have at least two classes; got {names.size}. Without y, codes are "
                "compared by the neighbours that they find."
            )
        return LabelTruth(numbers, missing, k)
    if not np.isin(known, (0, 1)).all():
        raise ValueError("y is 2-D, so it must be a 0/1 indicator; got other values.")
    if not (known != known[:1]).any():
        raise ValueError("y must have different label sets; all items have the same, or none.")
    return LabelTruth(np.where(missing[:, None], -1, labels).astype(np.int8), missing, k)
