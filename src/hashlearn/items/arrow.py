"""From Arrow's columns to arrays. pyarrow is imported by what hands the columns in."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_list(kind: Any) -> bool:
    """Tell whether a type is that of lists."""
    from pyarrow import types

    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


def is_number(kind: Any) -> bool:
    """Tell whether a type is that of real numbers that NumPy has."""
    from pyarrow import types

    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)


def is_text(kind: Any) -> bool:
    """Tell whether a type is that of text."""
    from pyarrow import types

    return types.is_string(kind) or types.is_large_string(kind)


def plain(kind: Any) -> Any:
    """Return the type of a column's single values: inside of lists and dictionaries."""
    return plain(kind.value_type) if is_list(kind) or hasattr(kind, "index_type") else kind


def list_lengths(column: Any) -> np.ndarray:
    """Return the length of each list of a column.

    Examples
    --------
    >>> import pyarrow
    >>> list_lengths(pyarrow.array([[1, 2], [3]]))
    array([2, 1])
    """
    from pyarrow import compute

    return compute.list_value_length(column).to_numpy(zero_copy_only=False).astype(np.int64)


def to_numpy(column: Any) -> np.ndarray:
    """Return a column of numbers or text, without missing values, as an array.

    Examples
    --------
    >>> import pyarrow
    >>> to_numpy(pyarrow.array(["cat", "dog"]).dictionary_encode())
    array(['cat', 'dog'], dtype='<U3')
    """
    if hasattr(column, "dictionary_decode"):
        column = column.dictionary_decode()
    if is_text(column.type):
        return np.array(column.to_pylist(), dtype=str)
    return column.to_numpy(zero_copy_only=False)
