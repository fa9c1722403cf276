"""Checks that several methods make of their items, labels and parameters."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.arrays import is_sparse
from hashlearn.affinity import LabelAffinity, check_items
from hashlearn.base import BaseHasher


def at_most(value: int, available: int, name: str, what: str) -> int:
    """Return the parameter `name`, reduced with a warning to the number `available` of `what`."""
    if value <= available:
        return value
    warnings.warn(
        f"{name}={value} exceeds the {available} {what}: reduced to {available}.",
        UserWarning,
        stacklevel=3,
    )
    return available


def check_bits_fit_features(hasher: BaseHasher, n_features: int, why: str) -> None:
    """Raise if there are more bits than features; `why` is the reason of the method."""
    if hasher.n_bits > n_features:
        raise ValueError(f"n_bits={hasher.n_bits} exceeds n_features={n_features}: {why}.")


def check_differs(rows: Any, name: str) -> None:
    """Raise if all rows of an array or CSR matrix are equal."""
    differs = rows.max(axis=0) != rows.min(axis=0)
    if not (differs.nnz if is_sparse(differs) else differs.any()):
        raise ValueError(f"{name} is the same for all items: there is nothing to tell apart.")


def check_labels_given(hasher: BaseHasher, y: Any) -> None:
    """Raise if there are no labels."""
    if y is None:
        name = type(hasher).__name__
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")


def label_indicator(y: Any, n_samples: int) -> sp.csr_array:
    """Return labels, or an indicator of them, as a sparse 0/1 matrix with one column per label."""
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
        raise ValueError("A label indicator must hold 0 and 1 only.")
    return sp.csr_array(y, dtype=np.float64)
