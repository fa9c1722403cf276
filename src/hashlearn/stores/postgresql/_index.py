"""An HNSW index of pgvector over the distinct codes of a table.

Learned codes repeat, and a graph of neighbours copes badly with thousands of equal ones, which are
neighbours of each other only. So the index is that of a second table, which holds every code once,
and a search goes from there to the items. Triggers add new codes, so that rows are found whichever
program wrote them. Codes whose items were all removed stay, and find nothing, until the index is
built again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, LiteralString

from hashlearn.stores.errors import IndexMissingError, StoreError, TableMissingError
from hashlearn.stores.postgresql._catalog import MARK, Parts, find_parts, free_name, need_vector
from hashlearn.stores.postgresql._sql import literal, statement

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

    from hashlearn.stores.postgresql._sql import Part

MAX_EFFORT = 1000  # pgvector's limit for hnsw.ef_search
BYTES_PER_CODE = 1200  # memory of a graph while it is built, beside the code itself
MOST_MEMORY = 2**20  # kB

MEMORY = """
select set_config('maintenance_work_mem', greatest(
    pg_size_bytes(current_setting('maintenance_work_mem')) / 1024, %(needed)s
)::text, true)
"""
CODES: tuple[LiteralString, ...] = (
    "create table {codes} as select code from {table} with no data",
    "alter table {codes} add primary key (code)",
    "comment on table {codes} is {mark}",
)
# With its owner's rights: users who may write items need no rights on the codes.
FUNCTION: LiteralString = """
create or replace function {codes}() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as {body}
"""
# Sorted, so that two writers of the same codes wait for each other and never in a circle.
BODY: LiteralString = """
begin
    insert into {codes} select distinct code from new_items where code is not null order by code
    on conflict do nothing;
    return null;
end
"""
# Revoked, so that nobody uses the function for a trigger on a table with code of its own; firing
# needs no right. "Always", to fire in sessions too in which other triggers are disabled.
TRIGGERS: tuple[LiteralString, ...] = (
    "revoke execute on function {codes}() from public",
    "create or replace trigger hashlearn_insert after insert on {table} "
    "referencing new table as new_items for each statement execute function {codes}()",
    "create or replace trigger hashlearn_update after update on {table} "
    "referencing new table as new_items for each statement execute function {codes}()",
    "alter table {table} enable always trigger hashlearn_insert, "
    "enable always trigger hashlearn_update",
)
FILL: tuple[LiteralString, ...] = (
    "insert into {codes} select distinct code from {table} where code is not null "
    "on conflict do nothing",
    "delete from {codes} as gone "
    "where not exists (select from {table} as item where item.code = gone.code)",
    "analyze {codes}",
)
GRAPHS = """
select relname from pg_index
join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
where indrelid = to_regclass(format('%%I.%%I', %(schema)s::text, %(name)s::text))
    and amname = 'hnsw'
"""
IS_BY_CODE = """
select from pg_index
join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
join pg_attribute on attrelid = indrelid and attnum = indkey[0]
where indrelid = to_regclass(format('%%I.%%I', %(schema)s::text, %(name)s::text))
    and amname = 'btree' and attname = 'code' and indisvalid and indpred is null
"""
# Strict, so that the first k are the nearest; the order comes from the index, nothing is sorted.
# No bitmaps: of a code with a million items only the first few are looked at.
EFFORT = """
select to_regclass(quote_ident(%(table)s))::oid::bigint,
    set_config('hnsw.ef_search', %(effort)s, true),
    set_config('hnsw.iterative_scan', 'strict_order', true),
    set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
    set_config('enable_bitmapscan', 'off', true)
"""
# "offset 0" keeps the planner from joining in any other order than from codes to their items.
NEAREST: LiteralString = """
select item.id, near.distance::int
from (
    select code, code operator({vector}.<~>) %(query)s::varbit as distance
    from {codes} order by distance
) as near
cross join lateral (
    select id from {table} where code = near.code and {where} offset 0
) as item
limit %(k)s
"""


class DistinctCodes:
    """The index of one table, built within a transaction that is "read committed".

    Building locks the table against writers at once and takes no stronger lock, so that readers
    continue. Searches with effort continue too, on the old graph, until it is dropped at the end.
    """

    def __init__(self, cursor: psycopg.Cursor[Any], table: str) -> None:
        self._cursor = cursor
        self._operators = (need_vector(cursor), "bit_hamming_ops")
        cursor.execute(statement("lock table {table} in share row exclusive mode", table=table))
        self._parts = _alone(find_parts(cursor, table), table)
        self._codes = self._parts.codes or free_name(cursor, self._parts.items)
        self._names: dict[str, Part] = {"table": self._parts.items, "codes": self._codes}

    def build(self) -> None:
        """Build the index, or build it again with what is right of the old one."""
        if self._parts.codes is not None and not self._parts.fits:
            self._run("drop table {codes}")
        if not self._parts.fits:
            self._run_all(CODES, mark=literal(MARK))
        body = statement(BODY, **self._names).as_string(self._cursor)
        self._run_all((FUNCTION, *TRIGGERS), body=literal(body))
        if not self._rows(IS_BY_CODE, self._parts.items):
            self._run("create index on {table} (code)")
        self._run_all(FILL)
        old = self._rows(GRAPHS, self._codes)
        self._allow_memory()
        self._make_graph()
        for (name,) in old:
            self._run("drop index {graph}", graph=(self._codes[0], name))

    def _allow_memory(self) -> None:
        ((n_codes,),) = self._run("select count(*) from {codes}").fetchall()
        needed = n_codes * (BYTES_PER_CODE + self._parts.n_bits // 8) // 1024
        self._cursor.execute(MEMORY, {"needed": min(needed, MOST_MEMORY)})

    def _make_graph(self) -> None:
        from psycopg.errors import DiskFull, OutOfMemory

        make: LiteralString = "create index on {codes} using hnsw (code {operators})"
        try:
            with self._cursor.connection.transaction():  # a savepoint
                self._run(make, operators=self._operators)
        except (DiskFull, OutOfMemory):  # containers have little shared memory
            self._run("set local max_parallel_maintenance_workers = 0")
            self._run(make, operators=self._operators)

    def _rows(self, text: LiteralString, of: tuple[str, str]) -> list[tuple[Any, ...]]:
        return self._cursor.execute(text, {"schema": of[0], "name": of[1]}).fetchall()

    def _run_all(self, texts: tuple[LiteralString, ...], **parts: Part) -> None:
        for text in texts:
            self._run(text, **parts)

    def _run(self, text: LiteralString, **parts: Part) -> psycopg.Cursor[Any]:
        return self._cursor.execute(statement(text, **self._names, **parts))


def drop_with_index(cursor: psycopg.Cursor[Any], table: str) -> None:
    """Drop a table and the parts of its index."""
    cursor.execute(statement("lock table {table} in access exclusive mode", table=table))
    parts = find_parts(cursor, table)
    cursor.execute(statement("drop table {table}", table=parts.items if parts else table))
    if parts and parts.codes:  # the triggers have gone with the table
        cursor.execute(statement("drop function {codes}()", codes=parts.codes))
        cursor.execute(statement("drop table {codes}", codes=parts.codes))


def indexed_search(parts: Parts | None, vector: str, where: sql.Composed) -> sql.Composed:
    """Return the statement that searches the index, with parameters `query` and `k`."""
    if parts is None or parts.codes is None or not parts.is_ready:
        raise IndexMissingError("the table has no index any more", "call build_index")
    return statement(NEAREST, table=parts.items, codes=parts.codes, vector=vector, where=where)


def check_effort(effort: int) -> None:
    """Raise if it is beyond pgvector's limit."""
    if effort > MAX_EFFORT:
        raise ValueError(f"effort must be at most {MAX_EFFORT} in PostgreSQL; got {effort}.")


def _alone(parts: Parts | None, table: str) -> Parts:
    """Return the parts of a table; raise unless it is a table by itself."""
    if parts is None:
        raise TableMissingError(f"table {table} does not exist any more", "create it first")
    if not parts.is_alone:
        raise StoreError(
            f"table {table} is partitioned, or a parent or a child of another table, so that "
            "triggers do not see all of its rows: an index needs a table by itself."
        )
    return parts
