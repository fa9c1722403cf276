"""Codes in an SQLite file: an ordinary table of items, and sqlite-vec's table of their codes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from hashlearn.stores.base import Store, register
from hashlearn.stores.batches import Batch, Found, Layout
from hashlearn.stores.bit_order import reverse_bits
from hashlearn.stores.columns import DTYPES, ColumnType
from hashlearn.stores.errors import StoreError
from hashlearn.stores.sqlite_connection import MEMORY, Connection, choose_driver
from hashlearn.stores.sqlite_search import Search
from hashlearn.stores.sqlite_sql import IS_WANTED, WANTED, clause, quoted, want
from hashlearn.stores.where import Condition

TABLES = "hashlearn_tables"  # bits per code of each table: sqlite-vec knows whole bytes only
READ_SIZE = 10_000  # items at a time
TYPES: dict[ColumnType, str] = {int: "INTEGER", float: "REAL", str: "TEXT", bool: "BOOLEAN"}


@register("sqlite")
class SQLiteStore(Store):
    """A table of packed codes in an SQLite file, searched exactly by sqlite-vec.

    The items are in an ordinary table, with columns `id` and those given to :meth:`create`, which
    other tables can be joined to. Their codes are in sqlite-vec's table `<table>_codes`, where bit
    i of a code is bit i of ``vec_to_json(code)``, and zeros fill the last byte. Both are written
    in one transaction. Columns that others add to the table and that may be NULL are left alone.

    Python's sqlite3 is used where it can load extensions, and apsw elsewhere; `driver` says
    which. A file made here is in WAL mode: others can read while one writes. A file that was
    there before keeps its mode. Do not use the same file through the other package in the same
    process: they are two copies of SQLite, blind to each other's locks, and sqlite-vec serves
    only one of them.

    Parameters
    ----------
    address : str
        The file, or ":memory:" for a database that ends with the store.
    table : str, default="items"
        The table's name: letters, digits and _. Upper case and lower case are the same.

    Attributes
    ----------
    driver : {"sqlite3", "apsw"}
        The package that SQLite is used through.

    Examples
    --------
    >>> import numpy as np
    >>> store = SQLiteStore(":memory:").create(n_bits=12, columns={"digit": int})
    >>> packed = np.array([[0, 0], [255, 240], [1, 0]], dtype=np.uint8)
    >>> store.add(packed, ids=[7, 8, 9], values={"digit": [3, 5, 5]})
    >>> distances, ids = store.search(packed[:1], k=2)
    >>> ids, distances
    (array([[7, 9]]), array([[0, 1]]))
    >>> store.search(packed[:1], k=2, where={"digit": 5}).ids
    array([[9, 8]])
    >>> store.close()
    """

    def __init__(self, address: str, table: str = "items") -> None:
        super().__init__(address, table)
        self._path = os.fspath(address)
        if not self._path or "\0" in self._path:
            raise ValueError(f"address={address!r} is no path: it takes a file, or ':memory:'.")
        self.driver = choose_driver()
        self._codes = f"{table}_codes"
        self._opened: Connection | None = None
        self._closed = False

    @property
    def place(self) -> str:
        """The file's path."""
        return self._path

    def close(self) -> None:
        """End the connection; the store is not used after that."""
        if self._opened is not None:
            self._opened.close()
        self._opened, self._closed = None, True

    def _read_layout(self) -> Layout | None:
        if self._opened is None and self._path != MEMORY and not os.path.exists(self._path):
            return None  # to open it would make it
        connection = self._connection()
        with connection.transaction():
            there = self._names_there(connection)
            if not there - {TABLES}:
                return None
            n_bits = self._read_n_bits(connection) if len(there) == 3 else None
            if n_bits is None:
                raise StoreError(
                    f"{self.place} has a table {min(there - {TABLES})!r} that is no table of "
                    "items with codes: take another name."
                )
            return Layout(n_bits, self._read_columns(connection))

    def _names_there(self, connection: Connection) -> set[str]:
        """Return which of the three names, in lower case, the database has for something."""
        sql = "select lower(name) from sqlite_master where lower(name) in (?, ?, ?)"
        names = [self.table.lower(), self._codes.lower(), TABLES]
        return {name for (name,) in connection.execute(sql, names)}

    def _read_n_bits(self, connection: Connection) -> int | None:
        sql = f"select n_bits from {TABLES} where name = ?"
        return next((n_bits for (n_bits,) in connection.execute(sql, [self.table])), None)

    def _read_columns(self, connection: Connection) -> dict[str, ColumnType]:
        kinds = {word: kind for kind, word in TYPES.items()}
        sql = 'select name, type from pragma_table_info(?) where "notnull" and not pk'
        rows = connection.execute(sql, [self.table])
        return {name: kinds[word] for name, word in rows if word in kinds}

    def _create(self, layout: Layout) -> None:
        is_new = not os.path.exists(self._path)
        connection = self._connection(create=True)
        if is_new and self._path != MEMORY:
            connection.keep_log()
        columns = [
            f"{quoted(name)} {TYPES[kind]} not null" for name, kind in layout.columns.items()
        ]
        width = 8 * -(-layout.n_bits // 8)
        with connection.transaction(write=True):
            connection.execute(
                f"create table if not exists {TABLES} "
                "(name text primary key collate nocase, n_bits integer not null)"
            )
            connection.execute(
                f"create table {quoted(self.table)} "
                f"({', '.join(['id integer primary key', *columns])})"
            )
            connection.execute(
                f"create virtual table {quoted(self._codes)} "
                f"using vec0(id integer primary key, code bit[{width}])"
            )
            connection.execute(
                f"insert or replace into {TABLES} values (?, ?)", [self.table, layout.n_bits]
            )

    def _write(self, batch: Batch) -> None:
        connection = self._connection()
        ids = batch.ids.tolist()
        codes = [code.tobytes() for code in reverse_bits(batch.packed)]
        with connection.transaction(write=True):
            there = self._codes_there(connection, ids)
            # Replaced codes leave gaps, so those that are the same stay.
            new = [
                (id_, code) for id_, code in zip(ids, codes, strict=True) if there.get(id_) != code
            ]
            old = ((id_,) for id_, _ in new if id_ in there)
            connection.execute_many(f"delete from {quoted(self._codes)} where id = ?", old)
            connection.execute_many(
                f"insert into {quoted(self._codes)} (id, code) values (?, vec_bit(?))", new
            )
            self._write_values(connection, ids, batch.values)

    def _write_values(
        self, connection: Connection, ids: list[int], values: dict[str, np.ndarray]
    ) -> None:
        names = [quoted(name) for name in values]
        # An update, where the id is there, leaves columns alone that are not the library's.
        changes = ", ".join(f"{name} = excluded.{name}" for name in names)
        connection.execute_many(
            f"insert into {quoted(self.table)} ({', '.join(['id', *names])}) "
            f"values ({', '.join('?' * (1 + len(names)))}) "
            f"on conflict (id) do {f'update set {changes}' if names else 'nothing'}",
            zip(ids, *(column.tolist() for column in values.values()), strict=True),
        )

    def _codes_there(self, connection: Connection, ids: list[int]) -> dict[int, bytes]:
        want(connection, [ids])
        return dict(
            connection.execute(
                f"select c.id, c.code from {WANTED} w "
                f"cross join {quoted(self._codes)} c on c.id = w.value where w.list = 0"
            )
        )

    def _delete(self, ids: np.ndarray) -> int:
        connection = self._connection()
        wanted = ids.tolist()
        with connection.transaction(write=True):
            want(connection, [wanted])
            sql = f"select count(*) from {quoted(self.table)} where id {IS_WANTED}"
            ((n_there,),) = connection.execute(sql, [0])
            for table in (self._codes, self.table):
                sql = f"delete from {quoted(table)} where id = ?"
                connection.execute_many(sql, ((id_,) for id_ in wanted))
        return int(n_there)

    def _nearest(
        self, query: np.ndarray, k: int, where: tuple[Condition, ...], effort: int | None
    ) -> Found:
        connection = self._connection()
        with connection.transaction():
            return self._search(connection, query, where).nearest(k)

    def _within(self, query: np.ndarray, radius: int, where: tuple[Condition, ...]) -> Found:
        connection = self._connection()
        with connection.transaction():
            return self._search(connection, query, where).within(radius)

    def _search(
        self, connection: Connection, query: np.ndarray, where: tuple[Condition, ...]
    ) -> Search:
        return Search(connection, self.table, self._codes, reverse_bits(query).tobytes(), where)

    def _count(self, where: tuple[Condition, ...]) -> int:
        connection = self._connection()
        with connection.transaction():
            condition, parameters = clause(connection, where)
            sql = f"select count(*) from {quoted(self.table)} i where {condition}"
            ((count,),) = connection.execute(sql, parameters)
        return int(count)

    def _read(self) -> Iterator[Batch]:
        columns = self.columns
        names = "".join(f", i.{quoted(name)}" for name in columns)
        # A connection of its own sees the table as it is now, whatever this store does meanwhile.
        in_memory = self._path == MEMORY
        connection = self._connection() if in_memory else Connection(self._path, self.driver)
        try:
            with connection.transaction():
                rows = iter(
                    connection.execute(
                        f"select i.id, c.code{names} from {quoted(self.table)} i "
                        f"cross join {quoted(self._codes)} c on c.id = i.id"
                    )
                )
                while some := list(islice(rows, READ_SIZE)):
                    yield _as_batch(some, columns)
        finally:
            if not in_memory:
                connection.close()

    def _drop(self) -> None:
        connection = self._connection()
        with connection.transaction(write=True):
            connection.execute(f"drop table {quoted(self._codes)}")
            connection.execute(f"drop table {quoted(self.table)}")
            connection.execute(f"delete from {TABLES} where name = ?", [self.table])

    def _connection(self, *, create: bool = False) -> Connection:
        if self._closed:
            raise StoreError(f"{self!r} is closed: open it anew.")
        if self._opened is None:
            self._opened = Connection(self._path, self.driver, create=create)
        return self._opened


def _as_batch(rows: list[tuple[Any, ...]], columns: dict[str, ColumnType]) -> Batch:
    ids, codes, *values = zip(*rows, strict=True)
    packed = np.frombuffer(b"".join(codes), dtype=np.uint8).reshape(len(rows), -1)
    arrays: dict[str, np.ndarray] = {
        name: np.array(column, dtype=DTYPES.get(kind, object))
        for (name, kind), column in zip(columns.items(), values, strict=True)
    }
    return Batch(np.array(ids, dtype=np.int64), reverse_bits(packed), arrays)
