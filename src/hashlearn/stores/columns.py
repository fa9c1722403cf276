"""What a table keeps beside ids and codes: columns of integers, numbers, texts or booleans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hashlearn.stores.names import check_name

ColumnType = type[int] | type[float] | type[str] | type[bool]
Columns = Mapping[str, ColumnType]

KINDS: dict[ColumnType, str] = {int: "iu", float: "fiu", str: "U", bool: "b"}  # numpy's letters
RESERVED = ("id", "code")


def check_columns(columns: Columns | None) -> dict[str, ColumnType]:
    """Return columns by name, if each has a name and a type that every database takes.

    Examples
    --------
    >>> check_columns({"digit": int})
    {'digit': <class 'int'>}
    """
    checked: dict[str, ColumnType] = {}
    for name, kind in (columns or {}).items():
        check_name(name, "column")
        taken = [*RESERVED, *map(str.lower, checked)]
        if name.lower() in taken:  # databases differ in whether case matters
            raise ValueError(f"column={name!r} is there already: a table has one of each name.")
        if kind not in KINDS:
            raise ValueError(
                f"column {name!r} has type {kind!r}: it takes int, float, str or bool."
            )
        checked[name] = kind
    return checked


def check_values(
    values: Mapping[str, Any] | None, columns: Columns, n_items: int
) -> dict[str, np.ndarray]:
    """Return one array per column, if there is a value of its type for every item."""
    values = values or {}
    if set(values) != set(columns):
        raise ValueError(
            f"values has the columns {_listed(values)}: the table takes {_listed(columns)}."
        )
    return {name: _as_column(name, values[name], columns[name], n_items) for name in columns}


def _as_column(name: str, given: Any, kind: ColumnType, n_items: int) -> np.ndarray:
    array = np.asarray(given)
    if array.dtype == object and all(isinstance(value, str) for value in array.flat):
        array = array.astype(str)  # as tables of pandas hold texts
    if array.shape != (n_items,):
        raise ValueError(
            f"values of {name!r} have shape {array.shape}: {n_items} codes take ({n_items},)."
        )
    if n_items and array.dtype.kind not in KINDS[kind]:
        raise ValueError(
            f"values of {name!r} have dtype {array.dtype}: the column takes {kind.__name__}."
        )
    if array.dtype == np.uint64 and n_items and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"values of {name!r} hold {array.max()}: it takes 64 bits with sign.")
    if kind is str and any("\0" in text for text in array):
        raise ValueError(f"values of {name!r} hold a text with a zero byte, which none can store.")
    return array.astype({int: np.int64, float: np.float64, bool: np.bool_}.get(kind, array.dtype))


def _listed(names: Mapping[str, Any]) -> str:
    return ", ".join(map(repr, names)) or "none"
