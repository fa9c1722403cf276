"""How much items count, and which of them are looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import _check_sample_weight, check_consistent_length

from hashlearn._numerics.checks import check_not_huge
from hashlearn.affinity import Affinity


def check_weights(sample_weight: Any, X: Any) -> np.ndarray | None:
    """Return weights of the rows of X as float64, checked; None stays None.

    Examples
    --------
    >>> check_weights([1, -1], np.eye(2))
    Traceback (most recent call last):
    ValueError: Negative values in data passed to `sample_weight`.
    """
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    check_not_huge(weights)
    if not weights.any():
        raise ValueError("sample_weight is 0 for all items; some must count.")
    return weights


def take(data: Any, used: np.ndarray, *, columns: bool = False) -> Any:
    """Return the rows of data that are used, the data itself if all are; None stays None.

    Parameters
    ----------
    data : array-like, sparse matrix, Affinity or None
        Of as many rows as `used`.
    used : ndarray of bool
        Which rows.
    columns : bool, default=False
        Whether columns are taken as rows are, as an affinity always does.

    Examples
    --------
    >>> take(np.eye(3), np.array([True, False, True]), columns=True)
    array([[1., 0.],
           [0., 1.]])
    """
    if data is None or used.all():
        return data
    check_consistent_length(data, used)
    if isinstance(data, Affinity):
        return data[used]
    rows = data.tocsr()[used] if sp.issparse(data) else np.asarray(data)[used]
    return rows[:, used] if columns else rows
