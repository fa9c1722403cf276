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


class Condition(NamedTuple):
    """What must hold of one column of an item.

    Attributes
    ----------
    column : str
        The column, which may be "id".
    kind : type
        Its type: int, float, str or bool.
    operator : {"in", ">=", "<="}
        How the column is compared.
    value : tuple, int, float or str
        What it is compared with: for "in" a tuple of values, which may be empty.

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
