"""Which items a search looks at: conditions on columns, as values and never as text of SQL."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from hashlearn.stores.columns import Columns, ColumnType, check_text

Where = Mapping[str, Any]


@dataclass(frozen=True)
class Between:
    """Values from `low` to `high`, both included; None leaves a side open.

    Examples
    --------
    >>> Between(2020, None)
    Between(low=2020, high=None)
    """

    low: Any = None
    high: Any = None


@dataclass(frozen=True)
class OneOf:
    """A column has one of some values.

    Attributes
    ----------
    column : str
        The column, which may be "id".
    kind : type
        int, float, str or bool.
    values : tuple
        Values of that type, perhaps none.
    """

    column: str
    kind: ColumnType
    values: tuple[Any, ...]


@dataclass(frozen=True)
class InRange:
    """A column's value is from `low` to `high`, both included.

    Attributes
    ----------
    column : str
        The column, which may be "id".
    kind : type
        int, float or str.
    low, high : int, float, str or None
        The bounds; None leaves a side open, one of them at most.
    """

    column: str
    kind: ColumnType
    low: Any
    high: Any


Condition = OneOf | InRange


def as_conditions(where: Where | None, columns: Columns) -> tuple[Condition, ...]:
    """Return what must hold of an item, all of it, checked against a table's columns.

    Parameters
    ----------
    where : mapping of str to value, list of values or Between, or None
        What each column must be.
    columns : mapping of str to type
        The table's columns; "id" is always one.

    Examples
    --------
    >>> as_conditions({"digit": [3, 5]}, {"digit": int})
    (OneOf(column='digit', kind=<class 'int'>, values=(3, 5)),)
    """
    if where is None:
        return ()
    if not isinstance(where, Mapping):
        raise TypeError(
            f"where={where!r} is no mapping: it takes columns and values, such as {{'digit': 3}}."
        )
    known: dict[str, ColumnType] = {"id": int, **columns}
    return tuple(_condition(column, wanted, known) for column, wanted in where.items())


def _condition(column: str, wanted: Any, known: Mapping[str, ColumnType]) -> Condition:
    if column not in known:
        names = ", ".join(map(repr, known))
        raise ValueError(f"where names column {column!r}: the table has {names}.")
    kind = known[column]
    if isinstance(wanted, Between):
        return _range(column, kind, wanted)
    if isinstance(wanted, np.ndarray):
        wanted = wanted.tolist()
    if isinstance(wanted, list | tuple | range | Set):
        return OneOf(column, kind, tuple(_value(column, kind, value) for value in wanted))
    return OneOf(column, kind, (_value(column, kind, wanted),))


def _range(column: str, kind: ColumnType, bounds: Between) -> InRange:
    if kind is bool:
        raise ValueError(f"where gives column {column!r} a range: booleans take True or False.")
    low, high = (
        None if bound is None else _value(column, kind, bound)
        for bound in (bounds.low, bounds.high)
    )
    if low is None and high is None:
        raise ValueError(f"where gives column {column!r} a range without bounds: it takes one.")
    return InRange(column, kind, low, high)


def _value(column: str, kind: ColumnType, given: Any) -> Any:
    """Return a value as Python's own, if it is of the column's type."""
    value: Any = given.item() if isinstance(given, np.generic) else given
    takes: Any = (int, float) if kind is float else kind
    is_of_kind: bool = isinstance(value, takes) and isinstance(value, bool) == (kind is bool)
    if not is_of_kind:
        raise ValueError(
            f"where gives column {column!r} the value {value!r}: it takes {kind.__name__}."
        )
    if kind is int and not -(2**63) <= value < 2**63:
        raise ValueError(f"where gives column {column!r} the value {value}: it takes 64 bits.")
    if kind is float and not abs(value) <= sys.float_info.max:
        raise ValueError(f"where gives column {column!r} the value {value}: it takes finite ones.")
    if kind is str:
        check_text(value, f"where gives column {column!r}")
    return kind(value)
