"""Columns of tables and arrays: their types in NumPy and Arrow, and their names in messages.

pyarrow is imported by whoever hands in its columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

NUMBERS = "biuf"  # kinds of dtypes that are real numbers
MAX_PADDING = 8  # characters of room per character of text


def feature_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in which features stored as `dtype` are read.

    Bytes stay bytes, so that packed codes can be read; float32 and float64 stay; other numbers
    become float32, which is what hashers convert them to.
    """
    if dtype.kind == "f" and dtype.itemsize >= 8:
        return np.dtype(np.float64)
    return np.dtype(np.uint8) if dtype == np.uint8 else np.dtype(np.float32)


def listing(names: Sequence[str], most: int = 10) -> str:
    """Return names for a message, at most the first few: "'a', 'b' and 1 more"."""
    shown = ", ".join(map(repr, names[:most])) or "none"
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " (did you mean 'label'?)" for a name that is almost a known one, else nothing."""
    by_lower = {one.lower(): one for one in known}
    close = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.7)
    return f" (did you mean {by_lower[close[0]]!r}?)" if close else ""


def is_list(kind: Any) -> bool:
    """Tell whether an Arrow type is a type of lists of numbers."""
    from pyarrow import types

    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return lists and is_number(kind.value_type)


def is_bytes(kind: Any) -> bool:
    """Tell whether an Arrow type is a type of bytes of a fixed number."""
    from pyarrow import types

    return types.is_fixed_size_binary(kind)


def is_number(kind: Any) -> bool:
    """Tell whether an Arrow type is a type of real numbers that NumPy has."""
    from pyarrow import types

    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)


def is_text(kind: Any) -> bool:
    """Tell whether an Arrow type is a type of text."""
    return str(kind) in ("string", "large_string", "string_view")


def is_like_text(kind: Any) -> bool:
    """Tell whether values of an Arrow type are read as text: dates, times, decimals and UUIDs."""
    from pyarrow import types

    is_uuid = getattr(kind, "extension_name", None) == "arrow.uuid"
    return is_uuid or types.is_temporal(kind) or types.is_decimal(kind) or types.is_null(kind)


def value_type(kind: Any) -> Any:
    """Return the Arrow type of single values, inside of lists of numbers and dictionaries."""
    return kind.value_type if is_list(kind) or hasattr(kind, "index_type") else kind


def list_lengths(column: Any) -> np.ndarray:
    """Return the length of each list of an Arrow column."""
    from pyarrow import compute

    return compute.list_value_length(column).to_numpy(zero_copy_only=False).astype(np.int64)


def text_array(values: list[str]) -> np.ndarray:
    """Return texts as an array of text, or of objects where each would take the longest's room."""
    longest, total = max(map(len, values), default=0), sum(map(len, values))
    wide = longest * len(values) > MAX_PADDING * max(total, 2**16)
    return np.array(values, dtype=object if wide else str)


def to_numpy(column: Any) -> np.ndarray:
    """Return an Arrow column of numbers, text, or what is read as text, as an array.

    A missing value is NaN among floats, and None in an array of objects among others.
    """
    from pyarrow.types import is_floating

    if hasattr(column, "dictionary_decode"):
        column = column.dictionary_decode()
    if (is_number(column.type) and not column.null_count) or is_floating(column.type):
        return column.to_numpy(zero_copy_only=False)
    values = column.to_pylist()
    if is_like_text(column.type):
        values = [None if value is None else str(value) for value in values]
    return np.array(values, dtype=object) if column.null_count else text_array(values)
