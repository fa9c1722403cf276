"""Packed codes in an SQLite file: a table of items, and sqlite-vec's table of their codes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from hashlearn.stores.base import Store, register
from hashlearn.stores.batches import Batch, Found, Layout
from hashlearn.stores.errors import StoreError, TableMissingError
from hashlearn.stores.sqlite._connection import MEMORY, Connection, choose_driver
from hashlearn.stores.sqlite._search import Search
from hashlearn.stores.sqlite._tables import (
    WANTED,
    adopt_model,
    as_batch,
    check_table,
    clause,
    codes_of,
    create_tables,
    drop_tables,
    quoted,
    read_layout,
    read_model,
    read_names,
    reverse_bits,
    want,
)
from hashlearn.stores.where import Condition

READ_SIZE = 10_000  # items at a time


@register("sqlite")
class SQLiteStore(Store):
    """A table of packed codes in an SQLite file, searched exactly by sqlite-vec.

    The items are in an ordinary table, with `id` and the columns given to :meth:`create`, which
    other tables can be joined to. Their codes are in sqlite-vec's table `<table>_codes`, where bit
    i of a code is bit i of ``vec_to_json(code)``, and zeros fill the last byte. Both are written
    in one transaction. Other programs may read both, change values, and add columns that may be
    NULL, which the store leaves alone. Add and remove items through the store only: an item in one
    of the two tables is counted but not found, or found but not counted.

    Python's sqlite3 is used where it can load extensions, otherwise apsw; `driver` says which. A
    new file is in WAL mode: others can read while one program writes. An existing file keeps its
    mode. Threads can share a store; their calls wait for each other. Do not open the same file
    through the other package in the same process: they are two copies of SQLite, which do not see
    each other's locks, and sqlite-vec works in only one of them.

    Parameters
    ----------
    address : str
        The file, or ":memory:" for a database that ends with the store.
    table : str, default="items"
        The table's name: letters, digits and _. Upper case and lower case are the same.
    check_model : bool, default=True
        Whether to refuse codes of another model than the table's.

    Attributes
    ----------
    driver : {"sqlite3", "apsw"}
        The package that SQLite is used through.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.stores import SQLiteStore
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

    def __init__(self, address: str, table: str = "items", *, check_model: bool = True) -> None:
        super().__init__(address, table, check_model=check_model)
        check_table(table)
        self._given = os.fsdecode(address)
        if not self._given or "\0" in self._given or "://" in self._given:
            # Not quoted, as a URL may hold a password.
            raise ValueError("the address of an SQLite store must be a file or ':memory:'.")
        self._in_memory = self._given == MEMORY
        # The program may change its folder.
        self._path = MEMORY if self._in_memory else str(Path(self._given).absolute())
        self.driver = choose_driver()
        self._codes = codes_of(table)
        self._lock = RLock()
        self._opened: Connection | None = None
        self._closed = False

    @property
    def place(self) -> str:
        """The file's path, as it was given."""
        return self._given

    def close(self) -> None:
        """End the connection; the store cannot be used afterwards."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
            self._opened, self._closed = None, True

    def _read_layout(self) -> Layout | None:
        if self._opened is None and not self._in_memory and not os.path.exists(self._path):
            return None  # opening would create it
        with self._lock:
            connection = self._connection()
            with connection.transaction():
                return read_layout(connection, self.table)

    def _read_model(self) -> str | None:
        with self._transaction() as connection:
            return read_model(connection, self.table)

    def _adopt_model(self, model: str) -> str | None:
        with self._transaction(write=True) as connection:
            return adopt_model(connection, self.table, model)

    def _create(self, layout: Layout) -> None:
        with self._lock:
            connection = self._connection(create=True)
            connection.keep_log()
            with connection.transaction(write=True):
                create_tables(connection, self.table, layout)

    def _write(self, batch: Batch) -> None:
        ids = batch.ids.tolist()
        codes = [code.tobytes() for code in reverse_bits(batch.packed)]
        with self._transaction(write=True) as connection:
            there = self._codes_there(connection, ids)
            # Replaced codes leave gaps, so codes that did not change stay.
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
        self, connection: Connection, ids: list[Any], values: dict[str, np.ndarray]
    ) -> None:
        names = [quoted(name) for name in values]
        # An update of existing ids leaves other programs' columns alone.
        changes = ", ".join(f"{name} = excluded.{name}" for name in names)
        connection.execute_many(
            f"insert into {quoted(self.table)} ({', '.join(['id', *names])}) "
            f"values ({', '.join('?' * (1 + len(names)))}) "
            f"on conflict (id) do {f'update set {changes}' if names else 'nothing'}",
            zip(ids, *(column.tolist() for column in values.values()), strict=True),
        )

    def _codes_there(self, connection: Connection, ids: list[Any]) -> dict[Any, bytes]:
        want(connection, [ids])
        return dict(
            connection.execute(
                f"select c.id, c.code from {WANTED} w "
                f"cross join {quoted(self._codes)} c on c.id = w.value where w.list = 0"
            )
        )

    def _delete(self, where: tuple[Condition, ...]) -> int:
        with self._transaction(write=True) as connection:
            condition, parameters = clause(connection, where)
            sql = f"select i.id from {quoted(self.table)} i where {condition}"
            ids = list(connection.execute(sql, parameters))
            for table in (self._codes, self.table):
                connection.execute_many(f"delete from {quoted(table)} where id = ?", ids)
        return len(ids)

    def _nearest(
        self, query: np.ndarray, k: int, where: tuple[Condition, ...], effort: int | None
    ) -> Found:
        with self._transaction() as connection:
            return self._search(connection, query, where).nearest(k)

    def _within(self, query: np.ndarray, radius: int, where: tuple[Condition, ...]) -> Found:
        with self._transaction() as connection:
            return self._search(connection, query, where).within(radius)

    def _search(
        self, connection: Connection, query: np.ndarray, where: tuple[Condition, ...]
    ) -> Search:
        return Search(connection, self.table, self._codes, reverse_bits(query).tobytes(), where)

    def _count(self, where: tuple[Condition, ...]) -> int:
        with self._transaction() as connection:
            condition, parameters = clause(connection, where)
            sql = f"select count(*) from {quoted(self.table)} i where {condition}"
            ((count,),) = connection.execute(sql, parameters)
        return int(count)

    def _read(self, where: tuple[Condition, ...], columns: tuple[str, ...]) -> Iterator[Batch]:
        layout = self._existing().with_columns(columns)
        with self._transaction() as connection:
            if self._in_memory or where:  # a selection is small
                return iter(list(self._batches(connection, layout, where)))
        return self._read_file(layout)

    def _read_file(self, layout: Layout) -> Iterator[Batch]:
        # A connection of its own sees the table as it is now, whatever this store does later, and
        # needs no lock, which a reader could hold forever.
        connection = Connection(self._path, self.driver)
        try:
            with connection.transaction():
                self._check_still(self._existing(), connection)
                yield from self._batches(connection, layout, ())
        finally:
            connection.close()

    def _batches(
        self, connection: Connection, layout: Layout, where: tuple[Condition, ...]
    ) -> Iterator[Batch]:
        names = "".join(f", i.{quoted(name)}" for name in layout.columns)
        condition, parameters = clause(connection, where)
        rows = iter(
            connection.execute(
                f"select i.id, c.code{names} from {quoted(self.table)} i "
                f"cross join {quoted(self._codes)} c on c.id = i.id where {condition}",
                parameters,
            )
        )
        while some := list(islice(rows, READ_SIZE)):
            yield as_batch(some, layout, self)

    def _names(self) -> list[str]:
        with self._lock:
            if self._opened is None and not self._in_memory and not os.path.exists(self._path):
                raise StoreError(f"{self.place} does not exist.")
            connection = self._connection()
            with connection.transaction():
                return read_names(connection)

    def _drop(self) -> None:
        with self._transaction(write=True) as connection:
            drop_tables(connection, self.table)

    def _connection(self, *, create: bool = False) -> Connection:
        """Return the connection; callers hold the lock, so that none is opened twice."""
        if self._closed:
            raise StoreError(f"{self} is closed", "open it again")
        if self._opened is None:
            self._opened = Connection(self._path, self.driver, create=create)
        return self._opened

    @contextmanager
    def _transaction(self, *, write: bool = False) -> Iterator[Connection]:
        """Hold one state of the table while reading, or write all or nothing."""
        layout = self._existing()
        with self._lock:
            connection = self._connection()
            with connection.transaction(write=write):
                self._check_still(layout, connection)
                yield connection

    def _check_still(self, layout: Layout, connection: Connection) -> None:
        """Raise if another program has dropped or replaced the table."""
        there = read_layout(connection, self.table)
        if there is None:
            raise TableMissingError(f"{self} does not exist any more", "create it first")
        if there != layout:
            raise StoreError(f"{self} was replaced by another program", "open it again")
