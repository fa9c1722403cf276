"""Checks of items, labels and parameters that several methods make."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.arrays import is_sparse
from hashlearn.affinity import LabelAffinity, check_dissimilar, check_items
from hashlearn.methods.by_name import default_method


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


def check_differs(rows: Any, name: str) -> None:
    """Raise if all rows of an array or CSR matrix are equal."""
    differs = rows.max(axis=0) != rows.min(axis=0)
    if not (differs.nnz if is_sparse(differs) else differs.any()):
        raise ValueError(f"{name} is the same for all items: there is nothing to tell apart.")


def label_indicator(y: Any, n_samples: int) -> sp.csr_array:
    """Return labels, not all equal, or an indicator of them, as 0/1 with one column per label."""
    if y is None:
        without = default_method(labelled=False)
        raise ValueError(
            "This method requires y to be passed, but the target y is None: it learns from labels; "
            f"without labels use {without!r}."
        )
    y = sp.csr_array(y) if is_sparse(y) else np.asarray(y)
    if y.ndim == 2 and y.shape[1] > 1:
        check_items(y.shape[0], n_samples, "y")
        values = y.data if is_sparse(y) else y
        if values.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
            raise ValueError("A label indicator must hold 0 and 1 only.")
        indicator = sp.csr_array(y, dtype=np.float64)
    else:
        affinity = LabelAffinity(y)
        check_items(affinity.n_items, n_samples, "y")
        check_dissimilar(affinity)
        groups = affinity.groups()
        shape = (n_samples, groups.representatives.size)
        places = (np.arange(n_samples), groups.labels)
        indicator = sp.csr_array((np.ones(n_samples), places), shape=shape)
    check_differs(indicator, "y")
    return indicator
