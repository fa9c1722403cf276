"""What a table keeps beside ids and codes: columns of integers, numbers, texts or booleans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hashlearn.stores.names import check_name

ColumnType = type[int] | type[float] | type[str] | type[bool]
Columns = Mapping[str, ColumnType]

KINDS: dict[ColumnType, str] = {int: "iu", float: "fiu", str: "O", bool: "b"}  # numpy's letters
DTYPES: dict[ColumnType, type] = {int: np.int64, float: np.float64, bool: np.bool_}
MAX_INTEGER = np.iinfo(np.int64).max
RESERVED = ("id", "code")


def check_columns(columns: Columns | None) -> dict[str, ColumnType]:
    """Return columns by name, if each has a name and a type that every database takes.

    Examples
    --------
    >>> check_columns({"digit": int})
    {'digit': <class 'int'>}
    """
    checked: dict[str, ColumnType] = {}
    if not isinstance(columns, Mapping | None):
        raise TypeError(
            f"columns={columns!r} is no mapping: it takes names and types, as {{'digit': int}}."
        )
    for name, kind in (columns or {}).items():
        check_name(name, "column")
        taken = [*RESERVED, *map(str.lower, checked)]
        if name.lower() in taken:  # databases differ in whether case matters
            raise ValueError(f"column={name!r} is there already: a table has one of each name.")
        if not isinstance(kind, type) or kind not in KINDS:
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
    # As objects: numpy gives every text of an array the length of the longest.
    array = np.array(given, dtype=object if kind is str else None)
    if array.shape != (n_items,):
        raise ValueError(
            f"values of {name!r} have shape {array.shape}: {n_items} codes take ({n_items},)."
        )
    if kind is str:
        for text in array:
            check_text(text, f"values of {name!r} hold")
        array[:] = [str(text) for text in array]  # numpy's own texts are of a subclass
        return array
    if n_items and array.dtype.kind not in KINDS[kind]:
        raise ValueError(
            f"values of {name!r} have dtype {array.dtype}: the column takes {kind.__name__}."
        )
    if array.dtype == np.uint64 and array.max(initial=0) > MAX_INTEGER:
        raise ValueError(f"values of {name!r} hold {array.max()}: it takes 64 bits with sign.")
    if kind is float and np.isnan(array).any():
        raise ValueError(f"values of {name!r} hold NaN, which databases order in unlike ways.")
    return array.astype(DTYPES[kind])


def check_text(text: Any, what: str) -> None:
    """Raise unless every database can store a text.

    Examples
    --------
    >>> check_text(3, "values of 'title' hold")
    Traceback (most recent call last):
    ValueError: values of 'title' hold 3: it takes str.
    """
    if not isinstance(text, str):
        raise ValueError(f"{what} {text!r}: it takes str.")
    try:
        storable = b"\0" not in text.encode()
    except UnicodeEncodeError:  # halves of a surrogate pair
        storable = False
    if not storable:
        raise ValueError(
            f"{what} {text[:40]!r}, which not every database stores: it takes Unicode without "
            "zero characters."
        )


def _listed(names: Mapping[str, Any]) -> str:
    return ", ".join(map(repr, names)) or "none"
