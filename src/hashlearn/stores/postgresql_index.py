"""An HNSW index of pgvector over the distinct codes of a table.

Learned codes repeat, and a graph of neighbours copes badly with thousands of equal ones: they
are each other's neighbours and nobody else is. So a second table holds every code once, under
the index, and a search goes from there to the items. Triggers note codes that come new, so that
rows are found whoever wrote them. Codes whose items have all gone stay, and lead nowhere, until
the index is built anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, LiteralString

from hashlearn.stores.errors import StoreError
from hashlearn.stores.postgresql_sql import literal, statement
from hashlearn.stores.postgresql_vector import need_vector

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

    from hashlearn.stores.postgresql_sql import Part

MAX_EFFORT = 1000  # pgvector's limit for hnsw.ef_search
MARK = "hashlearn: the distinct codes of a table, for approximate search"
BYTES_PER_CODE = 1200  # what a graph takes in memory while it is built, beside the code itself
MOST_MEMORY = 2**20  # kB

SCHEMA = """
select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
where pg_class.oid = to_regclass(quote_ident(%(table)s))
"""
IS_STRANGE = """
select from pg_class
where relnamespace = to_regnamespace(quote_ident(%(schema)s)) and relname = %(name)s
    and obj_description(oid, 'pg_class') is distinct from %(mark)s
"""
HAS_INDEX = """
select count(*) = 2 and exists (
    select from pg_index
    join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
    where indrelid = to_regclass(quote_ident(%(codes)s)) and amname = 'hnsw' and indisvalid
)
from pg_trigger
where tgrelid = to_regclass(quote_ident(%(table)s)) and tgenabled <> 'D'
    and tgname in ('hashlearn_insert', 'hashlearn_update')
"""
MEMORY = """
select set_config('maintenance_work_mem', greatest(
    pg_size_bytes(current_setting('maintenance_work_mem')) / 1024, %(needed)s
)::text, true)
"""
# Others' rights stay as they are: who may write items need not have rights on the codes.
FUNCTION: LiteralString = """
create function {codes}() returns trigger language plpgsql security definer
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
TRIGGERS: tuple[LiteralString, LiteralString] = (
    "create trigger hashlearn_insert after insert on {table} referencing new table as new_items "
    "for each statement execute function {codes}()",
    "create trigger hashlearn_update after update on {table} referencing new table as new_items "
    "for each statement execute function {codes}()",
)
# Strict, so that the first k are the nearest; the order comes from the index, nothing is sorted.
# No bitmaps: of a code with a million items only the first few are looked at.
EFFORT = """
select set_config('hnsw.ef_search', %(effort)s, true),
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
    """The index of one table, as it is built and removed within a transaction.

    Parameters
    ----------
    cursor : Cursor
        In a transaction.
    table : str
        A table that is there.
    """

    def __init__(self, cursor: psycopg.Cursor[Any], table: str) -> None:
        self._cursor = cursor
        (schema,) = cursor.execute(SCHEMA, {"table": table}).fetchone() or ("public",)
        self._names: dict[str, Part] = {
            "table": (schema, table),
            "codes": (schema, codes_name(table)),
            "by_code": f"{table}_by_code",
        }
        self._own = {"schema": schema, "name": codes_name(table), "mark": MARK}

    def build(self, n_bits: int) -> None:
        """Build the index, or build it anew; meanwhile others can read, and wait to write."""
        vector = need_vector(self._cursor)
        self._run("lock table {table} in share row exclusive mode")
        self.remove()
        n_codes = self._make_codes(n_bits)
        body = statement(BODY, **self._names).as_string(self._cursor)
        for making in (FUNCTION, *TRIGGERS):
            self._run(making, body=literal(body))
        needed = n_codes * (BYTES_PER_CODE + n_bits // 8) // 1024
        self._cursor.execute(MEMORY, {"needed": min(needed, MOST_MEMORY)})
        self._make_graph((vector, "bit_hamming_ops"))
        self._run("create index if not exists {by_code} on {table} (code)")

    def remove(self) -> None:
        """Remove the codes and the triggers, if they are there."""
        if self._cursor.execute(IS_STRANGE, self._own).fetchone() is not None:
            raise StoreError(
                f"table {self._own['name']!r} has the name that the index takes: rename that table."
            )
        self._run("drop trigger if exists hashlearn_insert on {table}")
        self._run("drop trigger if exists hashlearn_update on {table}")
        self._run("drop function if exists {codes}()")
        self._run("drop table if exists {codes}")

    def _make_codes(self, n_bits: int) -> int:
        self._run("create table {codes} (code bit({m}) primary key)", m=literal(n_bits))
        self._run("comment on table {codes} is {mark}", mark=literal(MARK))
        filled = self._run(
            "insert into {codes} select distinct code from {table} where code is not null"
        )
        n_codes = filled.rowcount
        self._run("analyze {codes}")
        return n_codes

    def _make_graph(self, operators: tuple[str, str]) -> None:
        from psycopg.errors import DiskFull, OutOfMemory

        make: LiteralString = "create index on {codes} using hnsw (code {operators})"
        try:
            with self._cursor.connection.transaction():  # a savepoint
                self._run(make, operators=operators)
        except (DiskFull, OutOfMemory):  # containers have little memory that processes share
            self._run("set local max_parallel_maintenance_workers = 0")
            self._run(make, operators=operators)

    def _run(self, text: LiteralString, **parts: Part) -> psycopg.Cursor[Any]:
        return self._cursor.execute(statement(text, **self._names, **parts))


def codes_name(table: str) -> str:
    """Return the name of the table of distinct codes; the triggers' function has it too."""
    return f"{table}_distinct_codes"


def indexed_search(table: str, vector: str, where: sql.Composed) -> sql.Composed:
    """Return the statement that searches the index; it takes `query` and `k`."""
    return statement(NEAREST, table=table, codes=codes_name(table), vector=vector, where=where)


def check_effort(effort: int) -> None:
    """Raise if pgvector does not take it."""
    if effort > MAX_EFFORT:
        raise ValueError(
            f"effort={effort} is out of range: in PostgreSQL it takes 1 to {MAX_EFFORT}."
        )
