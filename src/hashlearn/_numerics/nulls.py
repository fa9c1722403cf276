"""Missing values of columns and labels."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_null(value: Any) -> bool:
    """Return whether a value is None, NaN, or pandas' NA or NaT."""
    # NA equals nothing, not even itself, and is of a package that need not be there
    is_nan = isinstance(value, float | np.floating) and value != value
    return value is None or bool(is_nan) or type(value).__name__ in ("NAType", "NaTType")
