"""The named choices of the measures, and how means treat queries without a value."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

Ties = Literal["expected", "index"]
Denominator = Literal["all", "found", "min"]
Average = Literal["queries", "pooled", "non-empty"]
Gain = Literal["linear", "exponential"]


def mean_of_defined(values: np.ndarray) -> float:
    """Return the mean of the values that are not NaN; NaN, with a warning, if none is left.

    Examples
    --------
    >>> mean_of_defined(np.array([1.0, np.nan, 0.5]))
    0.75
    """
    defined = values[~np.isnan(values)]
    if not defined.size:
        warn_undefined()
        return np.nan
    return float(defined.mean())


def or_none(value: float) -> float | None:
    """Return a measure as JSON can hold it: None where it is not defined.

    Examples
    --------
    >>> or_none(np.float64(0.5)), or_none(np.nan)
    (0.5, None)
    """
    return float(value) if np.isfinite(value) else None


def warn_undefined() -> None:
    """Warn that no query has anything to be found."""
    warnings.warn(
        "No query has a relevant item: the mean is undefined and set to NaN.",
        UndefinedMetricWarning,
        stacklevel=3,
    )
