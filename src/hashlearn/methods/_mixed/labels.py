"""Labels of some of the items: what means "not labelled", in every form of labels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.nulls import is_null
from hashlearn.affinity import as_labels

UNLABELLED = -1  # scikit-learn's convention


def warn_of_unsigned(y: Any) -> None:
    """Warn if -1 was written into unsigned integers."""
    if y.dtype.kind == "u" and y.size and y.max() == np.iinfo(y.dtype).max:
        warnings.warn(
            f"y has dtype {y.dtype} and the label {y.max()}, which is -1 as {y.dtype}: use "
            "signed integers to mark unlabelled items.",
            UserWarning,
            stacklevel=4,
        )


def split_labels(y: Any) -> tuple[Any, np.ndarray]:
    """Return labels, and which items have some; rows of -1 become rows without labels."""
    if sp.issparse(y):
        return _split_sparse(sp.csr_array(y))
    y = _without_nulls(y if hasattr(y, "dtype") else np.array(y, dtype=object))
    if y.ndim < 2 or y.shape[1] == 1:
        labels = y.ravel()
        return labels, _is_labelled(labels)
    missing = y == UNLABELLED
    known = _rows_without(missing.sum(axis=1), y.shape[1])
    return as_labels(np.where(missing, 0, y)), known


def _without_nulls(y: Any) -> np.ndarray:
    """Return labels with -1 in place of None, NaN and pandas.NA, of a type that holds the rest."""
    y = np.asarray(y)
    if y.dtype.kind == "f":
        return np.where(np.isnan(y), y.dtype.type(UNLABELLED), y)
    if y.dtype.kind != "O":
        return y
    filled = [UNLABELLED if is_null(label) else label for label in y.ravel()]
    return np.array(filled).reshape(y.shape)


def _split_sparse(y: sp.csr_array) -> tuple[Any, np.ndarray]:
    missing = (y == UNLABELLED).astype(np.int32)
    known = _rows_without(np.asarray(missing.sum(axis=1)).ravel(), y.shape[1])
    kept = sp.csr_array(sp.diags_array(known.astype(y.dtype), dtype=y.dtype) @ y)
    return as_labels(kept), known


def _rows_without(n_missing: np.ndarray, n_labels: int) -> np.ndarray:
    """Return which rows of an indicator have no -1; the others must hold -1 only."""
    if not np.isin(n_missing, (0, n_labels)).all():
        raise ValueError(
            "y has rows with -1 beside other values; the row of an unlabelled item must be all -1."
        )
    return n_missing == 0


def _is_labelled(labels: np.ndarray) -> np.ndarray:
    """Return which labels are not -1, as a number or, among strings, as a string."""
    if labels.dtype.kind in "biuf":
        return labels != UNLABELLED
    return np.array([str(label) not in ("-1", "-1.0") for label in labels], dtype=bool)
