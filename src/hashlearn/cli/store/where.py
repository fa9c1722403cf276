"""Conditions of the command line: `digit=3`, `digit=3,5`, `year=2020..2024`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from hashlearn.cli.store.kinds import as_typed
from hashlearn.stores import Between
from hashlearn.stores.batches import Columns, ColumnType

RANGE, QUOTE = "..", '"'
TAKES = {int: "whole numbers of 64 bits", float: "numbers", bool: "true or false"}


def read_where(given: Iterable[str], columns: Columns) -> dict[str, Any]:
    """Return what each column must be, read by the columns' types.

    Parameters
    ----------
    given : iterable of str
        COLUMN=VALUE, COLUMN=VALUE,VALUE or COLUMN=LOW..HIGH, of which one side may be empty. Texts
        may stand in quotes.
    columns : mapping of str to type
        The table's columns; "id" is always one.

    Examples
    --------
    >>> read_where(["digit=3,5", "year=2020.."], {"digit": int, "year": int})
    {'digit': [3, 5], 'year': Between(low=2020, high=None)}
    >>> read_where(['name="Lee, Ann"'], {"name": str})
    {'name': ['Lee, Ann']}
    """
    known: dict[str, ColumnType] = {"id": int, **columns}
    where: dict[str, Any] = {}
    for condition in given:
        column, equals, text = condition.partition("=")
        if not equals:
            raise ValueError(f"--where {condition} is not taken; it takes COLUMN=VALUE.")
        if column not in known:
            names = ", ".join(map(repr, known))
            raise ValueError(f"--where {condition} names no column: the table has {names}.")
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
    """Return texts that stand in quotes, as JSON has it."""
    try:
        texts = json.loads(f"[{text}]")
    except json.JSONDecodeError:
        texts = [None]
    if not all(isinstance(one, str) for one in texts):
        raise ValueError(f'--where {condition} is not taken; it takes texts such as "a","b".')
    return texts


def _value(text: str, kind: ColumnType, condition: str) -> Any:
    """Return what a text means in a column of some type."""
    column = condition.partition("=")[0]
    try:
        return as_typed(np.array([text]), kind, column).item()
    except ValueError:
        raise ValueError(
            f"--where {condition} is not taken: column {column!r} takes {TAKES[kind]}."
        ) from None
