"""Shares and means where some queries have no value."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning


def share_of(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Divide, with NaN where there is nothing to divide by."""
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


def mean_of_defined(values: np.ndarray) -> float:
    """Return the mean of the values that are not NaN; NaN, with a warning, if there are none."""
    defined = values[~np.isnan(values)]
    if not defined.size:
        warn_undefined()
        return np.nan
    return float(defined.mean())


def warn_undefined() -> None:
    """Warn that no query has anything to be found."""
    warnings.warn(
        "No query has a relevant item: the mean is undefined and set to NaN.",
        UndefinedMetricWarning,
        stacklevel=3,
    )
