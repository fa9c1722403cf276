"""Columns beside the features: their types, and the values that texts stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from hashlearn.items import as_numbers
from hashlearn.stores.batches import ColumnType

OF_LETTERS: dict[str, ColumnType] = {"i": int, "u": int, "f": float, "b": bool, "U": str}  # numpy's
TRUE, FALSE = "true", "false"


def find_kinds(
    blocks: Iterable[Mapping[str, np.ndarray]], names: tuple[str, ...], has_types: bool
) -> dict[str, ColumnType]:
    """Return the type of each column; one without any value is text.

    Where columns have types, a block with values is enough; texts are read to the end.
    """
    found: dict[str, set[ColumnType]] = {name: set() for name in names}
    for block in blocks:
        for name in names:
            if block[name].ndim != 1:
                raise ValueError(f"column {name!r} must have one value per item, not several.")
            there = block[name][~_is_null(block[name], has_types)]
            if there.size:
                found[name].add(_kind(_plain(there) if has_types else _typed(there)))
        if has_types and all(found.values()):
            break
    return {name: _common(kinds) for name, kinds in found.items()}


def as_typed(values: np.ndarray, kind: ColumnType, name: str, has_types: bool) -> np.ndarray:
    """Return the values of a column in its type, None where there is none.

    `has_types` is whether the values have one already; if not, they are texts.
    """
    if kind is str and not has_types:
        return values
    null = _is_null(values, has_types)
    there = _plain(values[~null]) if has_types else _typed(values[~null])
    if there.size and not _fits(there, kind):
        wrong = there[0] if has_types else _first_wrong(values[~null], kind)
        raise ValueError(f"column {name!r} must be {kind.__name__}; got {wrong!s:.40}.")
    if not null.any():
        return there
    typed = np.full(len(values), None, dtype=object)
    typed[~null] = there.tolist()
    return typed


def _is_null(values: np.ndarray, has_types: bool) -> np.ndarray:
    """Return which values are missing: None or NaN, or the empty text of a file without types."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if has_types and values.dtype != object:
        return np.zeros(len(values), dtype=bool)
    missing = (None,) if has_types else (None, "", "nan")
    return np.array([one in missing or one != one for one in values.tolist()], dtype=bool)


def _plain(values: np.ndarray) -> np.ndarray:
    """Return objects as an array of their type."""
    return np.array(values.tolist()) if values.dtype == object else values


def _first_wrong(texts: np.ndarray, kind: ColumnType) -> str:
    return next(str(text) for text in texts if not _fits(_typed(np.array([text])), kind))


def _typed(texts: np.ndarray) -> np.ndarray:
    """Return texts as booleans or numbers if all of them are; 01234 is a zip code, not a number."""
    texts = texts.astype(str)
    lower = np.char.lower(texts)
    if np.isin(lower, (TRUE, FALSE)).all():
        return lower == TRUE
    digits = np.char.strip(texts)
    has_zero = np.char.startswith(digits, "0") & (np.char.str_len(digits) > 1)
    return texts if (has_zero & np.char.isdigit(digits)).any() else as_numbers(texts)


def _kind(values: np.ndarray) -> ColumnType:
    return OF_LETTERS[values.dtype.kind]


def _fits(values: np.ndarray, kind: ColumnType) -> bool:
    return _kind(values) is kind or (_kind(values) is int and kind is float)


def _common(kinds: set[ColumnType]) -> ColumnType:
    """Return the type that holds them all."""
    if kinds == {int, float}:
        return float
    return kinds.pop() if len(kinds) == 1 else str
