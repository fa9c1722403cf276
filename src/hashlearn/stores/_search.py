"""The work of `Store.search` around the engine's: conditions before, padding and joining after."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Set
from typing import Any

import numpy as np

from hashlearn._numerics.ids import NOT_FOUND
from hashlearn.search.float_queries import FloatQueries
from hashlearn.search.packing import check_packed
from hashlearn.search.results import Neighbours, RadiusHits
from hashlearn.stores._checks import check_text
from hashlearn.stores._columns import DTYPES
from hashlearn.stores.batches import Columns, ColumnType, Found, IdType
from hashlearn.stores.where import Between, Condition, Not, Where


def as_conditions(
    where: Where | None, columns: Columns, id_type: IdType = int
) -> tuple[Condition, ...]:
    """Return what must hold of an item, all of it, checked against a table's columns."""
    if where is None:
        return ()
    if not isinstance(where, Mapping):
        raise TypeError(
            f"where must be a mapping of columns to values, such as {{'digit': 3}}; got {where!r}."
        )
    known: dict[str, ColumnType] = {"id": id_type, **columns}
    return tuple(part for name in where for part in _conditions(name, where[name], known))


def _conditions(column: str, wanted: Any, known: Mapping[str, ColumnType]) -> Iterator[Condition]:
    """Yield the conditions on one column: one, or two for a range with both bounds."""
    if column not in known:
        names = ", ".join(map(repr, known))
        raise ValueError(f"where must name columns of the table, {names}; got {column!r}.")
    kind = known[column]
    if isinstance(wanted, Between):
        for operator, bound in _bounds(column, kind, wanted).items():
            yield Condition(column, kind, operator, _value(column, kind, bound))
        return
    operator = "not in" if isinstance(wanted, Not) else "in"
    if isinstance(wanted, Not):
        wanted = wanted.value
    if isinstance(wanted, np.ndarray):
        wanted = wanted.tolist()
    values = wanted if isinstance(wanted, list | tuple | range | Set) else (wanted,)
    # Every item has an id.
    known_values = (
        None if value is None and column != "id" else _value(column, kind, value)
        for value in values
    )
    yield Condition(column, kind, operator, tuple(known_values))


def _bounds(column: str, kind: ColumnType, wanted: Between) -> dict[str, Any]:
    """Return the bounds of a range by their operators."""
    if kind is bool:
        raise ValueError(f"where: column {column!r} must be True or False, not a range.")
    bounds = {">=": wanted.low, "<=": wanted.high}
    given = {operator: bound for operator, bound in bounds.items() if bound is not None}
    if not given:
        raise ValueError(f"where: a range of column {column!r} must have at least one bound.")
    return given


def _value(column: str, kind: ColumnType, given: Any) -> Any:
    """Return a value as Python's own, if it is of the column's type."""
    value: Any = given.item() if isinstance(given, np.generic) else given
    accepted: Any = (int, float) if kind is float else kind
    subject = f"where: values of column {column!r}"
    if not isinstance(value, accepted) or isinstance(value, bool) != (kind is bool):
        raise ValueError(f"{subject} must be {kind.__name__}; got {value!r}.")
    if kind is int and not -(2**63) <= value < 2**63:
        raise ValueError(f"{subject} must fit into 64 bits; got {value}.")
    if kind is float and not abs(value) <= sys.float_info.max:
        raise ValueError(f"{subject} must be finite; got {value}.")
    if kind is str:
        check_text(value, subject)
    return kind(value)


def packed_queries(queries: Any, floats: FloatQueries | None, n_bits: int) -> np.ndarray:
    """Return packed codes of queries, or those of the signs of float ones."""
    if floats is None:
        return check_packed(queries, n_bits, "queries")
    floats.check(n_bits)
    return floats.codes


def padded(rows: list[Found], k: int, n_bits: int, id_type: IdType = int) -> Neighbours:
    """Return rows of equal length.

    Missing items have id -1, None among texts, and a distance beyond all others.
    """
    width = min(k, max((len(found.ids) for found in rows), default=0))
    distances = np.full((len(rows), width), n_bits + 1, dtype=np.int64)
    nothing = None if id_type is str else NOT_FOUND
    ids: np.ndarray = np.full((len(rows), width), nothing, dtype=DTYPES[id_type])
    for row, found in enumerate(rows):
        n_found = min(width, len(found.ids))
        distances[row, :n_found] = found.distances[:n_found]
        ids[row, :n_found] = found.ids[:n_found]
    return Neighbours(distances, ids)


def joined(rows: list[Found], id_type: IdType = int) -> RadiusHits:
    """Return rows of any length one after the other."""
    none = Found(np.empty(0, dtype=DTYPES[id_type]), np.empty(0, dtype=np.int64))
    return RadiusHits(
        np.cumsum([0, *(len(found.ids) for found in rows)], dtype=np.int64),
        np.concatenate([found.ids for found in (none, *rows)]),
        np.concatenate([found.distances for found in (none, *rows)]),
    )
