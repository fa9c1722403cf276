"""Conditions on columns, as the option `--where` gives them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from hashlearn._numerics.columns import did_you_mean
from hashlearn.cli._shared.columns import as_typed
from hashlearn.stores import Between, Not
from hashlearn.stores.batches import ColumnType

RANGE, QUOTE = "..", '"'
MUST_BE = {int: "integers of 64 bits", float: "numbers", bool: "true or false", str: "text"}


def split_condition(condition: str) -> tuple[str, bool, str]:
    """Return the column of a condition, whether it is negated, and the text behind the `=`."""
    column, equals, text = condition.partition("=")
    negated = column.endswith("!")
    column = column.removesuffix("!")
    if not (equals and column):
        raise ValueError(f"--where must be COLUMN=VALUE or COLUMN!=VALUE; got {condition}.")
    return column, negated, text


def read_where(given: Iterable[str], known: Mapping[str, ColumnType]) -> dict[str, Any]:
    """Return what each column must be, read by the columns' types.

    A condition is COLUMN=VALUE, COLUMN=VALUE,VALUE, COLUMN=LOW..HIGH, of which one side may be
    empty, or COLUMN!=VALUE. Texts may be quoted; nothing behind the = stands for no value.
    """
    where: dict[str, Any] = {}
    for condition in given:
        column, negated, text = split_condition(condition)
        if column not in known:
            names = ", ".join(map(repr, known))
            hint = did_you_mean(column, tuple(known))
            raise ValueError(f"--where must name a column of {names}; got {condition}{hint}.")
        if column in where:
            raise ValueError(
                f"--where names column {column!r} twice: give all of its values, or both sides of "
                "a range, at once."
            )
        wanted = _read(text, known[column], condition)
        if negated and isinstance(wanted, Between):
            raise ValueError(f"--where: a range cannot be negated; got {condition}.")
        where[column] = Not(wanted) if negated else wanted
    return where


def _read(text: str, kind: ColumnType, condition: str) -> Any:
    if text == "":
        return [None, ""] if kind is str else None
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
    column = split_condition(condition)[0]
    try:
        return as_typed(np.array([text]), kind, column, has_types=False).item()
    except ValueError:
        raise ValueError(
            f"--where: values of column {column!r} must be {MUST_BE[kind]}; got {condition}."
        ) from None


def fulfil(values: np.ndarray, wanted: Any) -> np.ndarray:
    """Return which values are wanted: one of a list, none (None), within a range, or not these."""
    null = np.array([one is None or one != one for one in values.tolist()], dtype=bool)
    if wanted is None:
        return null
    if isinstance(wanted, Not):
        return ~fulfil(values, wanted.value)
    if isinstance(wanted, Between):
        found = np.zeros(len(values), dtype=bool)
        there = values[~null]
        low = True if wanted.low is None else there >= wanted.low
        high = True if wanted.high is None else there <= wanted.high
        found[~null] = np.logical_and(low, high)
        return found
    wanted = list(wanted)
    found = np.isin(values, [one for one in wanted if one is not None]) & ~null
    return found | null if None in wanted else found
