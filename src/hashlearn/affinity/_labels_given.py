"""Labels and label sets: checked, and the distinct ones among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn.affinity._shared import groups_from_keys


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
    return sp.csr_array(as_indicator(y))


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
    return distinct_rows(labels) if sp.issparse(labels) else np.unique(labels, return_inverse=True)


def as_indicator(indicator: Any) -> Any:
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


def distinct_rows(indicator: Any) -> tuple[sp.csr_array, np.ndarray]:
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
