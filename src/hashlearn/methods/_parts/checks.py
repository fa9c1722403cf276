"""Checks that methods share: what n items or d features allow, and whether items differ."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.arrays import is_sparse
from hashlearn.affinity import LabelAffinity, check_items
from hashlearn.base import BaseHasher


def at_most(value: int, available: int, name: str, what: str) -> int:
    """Return a wanted number of things, fewer with a warning where there are not as many.

    Parameters
    ----------
    value : int
        How many are wanted.
    available : int
        How many there are.
    name : str
        The parameter that asks for them.
    what : str
        What there are `available` of.

    Examples
    --------
    >>> at_most(300, 1000, "n_anchors", "items")
    300
    """
    if value <= available:
        return value
    warnings.warn(
        f"{name}={value} is more than the {available} {what}: {available} are taken.",
        UserWarning,
        stacklevel=3,
    )
    return available


def check_bits_fit_features(hasher: BaseHasher, n_features: int, why: str) -> None:
    """Raise if there are more bits than features; `why` is the reason of the method.

    Examples
    --------
    >>> from hashlearn.methods.lsh import LSHHasher
    >>> check_bits_fit_features(LSHHasher(n_bits=2), 1, "PCA has one direction per feature")
    Traceback (most recent call last):
    ValueError: n_bits=2 exceeds n_features = 1: PCA has one direction per feature.
    """
    if hasher.n_bits > n_features:
        raise ValueError(f"n_bits={hasher.n_bits} exceeds n_features = {n_features}: {why}.")


def check_item_count(n_items: int, most: int, method: str, why: str) -> None:
    """Raise, before any work, if a method's memory would not hold so many items.

    Examples
    --------
    >>> check_item_count(10**6, 20_000, "sths-rbf", "it needs an n x n Gram matrix")
    Traceback (most recent call last):
    ValueError: method 'sths-rbf' takes at most 20,000 items, got 1,000,000: it needs an n x n \
Gram matrix.
    """
    if n_items > most:
        raise ValueError(f"method {method!r} takes at most {most:,} items, got {n_items:,}: {why}.")


def check_differs(rows: Any, name: str) -> None:
    """Raise if all rows of an array or CSR matrix are equal.

    Examples
    --------
    >>> import numpy as np
    >>> check_differs(np.ones((3, 2)), "X")
    Traceback (most recent call last):
    ValueError: X is the same for all items: there is nothing to tell apart.
    """
    differs = rows.max(axis=0) != rows.min(axis=0)
    if not (differs.nnz if is_sparse(differs) else differs.any()):
        raise ValueError(f"{name} is the same for all items: there is nothing to tell apart.")


def check_labels_given(hasher: BaseHasher, y: Any) -> None:
    """Raise if there are no labels.

    Examples
    --------
    >>> from hashlearn.methods.sdh import SDHHasher
    >>> check_labels_given(SDHHasher(), None)
    Traceback (most recent call last):
    ValueError: SDHHasher requires y to be passed, but the target y is None.
    """
    if y is None:
        name = type(hasher).__name__
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")


def label_indicator(y: Any, n_samples: int) -> sp.csr_array:
    """Return labels as a sparse 0/1 matrix with one column per label.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        One label per item, or an indicator.
    n_samples : int
        How many items there are.

    Examples
    --------
    >>> label_indicator(["a", "b", "a"], 3).toarray()
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    y = sp.csr_array(y) if is_sparse(y) else np.asarray(y)
    if y.ndim == 2 and y.shape[1] > 1:
        check_items(y.shape[0], n_samples, "y")
        return _checked_indicator(y)
    groups = LabelAffinity(y).groups()
    check_items(groups.labels.size, n_samples, "y")
    shape = (n_samples, groups.representatives.size)
    return sp.csr_array((np.ones(n_samples), (np.arange(n_samples), groups.labels)), shape=shape)


def _checked_indicator(y: Any) -> sp.csr_array:
    values = y.data if is_sparse(y) else y
    if values.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
        raise ValueError("A label indicator holds 0 and 1 only.")
    return sp.csr_array(y, dtype=np.float64)
