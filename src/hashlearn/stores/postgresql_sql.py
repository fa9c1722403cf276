"""Statements for PostgreSQL: names as identifiers, values as parameters, never as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, LiteralString

import numpy as np

from hashlearn.stores.columns import ColumnType
from hashlearn.stores.where import Condition, OneOf

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

    Parameters
    ----------
    text : str
        The statement, as written in this library.
    **parts : str, tuple of str or Composable
        A str is a name; a tuple a name with its schema before it; others are statements' parts.
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
    """Return a value for the statements that take no parameters: those that make tables."""
    from psycopg import sql

    return sql.Literal(value)


def as_bits(packed: np.ndarray, n_bits: int) -> str:
    """Return one packed code as PostgreSQL reads bits: a text of 0 and 1, the first bit first.

    Examples
    --------
    >>> as_bits(np.array([0b10100000], dtype=np.uint8), n_bits=5)
    '10100'
    """
    return (np.unpackbits(packed, count=n_bits) + ord("0")).tobytes().decode()


def where_clause(conditions: tuple[Condition, ...]) -> tuple[sql.Composed, dict[str, Any]]:
    """Return what follows WHERE, and the values of its parameters."""
    # A table made by others may have rows without: they are no items.
    parts = [statement("id is not null and code is not null")]
    values: dict[str, Any] = {}
    for number, condition in enumerate(conditions):
        if isinstance(condition, OneOf):
            values[f"values{number}"] = list(condition.values)
            parts.append(_one_of(condition, f"values{number}"))
            continue
        bounds = {"low": condition.low, "high": _upper(condition.kind, condition.high)}
        for bound, value in bounds.items():
            if value is not None:
                values[f"{bound}{number}"] = value
                parts.append(_bound(condition.column, condition.kind, bound, f"{bound}{number}"))
    return joined(" and ", parts), values


def _upper(kind: ColumnType, high: Any) -> Any:
    """Return an upper bound; for numbers there is one always, as NaN counts as the greatest."""
    return math.inf if kind is float and high is None else high


def _one_of(condition: OneOf, parameter: str) -> sql.Composed:
    from psycopg import sql

    return statement(
        "{column} = any({values}::{kind}[])",
        column=condition.column,
        values=sql.Placeholder(parameter),
        kind=sql.SQL(TYPES[condition.kind]),
    )


def _bound(column: str, kind: ColumnType, bound: str, parameter: str) -> sql.Composed:
    from psycopg import sql

    # Texts compare as Python's do, by code points, whatever language the database sorts in.
    order: LiteralString = 'collate "C"' if kind is str else ""
    return statement(
        "{column} {order} {operator} {value}::{kind}",
        column=column,
        order=sql.SQL(order),
        operator=sql.SQL(">=" if bound == "low" else "<="),
        value=sql.Placeholder(parameter),
        kind=sql.SQL(TYPES[kind]),
    )
