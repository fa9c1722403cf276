"""Statements for PostgreSQL: names as identifiers, values as parameters, never as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, LiteralString

import numpy as np

from hashlearn.stores.batches import ColumnType
from hashlearn.stores.where import Condition

if TYPE_CHECKING:
    from psycopg import sql

    Part = str | tuple[str, ...] | sql.Composable

TYPES: dict[ColumnType, LiteralString] = {
    int: "bigint",
    float: "double precision",
    str: "text",
    bool: "boolean",
}


def statement(text: LiteralString, **parts: Part) -> sql.Composed:
    """Return a statement with its `{parts}` filled in.

    A part that is a str is a name, a tuple a name after its schema; others are parts of statements.
    """
    from psycopg import sql

    def filled(part: Part) -> sql.Composable:
        if isinstance(part, str):
            return sql.Identifier(part)
        return sql.Identifier(*part) if isinstance(part, tuple) else part

    return sql.SQL(text).format(**{key: filled(part) for key, part in parts.items()})


def joined(separator: LiteralString, parts: list[sql.Composed]) -> sql.Composed:
    """Return several parts as one."""
    from psycopg import sql

    return sql.SQL(separator).join(parts)


def literal(value: int | str) -> sql.Composable:
    """Return a value for statements without parameters: those that create tables."""
    from psycopg import sql

    return sql.Literal(value)


def as_bits(packed: np.ndarray, n_bits: int) -> str:
    """Return one packed code as a text of 0 and 1, the first bit first."""
    return (np.unpackbits(packed, count=n_bits) + ord("0")).tobytes().decode()


def where_clause(conditions: tuple[Condition, ...]) -> tuple[sql.Composed, dict[str, Any]]:
    """Return what follows WHERE, and the values of its parameters."""
    # A table made by others may have rows without an id or a code: they are not items.
    parts = [statement("id is not null and code is not null")]
    values: dict[str, Any] = {}
    for number, condition in enumerate(conditions):
        parameter = f"value{number}"
        parts.append(_comparison(condition, parameter))
        value = condition.value
        values[parameter] = (
            [one for one in value if one is not None] if isinstance(value, tuple) else value
        )
    return joined(" and ", parts), values


def _comparison(condition: Condition, parameter: str) -> sql.Composed:
    """Return a condition with a parameter for its value."""
    from psycopg import sql

    return statement(
        _comparison_text(condition),
        column=condition.column,
        value=sql.Placeholder(parameter),
        kind=sql.SQL(TYPES[condition.kind]),
    )


def _comparison_text(condition: Condition) -> LiteralString:
    if condition.operator in ("in", "not in"):
        return _list_text(condition)
    is_lower: bool = condition.operator == ">="
    if condition.kind is str:
        # Texts compare as Python's do, by code points, whatever language the database sorts in.
        return (
            '{column} collate "C" >= {value}::{kind}'
            if is_lower
            else '{column} collate "C" <= {value}::{kind}'
        )
    if condition.kind is float and is_lower:  # NaN counts as the greatest number
        return "{column} >= {value}::{kind} and {column} <> 'NaN'"
    return "{column} >= {value}::{kind}" if is_lower else "{column} <= {value}::{kind}"


def _list_text(condition: Condition) -> LiteralString:
    """Return a condition on a list of values; an item without a value is in none of them."""
    if condition.operator == "in" and None in condition.value:
        return "({column} = any({value}::{kind}[]) or {column} is null)"
    if condition.operator == "in":
        return "{column} = any({value}::{kind}[])"
    if None in condition.value:
        return "{column} <> all({value}::{kind}[]) and {column} is not null"
    return "({column} <> all({value}::{kind}[]) or {column} is null)"
