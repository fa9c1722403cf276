"""DuckDB: columns of type `BIT`, searched exactly by ``bit_count(xor(code, query))``.

A bit string [1]_ reads from left to right, its leftmost bit is the first [2]_, and it has any
length, so that codes need no padding. They are handed over as texts of 0 and 1: a cast from BLOB
takes whole bytes only. Items are replaced by ``INSERT OR REPLACE`` [3]_.

References
----------
.. [1] DuckDB documentation, "Bitstring Type".
.. [2] DuckDB documentation, "Bitstring Functions".
.. [3] DuckDB documentation, "INSERT Statement".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_radius
from hashlearn.search.packing import unpack_codes
from hashlearn.stores.base import BATCH_SIZE
from hashlearn.stores.batches import Batch, Found, Layout
from hashlearn.stores.checks import check_count
from hashlearn.stores.columns import ColumnType
from hashlearn.stores.names import check_name
from hashlearn.stores.recipes.items import as_code, parts_of
from hashlearn.stores.where import Condition, OneOf, Where, as_conditions

TYPES: dict[ColumnType, str] = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR", bool: "BOOLEAN"}


def create(connection: Any, table: str, layout: Layout) -> None:
    """Make a table, if it is not there.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        An open connection.
    table : str
        The table's name: letters, digits and _.
    layout : Layout
        What `make_layout` returned.
    """
    columns = [f'"{name}" {TYPES[kind]} NOT NULL' for name, kind in layout.columns.items()]
    described = ", ".join(
        [
            '"id" BIGINT PRIMARY KEY',
            f'"code" BIT NOT NULL CHECK (bit_length("code") = {layout.n_bits:d})',
            *columns,
        ]
    )
    connection.execute(f"CREATE TABLE IF NOT EXISTS {_quoted(table)} ({described})")


def add(
    connection: Any,
    table: str,
    layout: Layout,
    packed: ArrayLike,
    ids: Any,
    values: Mapping[str, Any] | None = None,
    *,
    batch_size: int = BATCH_SIZE,
) -> None:
    """Add items, or replace those whose ids are there: to add twice changes nothing.

    Parameters
    ----------
    connection, table, layout
        As in :func:`create`.
    packed : array-like of shape (n, ceil(n_bits / 8)), uint8
        Packed codes.
    ids : array-like of shape (n,)
        An int64 for each, any but -1, and none twice.
    values : mapping of str to array-like of shape (n,), optional
        What the columns hold.
    batch_size : int, default=50000
        Items per statement, which are stored whole or not at all.
    """
    kinds = ["BIGINT", "BIT", *(TYPES[kind] for kind in layout.columns.values())]
    names = ", ".join(f'"{name}"' for name in ("id", "code", *layout.columns))
    columns = ", ".join(f"unnest(${place}::{kind}[])" for place, kind in enumerate(kinds, start=1))
    statement = f"INSERT OR REPLACE INTO {_quoted(table)} ({names}) SELECT {columns}"
    for part in parts_of(Batch.checked(layout, packed, ids, values), batch_size):
        given = [part.values[name].tolist() for name in layout.columns]
        codes = _texts(part.packed, layout.n_bits)
        connection.execute(statement, [part.ids.tolist(), codes, *given])


def nearest(
    connection: Any,
    table: str,
    layout: Layout,
    query: ArrayLike,
    k: int,
    where: Where | None = None,
) -> Found:
    """Find the k nearest items, equal distances by id.

    Parameters
    ----------
    connection, table, layout
        As in :func:`create`.
    query : array-like of shape (ceil(n_bits / 8),), uint8
        One packed code.
    k : int
        Neighbours; fewer come where there are no more.
    where : mapping, optional
        What columns, or "id", of an item must be, as in `Store.search`.

    Returns
    -------
    found : Found
        `ids` and `distances`, int64.
    """
    return _find(connection, table, layout, query, where, layout.n_bits, check_count(k, "k"))


def within(
    connection: Any,
    table: str,
    layout: Layout,
    query: ArrayLike,
    radius: int,
    where: Where | None = None,
) -> Found:
    """Find all items within a distance, by distance and then by id.

    Parameters
    ----------
    connection, table, layout, query, where
        As in :func:`nearest`.
    radius : int
        The largest distance, at least 0.

    Returns
    -------
    found : Found
        `ids` and `distances`, int64.
    """
    check_radius(radius)
    return _find(connection, table, layout, query, where, min(int(radius), layout.n_bits), None)


def _find(
    connection: Any,
    table: str,
    layout: Layout,
    query: ArrayLike,
    where: Where | None,
    radius: int,
    limit: int | None,
) -> Found:
    code = _texts(as_code(layout, query)[np.newaxis], layout.n_bits)
    conditions = [_condition(one) for one in as_conditions(where, layout.columns)]
    allowed = " AND ".join(["TRUE", *(text for text, _ in conditions)])
    statement = (  # a name of its own, since "distance" may be a column
        'SELECT "id", "distance" FROM ('
        f'SELECT "id", bit_count(xor("code", ?::BIT)) FROM {_quoted(table)} WHERE {allowed}'
        ') AS found("id", "distance") WHERE "distance" <= ? ORDER BY "distance", "id" LIMIT ?'
    )
    values = [value for _, part in conditions for value in part]
    rows = connection.execute(statement, [*code, *values, radius, limit]).fetchall()
    return Found.of_rows(rows)


def _condition(condition: Condition) -> tuple[str, list[Any]]:
    """Return a condition as SQL with marks for its values, and the values."""
    column = f'"{condition.column}"'
    if isinstance(condition, OneOf):
        kind = TYPES[condition.kind]
        return f"list_contains(?::{kind}[], {column})", [list(condition.values)]
    bounds = {">=": condition.low, "<=": condition.high}
    given = {sign: bound for sign, bound in bounds.items() if bound is not None}
    return " AND ".join(f"{column} {sign} ?" for sign in given), list(given.values())


def _texts(packed: np.ndarray, n_bits: int) -> list[str]:
    """Return codes as texts of 0 and 1."""
    digits = unpack_codes(packed, n_bits) + ord("0")
    return digits.view(f"S{n_bits}")[:, 0].astype(str).tolist()


def _quoted(table: str) -> str:
    """Return a table's name as SQL has it."""
    return f'"{check_name(table, "table")}"'
