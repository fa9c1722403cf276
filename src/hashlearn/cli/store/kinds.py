"""Types of columns that a store keeps: those of arrays, or what the texts of a CSV file mean."""

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
    """Return the type of each column.

    Parameters
    ----------
    blocks : iterable of mappings of str to ndarray
        The columns.
    names : tuple of str
        What they are called.
    has_types : bool
        Whether arrays have the type of what they hold, so that the first block tells; else texts
        are read to the end.

    Examples
    --------
    >>> blocks = [{"size": np.array(["3", "4"])}, {"size": np.array(["2.5"])}]
    >>> find_kinds(blocks, ("size",), has_types=False)
    {'size': <class 'float'>}
    """
    found: dict[str, set[ColumnType | None]] = {name: set() for name in names}
    for block in blocks:
        for name in names:
            if block[name].ndim != 1:
                raise ValueError(f"--columns {name} has several values per item: it takes one.")
            found[name] |= {_kind(block[name])} if has_types else _kinds_of_texts(block[name])
        if has_types:
            break
    return {name: _common(name, kinds) for name, kinds in found.items()}


def as_typed(texts: np.ndarray, kind: ColumnType, name: str) -> np.ndarray:
    """Return what the texts of a column mean; raise for the first that is not of its type.

    Examples
    --------
    >>> as_typed(np.array(["true", "False"]), bool, "seen")
    array([ True, False])
    """
    if kind is str:
        return texts
    typed = _typed(texts)
    if not _fits(typed, kind):
        wrong = next(text for text in texts if not _fits(_typed(np.array([text])), kind))
        raise ValueError(f"column {name!r} has the value {wrong!s:.40}: it takes {kind.__name__}.")
    return typed


def _typed(texts: np.ndarray) -> np.ndarray:
    """Return texts as booleans or numbers if all of them are: 01234 is no number but a zip code."""
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


def _kinds_of_texts(texts: np.ndarray) -> set[ColumnType | None]:
    """Return the types that some texts have, with None for empty ones."""
    named = texts[texts != ""]
    kinds: set[ColumnType | None] = {_kind(_typed(named))} if named.size else set()
    return kinds if named.size == texts.size else kinds | {None}


def _common(name: str, kinds: set[ColumnType | None]) -> ColumnType:
    """Return the type that holds them all."""
    named = kinds - {None}
    if named == {int, float}:
        common: ColumnType = float
    else:
        common = named.pop() or str if len(named) == 1 else str
    if None in kinds and common is not str:
        raise ValueError(
            f"--columns {name} has items without a value: a column of {common.__name__} takes one "
            "of each."
        )
    return common
