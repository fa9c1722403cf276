"""Tables of an SQLite file: created and dropped, their rows read, conditions on them as SQL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from hashlearn.stores._columns import read_column
from hashlearn.stores.batches import Batch, ColumnType, IdType, Layout
from hashlearn.stores.errors import StoreError
from hashlearn.stores.sqlite._connection import Connection
from hashlearn.stores.where import Condition

# What SQLite does not know of a table: its bits, its model, and the columns that are the store's.
TABLES = "hashlearn_tables"
ADDED = {"model": "text", "columns": "text"}  # to what an earlier version kept
KEPT = ("hashlearn_", "sqlite_", "pragma_")  # beginnings of names that are in use
TYPES: dict[ColumnType, str] = {int: "INTEGER", float: "REAL", str: "TEXT", bool: "BOOLEAN"}
# Lists of any length, which neither the number of parameters nor JSON's numbers limit.
WANTED = "temp.hashlearn_wanted"
IS_WANTED = f"in (select value from {WANTED} where list = ?)"

_BYTES = np.arange(256, dtype=np.uint8)[:, np.newaxis]
_REVERSED = np.packbits(np.unpackbits(_BYTES, axis=1), axis=1, bitorder="little").ravel()


def reverse_bits(packed: np.ndarray) -> np.ndarray:
    """Reverse the bits of every byte: sqlite-vec's first bit is the lowest."""
    return _REVERSED[packed]


def check_table(table: str) -> str:
    """Return a table's name, unless it is reserved."""
    if table.lower().startswith(KEPT):
        raise ValueError(
            f"the name of a table in SQLite must not begin with {', '.join(KEPT[:-1])} or "
            f"{KEPT[-1]}; got {table!r}."
        )
    return table


def codes_of(table: str) -> str:
    """Return the name of the table with the codes of a table of items."""
    return f"{table}_codes"


def read_layout(connection: Connection, table: str) -> Layout | None:
    """Return a table's layout, within a transaction; None if the table does not exist."""
    names = [table.lower(), codes_of(table).lower(), TABLES]
    sql = "select lower(name) from sqlite_master where lower(name) in (?, ?, ?)"
    there = {name for (name,) in connection.execute(sql, names)}
    if not there - {TABLES}:
        return None
    known = _read_entry(connection, table) if len(there) == len(names) else {}
    n_bits = known.get("n_bits")
    if not isinstance(n_bits, int):
        raise StoreError(
            f"{connection.path} has a table {min(there - {TABLES})!r} that is not a table of items "
            "with codes",
            "choose another name",
        )
    columns = _read_columns(connection, table, known.get("columns"))
    return Layout(n_bits, columns, _read_id_type(connection, table))


def read_names(connection: Connection) -> list[str]:
    """Return the names of all tables of items, within a transaction."""
    sql = f"select 1 from sqlite_master where name = '{TABLES}'"
    if not list(connection.execute(sql)):
        return []
    return [name for (name,) in connection.execute(f"select name from {TABLES}")]


def _read_entry(connection: Connection, table: str) -> dict[str, Any]:
    """Return what the file says of a table; nothing if it does not know the table."""
    names = _names_of_entries(connection)
    sql = f"select {', '.join(map(quoted, names))} from {TABLES} where name = ?"
    rows = connection.execute(sql, [table])
    return next((dict(zip(names, row, strict=True)) for row in rows), {})


def _names_of_entries(connection: Connection) -> list[str]:
    return [
        name for (name,) in connection.execute("select name from pragma_table_info(?)", [TABLES])
    ]


def _read_columns(connection: Connection, table: str, own: str | None) -> dict[str, ColumnType]:
    """Return the columns of the store, which `own` names in JSON.

    Earlier versions did not: theirs are those that always have a value.
    """
    kinds = {word: kind for kind, word in TYPES.items()}
    named = None if own is None else json.loads(own)
    sql = 'select name, type, "notnull" from pragma_table_info(?) where not pk'
    rows = connection.execute(sql, [table])
    return {
        name: kinds[word]
        for name, word, always in rows
        if word in kinds and (always if named is None else name in named)
    }


def _read_id_type(connection: Connection, table: str) -> IdType:
    sql = "select type from pragma_table_info(?) where name = 'id'"
    return str if list(connection.execute(sql, [table])) == [(TYPES[str],)] else int


def read_model(connection: Connection, table: str) -> str | None:
    """Return the fingerprint of a table's model, within a transaction; None if it is not known."""
    model: str | None = _read_entry(connection, table).get("model")
    return model


def adopt_model(connection: Connection, table: str, model: str) -> str | None:
    """Keep a fingerprint unless the table has one, within a transaction; return what it has now."""
    _make_tables(connection)
    sql = f"update {TABLES} set model = ? where name = ? and model is null"
    connection.execute(sql, [model, table])
    return read_model(connection, table)


def _make_tables(connection: Connection) -> None:
    """Make sure that there is a table of all tables, with all of its columns."""
    connection.execute(
        f"create table if not exists {TABLES} "
        "(name text primary key collate nocase, n_bits integer not null)"
    )
    for name in ADDED.keys() - _names_of_entries(connection):
        connection.execute(f"alter table {TABLES} add column {name} {ADDED[name]}")


def create_tables(connection: Connection, table: str, layout: Layout) -> None:
    """Create a table of items and the table of their codes, within a transaction."""
    columns = [f"{quoted(name)} {TYPES[kind]}" for name, kind in layout.columns.items()]
    _make_tables(connection)
    key = f"id {TYPES[layout.id_type]} primary key"
    own = f"{key} not null" if layout.id_type is str else key  # an integer is the row's number
    connection.execute(f"create table {quoted(table)} ({', '.join([own, *columns])})")
    connection.execute(
        f"create virtual table {quoted(codes_of(table))} "
        f"using vec0({key}, code bit[{8 * layout.width}])"
    )
    sql = f"insert or replace into {TABLES} (name, n_bits, columns) values (?, ?, ?)"
    connection.execute(sql, [table, layout.n_bits, json.dumps(list(layout.columns))])


def drop_tables(connection: Connection, table: str) -> None:
    """Remove a table of items and the table of their codes, within a transaction."""
    connection.execute(f"drop table {quoted(codes_of(table))}")
    connection.execute(f"drop table {quoted(table)}")
    connection.execute(f"delete from {TABLES} where name = ?", [table])


def as_batch(rows: list[tuple[Any, ...]], layout: Layout, subject: object) -> Batch:
    """Return one or more rows of (id, code, values…) as a batch."""
    ids, codes, *values = zip(*rows, strict=True)
    packed = np.frombuffer(b"".join(codes), dtype=np.uint8).reshape(len(rows), -1)
    arrays: dict[str, np.ndarray] = {}
    for (name, kind), column in zip(layout.columns.items(), values, strict=True):
        _check_kind(column, kind, f"values of column {name!r} of {subject}")
        arrays[name] = read_column(column, kind)
    return Batch(read_column(ids, layout.id_type), reverse_bits(packed), arrays)


def _check_kind(column: tuple[Any, ...], kind: ColumnType, subject: str) -> None:
    """Raise unless all values have a type: SQLite lets programs put any value into a column."""
    # SQLite has no booleans: they are 0 and 1.
    there = [value for value in column if value is not None]
    if set(there) <= {0, 1} if kind is bool else set(map(type, there)) <= {kind}:
        return
    is_wrong = (lambda v: v not in (0, 1)) if kind is bool else (lambda v: type(v) is not kind)
    wrong = next(filter(is_wrong, there))
    raise StoreError(f"{subject} must be {kind.__name__}; another program has written {wrong!r}.")


class Clause(NamedTuple):
    """A condition on a row `i`, and its parameters."""

    sql: str
    parameters: list[Any]


def quoted(name: str) -> str:
    """Return a name as an SQL identifier, which may be a reserved word."""
    return '"' + name.replace('"', '""') + '"'


def want(connection: Connection, lists: Iterable[Sequence[Any]]) -> None:
    """Fill the temporary table of wanted values, in a transaction, with lists 0, 1, ..."""
    connection.execute(
        f"create table if not exists {WANTED} (list integer, value, primary key (list, value)) "
        "without rowid"
    )
    connection.execute(f"delete from {WANTED}")
    for number, values in enumerate(lists):
        connection.execute_many(
            f"insert or ignore into {WANTED} values (?, ?)", ((number, value) for value in values)
        )


def clause(connection: Connection, conditions: Sequence[Condition]) -> Clause:
    """Return conditions as SQL; their lists of values become those wanted."""
    lists: list[tuple[Any, ...]] = []
    texts, parameters = [], []
    for condition in conditions:
        column = f"i.{quoted(condition.column)}"
        if condition.operator in ("in", "not in"):
            or_null = f" or {column} is null" if None in condition.value else ""
            is_in = f"({column} {IS_WANTED}{or_null})"
            is_not = f"not ifnull({is_in}, false)"  # what has no value is not in a list of values
            texts.append(is_in if condition.operator == "in" else is_not)
            parameters.append(len(lists))
            lists.append(tuple(value for value in condition.value if value is not None))
        else:
            texts.append(f"{column} {condition.operator} ?")
            parameters.append(condition.value)
    if lists:
        want(connection, lists)
    return Clause(" and ".join(texts) or "true", parameters)
