"""Which table holds the distinct codes of a table, as PostgreSQL's catalog says.

Tables are renamed and moved, and names alone would pair a table with another's codes. So the way
goes from a table to its triggers, to their function, and to the table that has its name.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import psycopg

MARK = "hashlearn: the distinct codes of a table, for approximate search"
# A function that triggers of several tables call serves none of them: it would mix their codes.
PARTS = """
select items.oid::bigint, own_schema.nspname, code.atttypmod, relkind = 'r' and not exists (
    select from pg_inherits where items.oid in (inhparent, inhrelid)
), of_codes.schema, of_codes.name, coalesce(of_codes.fits, false), coalesce(of_codes.ready, false)
from pg_class as items
join pg_namespace as own_schema on own_schema.oid = relnamespace
join pg_attribute as code on attrelid = items.oid and attname = 'code'
left join lateral (
    select nspname as schema, proname as name, bool_and(of_code.atttypmod = code.atttypmod) as fits,
        count(*) = 2 and bool_and(tgenabled = 'A') and exists (
            select from pg_index
            join pg_class as graph on graph.oid = indexrelid join pg_am on pg_am.oid = graph.relam
            where indrelid = codes.oid and amname = 'hnsw' and indisvalid
        ) as ready
    from pg_trigger
    join pg_proc on pg_proc.oid = tgfoid
    join pg_namespace on pg_namespace.oid = pronamespace
    join pg_class as codes on codes.relname = proname and codes.relnamespace = pronamespace
    join pg_attribute as of_code on of_code.attrelid = codes.oid and of_code.attname = 'code'
    where tgrelid = items.oid and tgname in ('hashlearn_insert', 'hashlearn_update')
        and obj_description(codes.oid, 'pg_class') = %(mark)s
        and not exists (
            select from pg_trigger as other
            where other.tgfoid = pg_trigger.tgfoid and other.tgrelid <> items.oid
        )
    group by codes.oid, nspname, proname order by codes.oid limit 1
) as of_codes on true
where items.oid = to_regclass(quote_ident(%(table)s))
"""
IS_TAKEN = """
select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
where nspname = %(schema)s and relname = %(name)s
union all
select from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
where nspname = %(schema)s and proname = %(name)s
"""

Name = tuple[str, str]  # a schema and a name in it


class Parts(NamedTuple):
    """A table of items and what its index is made of.

    Attributes
    ----------
    oid : int
        PostgreSQL's number of the table, which it keeps whatever its name.
    items : tuple of (str, str)
        The table.
    n_bits : int
        Bits per code of it.
    is_alone : bool
        Whether it is a table by itself: no partition, no parent, no child.
    codes : tuple of (str, str) or None
        The table of its distinct codes, and the triggers' function; None if there is none.
    fits : bool
        Whether both hold codes of the same length.
    is_ready : bool
        Whether the codes can be searched: they have a graph, and triggers fill them.
    """

    oid: int
    items: Name
    n_bits: int
    is_alone: bool
    codes: Name | None
    fits: bool
    is_ready: bool


def find_parts(cursor: psycopg.Cursor[Any], table: str) -> Parts | None:
    """Return a table and what its index is made of; None if there is no such table."""
    row = cursor.execute(PARTS, {"table": table, "mark": MARK}).fetchone()
    if row is None:
        return None
    oid, schema, n_bits, is_alone, codes_schema, codes, fits, ready = row
    of_codes = None if codes is None else (codes_schema, codes)
    is_ready = fits and ready and is_alone
    return Parts(oid, (schema, table), n_bits, is_alone, of_codes, fits, is_ready)


def free_name(cursor: psycopg.Cursor[Any], items: Name) -> Name:
    """Return a name for codes that nothing in the schema has, neither table nor function."""
    schema, table = items
    names = (f"{table[:44]}_{number}_distinct_codes" for number in count(2))  # 63 bytes at most
    name = f"{table}_distinct_codes"
    while cursor.execute(IS_TAKEN, {"schema": schema, "name": name}).fetchone() is not None:
        name = next(names)
    return schema, name
