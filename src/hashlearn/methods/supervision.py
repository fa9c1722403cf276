"""Labels as methods take them that cannot do with pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.arrays import is_sparse
from hashlearn.affinity.base import check_items
from hashlearn.affinity.labels import LabelAffinity
from hashlearn.base import BaseHasher


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
