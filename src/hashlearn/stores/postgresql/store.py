"""Packed codes in PostgreSQL, with or without pgvector."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, LiteralString

import numpy as np

from hashlearn.stores.base import Store, register
from hashlearn.stores.batches import Batch, ColumnType, Found, Layout
from hashlearn.stores.postgresql._catalog import (
    COLUMNS,
    NAMES,
    Column,
    Parts,
    find_parts,
    find_vector,
    layout_of,
    need_vector,
)
from hashlearn.stores.postgresql._connection import Connection
from hashlearn.stores.postgresql._copy import as_batch, copy_order, copy_parts
from hashlearn.stores.postgresql._index import (
    EFFORT,
    DistinctCodes,
    check_effort,
    drop_with_index,
    indexed_search,
)
from hashlearn.stores.postgresql._model import adopt_model, read_model
from hashlearn.stores.postgresql._sql import (
    TYPES,
    as_bits,
    joined,
    literal,
    statement,
    where_clause,
)
from hashlearn.stores.where import Condition

if TYPE_CHECKING:
    from psycopg import sql

    from hashlearn.stores.postgresql._sql import Part

READ_SIZE = 10_000  # items per batch of `read`

# The cast prevents the use of an approximate index that somebody may have made.
DISTANCE: LiteralString = "(code operator({vector}.<~>) %(query)s::varbit)::int"
PLAIN_DISTANCE: LiteralString = "bit_count(code # %(query)s::varbit)"
NEAREST: LiteralString = """
select id, {distance} as distance from {table} where {where} order by distance limit %(k)s
"""
WITHIN: LiteralString = """
with hits as materialized (
    select id, {distance} as distance from {table} where {where} and {distance} <= %(radius)s
)
select id, distance from hits
"""
BATCH: LiteralString = "create temporary table {batch} ({declared}) on commit drop"
COPY: LiteralString = "copy pg_temp.{batch} ({names}) from stdin (format binary)"
# By id, so that two writers of the same items never wait for each other in a circle.
UPSERT: LiteralString = """
insert into {table} as item ({names}) overriding system value
select {names} from pg_temp.{batch} order by id
on conflict (id) do update set ({others}) = row({new})
where ({old}) is distinct from ({new})
"""


@register("postgresql")
class PostgresStore(Store):
    """A table of packed codes in PostgreSQL, in a column of type `bit(n)`.

    Any server from PostgreSQL 14 on searches exactly. With the extension pgvector, from 0.8 on,
    `build_index` makes approximate searches possible; their `effort` is pgvector's
    ``hnsw.ef_search``, 1 to 1000. Fill a table before building its index: an index makes writing
    slow. While it is built, others can read but wait to write; at the end, searches with `effort`
    wait for earlier ones.

    The index belongs to a second table, ``<table>_distinct_codes`` if that name is free, which
    triggers fill: searches with `effort` need the right to SELECT from it. Removed codes stay in
    it until it is built again, and rows that no trigger sees are missing until then: those of
    logical replication, or those added while triggers were disabled.

    A table made by others is accepted if it has a column `code` of type ``bit(n)`` and a column
    `id` of integers with a unique index. Adding items needs the right to create temporary tables.

    Parameters
    ----------
    address : str
        A connection string, ``postgresql://user:password@host:port/database?parameter=value``,
        in any form that PostgreSQL's own programs accept. The password may come from
        ``PGPASSWORD`` or ``~/.pgpass`` instead. It is never shown.
    table : str, default="items"
        The table's name: letters, digits and _. It is found along the user's search path.
    check_model : bool, default=True
        Whether to refuse codes of another model than the table's.

    Examples
    --------
    .. code-block:: python

        with PostgresStore("postgresql://me@localhost/shop", table="pictures") as store:
            store.create(n_bits=64, columns={"year": int})
            store.add(hasher.encode(X), ids, {"year": years})
            distances, ids = store.search(hasher.encode(queries), k=10, where={"year": 2024})
            store.build_index()  # needs pgvector
            distances, ids = store.search(hasher.encode(queries), k=10, effort=100)
    """

    takes_address = True
    indexable = True

    def __init__(self, address: str, table: str = "items", *, check_model: bool = True) -> None:
        super().__init__(address, table, check_model=check_model)
        self._server = Connection(address)
        self._parts: Parts | None = None  # as of the last look for an index

    @property
    def place(self) -> str:
        """User, server and database, without the password."""
        return self._server.place

    def has_index(self) -> bool:
        """Tell whether there is an index for searches with `effort`."""
        with self._server.cursor() as cursor:
            self._parts = parts = find_parts(cursor, self.table)
        return parts is not None and parts.is_ready

    def close(self) -> None:
        """End the connection and unfinished reads; the store cannot be used afterwards."""
        self._server.close()

    def _read_layout(self) -> Layout | None:
        rows = self._server.rows(statement(COLUMNS), {"table": self.table})
        return layout_of([Column(*row) for row in rows], self)

    def _read_model(self) -> str | None:
        with self._server.cursor() as cursor:
            return read_model(cursor, self.table)

    def _adopt_model(self, model: str) -> str | None:
        with self._server.transaction() as cursor:
            return adopt_model(cursor, self.table, model)

    def _create(self, layout: Layout) -> None:
        make: LiteralString = "create table {table} ({columns}, primary key (id))"
        id_, code, *others = _declared(layout)
        columns = joined(", ", [id_, statement("{code} not null", code=code), *others])
        with self._server.transaction() as cursor:
            cursor.execute(statement(make, table=self.table, columns=columns))

    def _write(self, batch: Batch) -> None:
        layout = self._existing()
        names = copy_order(batch)
        others = [name for name in names if name != "id"]
        parts: dict[str, Part] = {
            "table": self.table,
            "batch": f"{self.table}_batch",  # another name: temporary tables are found first
            "declared": joined(", ", _declared(layout)),
            "names": _listed([(name,) for name in names]),
            "others": _listed([(name,) for name in others]),
            "old": _listed([("item", name) for name in others]),
            "new": _listed([("excluded", name) for name in others]),
        }
        with self._server.transaction() as cursor:
            cursor.execute(statement(BATCH, **parts))
            with cursor.copy(statement(COPY, **parts)) as copy:
                for part in copy_parts(batch, layout.n_bits):
                    copy.write(part)
            cursor.execute(statement(UPSERT, **parts))

    def _delete(self, where: tuple[Condition, ...]) -> int:
        clause, values = where_clause(where)
        remove = statement("delete from {table} where {where}", table=self.table, where=clause)
        with self._server.transaction() as cursor:
            return cursor.execute(remove, values).rowcount

    def _nearest(
        self, query: np.ndarray, k: int, where: tuple[Condition, ...], effort: int | None
    ) -> Found:
        if effort is not None:
            return self._nearest_indexed(query, k, where, effort)
        return self._found(NEAREST, query, where, {"k": k})

    def _within(self, query: np.ndarray, radius: int, where: tuple[Condition, ...]) -> Found:
        return self._found(WITHIN, query, where, {"radius": radius})

    def _count(self, where: tuple[Condition, ...]) -> int:
        clause, values = where_clause(where)
        counting: LiteralString = "select count(*) from {table} where {where}"
        query = statement(counting, table=self.table, where=clause)
        return int(self._server.rows(query, values)[0][0])

    def _read(self, where: tuple[Condition, ...], columns: tuple[str, ...]) -> Iterator[Batch]:
        layout = self._existing().with_columns(columns)
        names = _listed([(name,) for name in ("id", "code", *columns)])
        reading: LiteralString = "select {names} from {table} where {where}"
        clause, values = where_clause(where)
        query = statement(reading, names=names, table=self.table, where=clause)
        if where:  # a selection is small, and another connection is not
            rows = self._server.rows(query, values)
            yield from ([as_batch(rows, layout)] if rows else [])
            return
        with self._server.stream(query) as cursor:
            while rows := cursor.fetchmany(READ_SIZE):
                yield as_batch(rows, layout)

    def _names(self) -> list[str]:
        return [name for (name,) in self._server.rows(statement(NAMES), {})]

    def _drop(self) -> None:
        with self._server.transaction() as cursor:
            drop_with_index(cursor, self.table)

    def _build_index(self) -> None:
        with self._server.transaction() as cursor:
            DistinctCodes(cursor, self.table).build()

    def _found(
        self,
        text: LiteralString,
        query: np.ndarray,
        where: tuple[Condition, ...],
        values: dict[str, Any],
    ) -> Found:
        """Return what an exact search finds."""
        clause, of_clause = where_clause(where)
        values = {**of_clause, **values, "query": as_bits(query, self.n_bits)}
        with self._server.cursor() as cursor:
            vector = find_vector(cursor)
            distance = statement(DISTANCE, vector=vector) if vector else statement(PLAIN_DISTANCE)
            search = statement(text, table=self.table, distance=distance, where=clause)
            return Found.of_rows(cursor.execute(search, values).fetchall())

    def _nearest_indexed(
        self, query: np.ndarray, k: int, where: tuple[Condition, ...], effort: int
    ) -> Found:
        check_effort(effort)
        clause, values = where_clause(where)
        values |= {"query": as_bits(query, self.n_bits), "k": k}
        with self._server.transaction() as cursor:
            # Nobody may rename the table between the look at it and the search.
            cursor.execute(statement("lock table {table} in access share mode", table=self.table))
            settings = {"table": self.table, "effort": str(effort)}
            oid, *_ = cursor.execute(EFFORT, settings).fetchone() or (None,)
            if self._parts is None or self._parts.oid != oid:
                self._parts = find_parts(cursor, self.table)
            search = indexed_search(self._parts, need_vector(cursor), clause)
            return Found.of_rows(cursor.execute(search, values).fetchall())


def _declared(layout: Layout) -> list[sql.Composed]:
    """Return the columns with their types, in the order in which batches are sent."""
    from psycopg import sql

    kinds: dict[str, ColumnType] = {"id": layout.id_type, **layout.columns}
    code: LiteralString = "code bit({n_bits})"
    return [
        statement(code, n_bits=literal(layout.n_bits))
        if name == "code"
        else statement("{name} {kind}", name=name, kind=sql.SQL(TYPES[kinds[name]]))
        for name in ("id", "code", *layout.columns)
    ]


def _listed(names: list[tuple[str, ...]]) -> sql.Composed:
    return joined(", ", [statement("{name}", name=name) for name in names])
