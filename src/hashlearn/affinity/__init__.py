"""Affinities: what should be near, from labels, label sets, neighbours, pairs and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.checks import check_option
from hashlearn.affinity._checks import check_dissimilar, check_similar
from hashlearn.affinity._labels_given import as_labels, distinct_labels
from hashlearn.affinity._neighbor_search import nearest_graph
from hashlearn.affinity._sampling import Pairs, Triplets
from hashlearn.affinity._shared import PAIRS_REMEDY, Groups
from hashlearn.affinity.base import Affinity
from hashlearn.affinity.dense import DenseAffinity
from hashlearn.affinity.labels import LabelAffinity
from hashlearn.affinity.multilabel import MultilabelAffinity, Similarity, label_set_affinity
from hashlearn.affinity.neighbors import NeighborAffinity
from hashlearn.affinity.pairs import SparseAffinity

__all__ = [
    "Affinity",
    "DenseAffinity",
    "Groups",
    "LabelAffinity",
    "MultilabelAffinity",
    "NeighborAffinity",
    "Pairs",
    "SparseAffinity",
    "Triplets",
    "as_affinity",
    "as_labels",
    "check_dissimilar",
    "check_items",
    "check_similar",
    "distinct_labels",
    "label_set_affinity",
    "nearest_graph",
]


def as_affinity(
    affinity: Any,
    y: Any,
    X: Any,
    n_jobs: int | None = None,
    verbose: int = 0,
    *,
    similarity: str = "shared",
    sample_weight: Any = None,
) -> Affinity:
    """Return the affinity that is given, or one from labels, or from neighbours in X.

    Parameters
    ----------
    affinity : Affinity, sparse matrix or array-like of shape (n_items, n_items), or None
        Takes precedence over `y`.
    y : array-like of shape (n_items,) or (n_items, n_labels), or None
        One label per item, or a 0/1 indicator of several.
    X : array-like or sparse matrix of shape (n_items, n_features)
        The items.
    n_jobs : int, default=None
        Threads for the search of neighbours.
    verbose : int, default=0
        If above 0, the approximate search for neighbours shows its progress.
    similarity : {"shared", "jaccard", "idf-cosine"}, default="shared"
        How similar label sets are, as in `MultilabelAffinity`.
    sample_weight : array-like of shape (n_items,), default=None
        The number of items that each counts as, in the weights of labels.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.affinity import as_affinity
    >>> as_affinity(None, [0, 0, 1], np.zeros((3, 2)))
    LabelAffinity(3 items, 1 similar and 2 dissimilar pairs)
    """
    check_option("similarity", similarity, Similarity)
    n_samples = X.shape[0]
    if affinity is not None:
        made = _from_matrix(affinity, n_samples)
        check_items(made.n_items, n_samples, "affinity")
        return made
    if y is None:
        return NeighborAffinity.from_data(X, n_jobs=n_jobs, verbose=verbose)
    y = y if sp.issparse(y) else np.asarray(y)
    check_items(y.shape[0] if y.ndim else 1, n_samples, "y")
    if y.ndim == 2 and y.shape[1] > 1:
        return MultilabelAffinity(y, similarity=similarity, sample_weight=sample_weight)
    return LabelAffinity(y)


def check_items(n_items: int, n_samples: int, name: str) -> None:
    """Raise if an affinity or labels have another number of items than X.

    Parameters
    ----------
    n_items : int
        The number of items of the affinity or the labels.
    n_samples : int
        The number of rows of X.
    name : str
        What the message calls the affinity or the labels.

    Examples
    --------
    >>> from hashlearn.affinity import check_items
    >>> check_items(3, 4, "y")
    Traceback (most recent call last):
    ValueError: y has 3 items, X has 4; they must be the same.
    """
    if n_items != n_samples:
        raise ValueError(f"{name} has {n_items} items, X has {n_samples}; they must be the same.")


def _from_matrix(affinity: Any, n_samples: int) -> Affinity:
    if isinstance(affinity, Affinity):
        return affinity
    if sp.issparse(affinity):
        return SparseAffinity(affinity)
    matrix = np.asarray(affinity)
    if matrix.shape == (3, 3) and n_samples != 3 and np.isin(matrix[:, 2], (-1, 1)).all():
        raise ValueError(f"affinity has 3 items, X has {n_samples}: {PAIRS_REMEDY}")
    return DenseAffinity(matrix)
