"""The tables in an SQLite file that hold items and their codes: found, made, dropped."""

from __future__ import annotations

from hashlearn.stores.batches import Layout
from hashlearn.stores.columns import ColumnType
from hashlearn.stores.errors import StoreError
from hashlearn.stores.sqlite_connection import Connection
from hashlearn.stores.sqlite_sql import quoted

TABLES = "hashlearn_tables"  # bits per code of each table: sqlite-vec knows whole bytes only
KEPT = ("hashlearn_", "sqlite_", "pragma_")  # beginnings of names that are used already
TYPES: dict[ColumnType, str] = {int: "INTEGER", float: "REAL", str: "TEXT", bool: "BOOLEAN"}


def check_table(table: str) -> str:
    """Return a table's name, unless SQLite or the library keeps it for itself.

    Examples
    --------
    >>> check_table("sqlite_items")
    Traceback (most recent call last):
    ValueError: table='sqlite_items' is kept for SQLite or the library: it takes a name that does \
not begin with hashlearn_, sqlite_ or pragma_.
    """
    if table.lower().startswith(KEPT):
        raise ValueError(
            f"table={table!r} is kept for SQLite or the library: it takes a name that does not "
            f"begin with {', '.join(KEPT[:-1])} or {KEPT[-1]}."
        )
    return table


def codes_of(table: str) -> str:
    """Return the name of the table of codes that belongs to a table of items."""
    return f"{table}_codes"


def read_layout(connection: Connection, table: str) -> Layout | None:
    """Return what a table is made of, within a transaction; None if it is not there."""
    names = [table.lower(), codes_of(table).lower(), TABLES]
    sql = "select lower(name) from sqlite_master where lower(name) in (?, ?, ?)"
    there = {name for (name,) in connection.execute(sql, names)}
    if not there - {TABLES}:
        return None
    n_bits = _read_n_bits(connection, table) if len(there) == len(names) else None
    if n_bits is None:
        raise StoreError(
            f"{connection.path} has a table {min(there - {TABLES})!r} that is no table of items "
            "with codes: take another name."
        )
    return Layout(n_bits, _read_columns(connection, table))


def _read_n_bits(connection: Connection, table: str) -> int | None:
    sql = f"select n_bits from {TABLES} where name = ? and typeof(n_bits) = 'integer'"
    return next((n_bits for (n_bits,) in connection.execute(sql, [table])), None)


def _read_columns(connection: Connection, table: str) -> dict[str, ColumnType]:
    kinds = {word: kind for kind, word in TYPES.items()}
    sql = 'select name, type from pragma_table_info(?) where "notnull" and not pk'
    rows = connection.execute(sql, [table])
    return {name: kinds[word] for name, word in rows if word in kinds}


def create_tables(connection: Connection, table: str, layout: Layout) -> None:
    """Make a table of items and that of their codes, within a transaction."""
    columns = [f"{quoted(name)} {TYPES[kind]} not null" for name, kind in layout.columns.items()]
    width = 8 * -(-layout.n_bits // 8)
    connection.execute(
        f"create table if not exists {TABLES} "
        "(name text primary key collate nocase, n_bits integer not null)"
    )
    connection.execute(
        f"create table {quoted(table)} ({', '.join(['id integer primary key', *columns])})"
    )
    connection.execute(
        f"create virtual table {quoted(codes_of(table))} "
        f"using vec0(id integer primary key, code bit[{width}])"
    )
    connection.execute(f"insert or replace into {TABLES} values (?, ?)", [table, layout.n_bits])


def drop_tables(connection: Connection, table: str) -> None:
    """Remove a table of items and that of their codes, within a transaction."""
    connection.execute(f"drop table {quoted(codes_of(table))}")
    connection.execute(f"drop table {quoted(table)}")
    connection.execute(f"delete from {TABLES} where name = ?", [table])
