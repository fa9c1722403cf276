"""The search of one `hashlearn store search`: its conditions, applied to blocks of queries."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from hashlearn.cli._shared.codes import CodeBlock
from hashlearn.cli._shared.hits import Search
from hashlearn.cli.store._pushing import as_typed
from hashlearn.search.results import Neighbours, RadiusHits
from hashlearn.stores import Between, Store
from hashlearn.stores.batches import Columns, ColumnType
from hashlearn.stores.where import Where

TOGETHER = 16  # queries per result: a database searches for one at a time, so more gain nothing
RANGE, QUOTE = "..", '"'
MUST_BE = {int: "integers of 64 bits", float: "numbers", bool: "true or false"}


class StoreFinder(Search):
    """A search for the k nearest, or all within a radius; exact unless `effort` is given."""

    def __init__(
        self, store: Store, *, k: int | None, radius: int | None, where: Where, effort: int | None
    ) -> None:
        super().__init__(k, radius, TOGETHER)
        self.store, self.where, self.effort = store, where, effort

    @property
    def among(self) -> str:
        """The searched items, in words."""
        left = " that --where leaves" if self.where else ""
        return f"{self.store.count(self.where):,} items{left}"

    def _nearest(self, block: CodeBlock) -> Neighbours:
        return self.store.search(block.packed, self.k, where=self.where, effort=self.effort)

    def _within(self, block: CodeBlock, radius: int) -> RadiusHits:
        return self.store.radius_search(block.packed, radius, where=self.where)


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
