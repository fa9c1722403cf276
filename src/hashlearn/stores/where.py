"""Conditions on columns that narrow a search; values are never part of an SQL text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from hashlearn.stores.batches import ColumnType

Where = Mapping[str, Any]


@dataclass(frozen=True)
class Between:
    """Values from `low` to `high`, both included; None leaves a side open.

    Examples
    --------
    >>> from hashlearn.stores import Between
    >>> Between(2020, None)
    Between(low=2020, high=None)
    """

    low: Any = None
    high: Any = None


@dataclass(frozen=True)
class Not:
    """Any value but this one, or these; items without a value are among them.

    Parameters
    ----------
    value : int, float, str, bool or None, or a list of them
        What the column must not be; None is a missing value, so that ``Not(None)`` is any value.

    Examples
    --------
    >>> from hashlearn.stores import Not
    >>> Not([3, 5])
    Not(value=[3, 5])
    """

    value: Any


class Condition(NamedTuple):
    """What must hold of one column of an item.

    Attributes
    ----------
    column : str
        The column, which may be "id".
    kind : type
        Its type: int, float, str or bool.
    operator : {"in", "not in", ">=", "<="}
        How the column is compared. No value is neither above nor below a bound.
    value : tuple, int, float or str
        What it is compared with: for "in" and "not in" a tuple of values, which may be empty, and
        in which None is a missing value.

    Examples
    --------
    >>> from hashlearn.stores import Condition
    >>> Condition("year", int, ">=", 2020)
    Condition(column='year', kind=<class 'int'>, operator='>=', value=2020)
    """

    column: str
    kind: ColumnType
    operator: str
    value: Any
