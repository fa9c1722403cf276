"""Columns on the command line: types of their values, and conditions such as `year=2020..2024`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from hashlearn.items import as_numbers
from hashlearn.stores import Between
from hashlearn.stores.batches import Columns, ColumnType

OF_LETTERS: dict[str, ColumnType] = {"i": int, "u": int, "f": float, "b": bool, "U": str}  # numpy's
TRUE, FALSE = "true", "false"
RANGE, QUOTE = "..", '"'
MUST_BE = {int: "integers of 64 bits", float: "numbers", bool: "true or false"}


def find_kinds(
    blocks: Iterable[Mapping[str, np.ndarray]], names: tuple[str, ...], has_types: bool
) -> dict[str, ColumnType]:
    """Return the type of each column.

    Where arrays have types, the first block is enough; texts are read to the end.
    """
    found: dict[str, set[ColumnType | None]] = {name: set() for name in names}
    for block in blocks:
        for name in names:
            if block[name].ndim != 1:
                raise ValueError(f"--columns {name} must have one value per item, not several.")
            found[name] |= {_kind(block[name])} if has_types else _kinds_of_texts(block[name])
        if has_types:
            break
    return {name: _common(name, kinds) for name, kinds in found.items()}


def as_typed(texts: np.ndarray, kind: ColumnType, name: str) -> np.ndarray:
    """Return the values that the texts of a column stand for; raise if one is of another type."""
    if kind is str:
        return texts
    typed = _typed(texts)
    if not _fits(typed, kind):
        wrong = next(text for text in texts if not _fits(_typed(np.array([text])), kind))
        raise ValueError(f"column {name!r} must be {kind.__name__}; got {wrong!s:.40}.")
    return typed


def _typed(texts: np.ndarray) -> np.ndarray:
    """Return texts as booleans or numbers if all of them are; 01234 is a zip code, not a number."""
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
            f"--columns {name} has items without a value: a column of {common.__name__} must have "
            "a value for each."
        )
    return common


def read_where(given: Iterable[str], columns: Columns) -> dict[str, Any]:
    """Return what each column must be, read by the columns' types.

    A condition is COLUMN=VALUE, COLUMN=VALUE,VALUE or COLUMN=LOW..HIGH, of which one side may be
    empty. Texts may be quoted.
    """
    known: dict[str, ColumnType] = {"id": int, **columns}
    where: dict[str, Any] = {}
    for condition in given:
        column, equals, text = condition.partition("=")
        if not equals:
            raise ValueError(f"--where must be COLUMN=VALUE; got {condition}.")
        if column not in known:
            names = ", ".join(map(repr, known))
            raise ValueError(f"--where must name a column of {names}; got {condition}.")
        if column in where:
            raise ValueError(
                f"--where names column {column!r} twice: give all of its values, or both sides of "
                "a range, at once."
            )
        where[column] = _read(text, known[column], condition)
    return where


def _read(text: str, kind: ColumnType, condition: str) -> Any:
    if kind is str and text.startswith(QUOTE):
        return _quoted(text, condition)
    low, dots, high = text.partition(RANGE)
    if dots:
        sides = (None if not side else _value(side, kind, condition) for side in (low, high))
        return Between(*sides)
    return [_value(part, kind, condition) for part in text.split(",")]


def _quoted(text: str, condition: str) -> list[str]:
    """Return quoted texts, in the syntax of JSON."""
    try:
        texts = json.loads(f"[{text}]")
    except json.JSONDecodeError:
        texts = [None]
    if not all(isinstance(one, str) for one in texts):
        raise ValueError(f'--where must have quoted texts such as "a","b"; got {condition}.')
    return texts


def _value(text: str, kind: ColumnType, condition: str) -> Any:
    """Return the value that a text stands for in a column of some type."""
    column = condition.partition("=")[0]
    try:
        return as_typed(np.array([text]), kind, column).item()
    except ValueError:
        raise ValueError(
            f"--where: values of column {column!r} must be {MUST_BE[kind]}; got {condition}."
        ) from None
