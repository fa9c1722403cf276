"""Conditions as LanceDB's expressions: trees of columns and values, no text of SQL."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from hashlearn.stores.where import Condition, OneOf

if TYPE_CHECKING:
    from lancedb.expr import Expr

FIRST, LAST = -(2**63), 2**63 - 1  # of all integers, a range on which LanceDB fails


def expression_of(where: tuple[Condition, ...]) -> Expr | None:
    """Return what must hold of a row; None if that is nothing.

    Examples
    --------
    >>> from hashlearn.stores.where import InRange
    >>> expression_of((OneOf("digit", int, (3, 5)), InRange("word", str, "it's", None)))
    Expr((digit IN (3, 5) AND (word >= 'it''s')))
    """
    parts = [part for condition in where for part in _parts(condition)]
    return reduce(and_, parts) if parts else None


def _parts(condition: Condition) -> Iterator[Expr]:
    from lancedb.expr import col

    column = col(condition.column)
    if isinstance(condition, OneOf):
        yield column.isin([_value(value) for value in condition.values])
        return
    binds_low = condition.kind is not int or condition.low != FIRST
    binds_high = condition.kind is not int or condition.high != LAST
    if condition.low is not None and binds_low:
        yield column >= _value(condition.low)
    if condition.high is not None and binds_high:
        yield column <= _value(condition.high)


def _value(value: Any) -> Any:
    return value + 0.0 if isinstance(value, float) else value  # as tables hold zeros
