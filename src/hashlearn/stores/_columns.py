"""Values of a column as arrays: of the column's type, or objects where some are missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hashlearn._numerics.nulls import is_null
from hashlearn.stores._checks import check_text

ColumnType = type[int] | type[float] | type[str] | type[bool]

KINDS: dict[ColumnType, str] = {int: "iu", float: "fiu", str: "O", bool: "b"}  # numpy's letters
DTYPES: dict[ColumnType, type] = {int: np.int64, float: np.float64, str: object, bool: np.bool_}
MAX_INTEGER = np.iinfo(np.int64).max


def checked_column(name: str, given: Any, kind: ColumnType, n_items: int) -> np.ndarray:
    """Return values as users give them; raise unless they fit a column."""
    if isinstance(given, np.ma.MaskedArray):
        mask, given = np.ma.getmaskarray(given), given.data.astype(object)
        given[mask] = None
    # As objects: numpy gives every text of an array the length of the longest, and makes floats of
    # the integers of other packages' arrays if some are missing.
    is_numpy = isinstance(getattr(given, "dtype", np.dtype(object)), np.dtype)
    array = np.array(given, dtype=None if kind is not str and is_numpy else object)
    subject = f"values of column {name!r}"
    if array.shape != (n_items,):
        raise ValueError(f"{subject} must have shape ({n_items},); got {array.shape}.")
    is_null = _nulls(array)
    if not is_null.any():
        return _typed(array, kind, subject)
    known = np.array(array[~is_null].tolist(), dtype=object if kind is str else None)
    column = np.full(n_items, None, dtype=object)
    column[~is_null] = _typed(known, kind, subject).tolist()
    return column


def read_column(values: Sequence[Any], kind: ColumnType) -> np.ndarray:
    """Return values as an engine gives them, None where there is none."""
    if None not in values:
        return np.array(values, dtype=DTYPES[kind])
    # SQLite, for one, has no booleans.
    return np.array([None if value is None else kind(value) for value in values], dtype=object)


def _nulls(array: np.ndarray) -> np.ndarray:
    """Return which values are missing: None, NaN, or pandas' NA."""
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype.kind != "O":
        return np.zeros(array.shape, dtype=bool)
    return np.array([is_null(value) for value in array.tolist()], dtype=bool)


def _typed(array: np.ndarray, kind: ColumnType, subject: str) -> np.ndarray:
    """Return values without nulls as an array of the column's type."""
    if kind is str:
        for text in array:
            check_text(text, subject)
        array[:] = [str(text) for text in array]  # numpy's own texts are of a subclass
        return array
    if array.size and array.dtype.kind not in KINDS[kind]:
        raise ValueError(f"{subject} must be {kind.__name__}; got dtype {array.dtype}.")
    if array.dtype == np.uint64 and array.max(initial=0) > MAX_INTEGER:
        raise ValueError(f"{subject} must fit into 64 bits with a sign; got {array.max()}.")
    return array.astype(DTYPES[kind])
