"""PostgreSQL's catalog: a table's columns, its distinct codes, and pgvector.

Tables are renamed and moved, and names alone would pair a table with another's codes. So the way to
the table of distinct codes goes from a table to its triggers, to their function, and to the table
with the function's name.
"""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from hashlearn.stores._checks import is_name
from hashlearn.stores.batches import ColumnType, IdType, Layout
from hashlearn.stores.errors import StoreError

if TYPE_CHECKING:
    import psycopg

COLUMNS = """
select attname, format_type(atttypid, atttypmod), attgenerated <> '' as is_computed, exists (
    select from pg_index
    where indrelid = attrelid and indkey[0] = attnum and indnkeyatts = 1
        and indisunique and indisvalid and indimmediate and indpred is null
) as is_unique
from pg_attribute
where attrelid = to_regclass(quote_ident(%(table)s)) and attnum > 0 and not attisdropped
order by attnum
"""
NAMES = """
select relname from pg_class
join pg_attribute as code on attrelid = pg_class.oid and attname = 'code' and not attisdropped
where relkind in ('r', 'p') and pg_table_is_visible(pg_class.oid) and atttypid = 'bit'::regtype
    and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'id')
"""
KINDS: dict[str, ColumnType] = {
    **dict.fromkeys(("bigint", "integer", "smallint"), int),
    "double precision": float,  # not real: its 0.1 does not equal a 0.1 in a condition
    **dict.fromkeys(("text", "character varying"), str),
    "boolean": bool,
}
ID_TYPES: dict[Any, IdType] = {int: int, str: str}
MARK = "hashlearn: the distinct codes of a table, for approximate search"
# A function that triggers of several tables call is used for none: it would mix their codes.
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
OLDEST_VECTOR = (0, 8)  # the version that brought iterative scans
INSTALLED = """
select nspname, extversion, has_schema_privilege(extnamespace, 'usage')
from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
where extname = 'vector'
"""


class Column(NamedTuple):
    """A row of `COLUMNS`."""

    name: str
    kind: str
    is_computed: bool
    is_unique: bool


def layout_of(columns: list[Column], subject: object) -> Layout | None:
    """Return a table's layout; None if it has no columns, as it does not exist.

    Columns of other types are left alone: other programs fill them.
    """
    if not columns:
        return None
    by_name = {column.name: column for column in columns}
    id_, code = by_name.pop("id", None), by_name.pop("code", None)
    id_type = None if id_ is None else ID_TYPES.get(KINDS.get(_bare(id_.kind)))
    if id_ is None or id_type is None or not id_.is_unique:
        raise StoreError(
            f"{subject} must have a bigint or text column 'id' that is a primary key; it has "
            f"{_in_words(id_, 'id')}."
        )
    bits = re.fullmatch(r"bit\((\d+)\)", code.kind) if code else None
    if bits is None:
        raise StoreError(
            f"{subject} must have a column 'code' of type bit(n); it has {_in_words(code, 'code')}."
        )
    others = {name: KINDS.get(_bare(column.kind)) for name, column in by_name.items()}
    return Layout(
        int(bits[1]),
        {
            name: kind
            for name, kind in others.items()
            if kind is not None and not by_name[name].is_computed and is_name(name)
        },
        id_type,
    )


def _bare(kind: str) -> str:
    """Return a type without a length: varchar(20) holds texts too."""
    return kind.partition("(")[0]


def _in_words(column: Column | None, name: str) -> str:
    if column is None:
        return f"no column {name!r}"
    unique = "" if column.is_unique or name != "id" else " without a unique index"
    return f"a column {name!r} of type {column.kind}{unique}"


class Parts(NamedTuple):
    """A table of items and the parts of its index."""

    oid: int  # PostgreSQL's number of the table, which stays when the table is renamed
    items: Name
    n_bits: int
    is_alone: bool  # no partition, no parent, no child
    codes: Name | None  # the table of its distinct codes, and the triggers' function
    fits: bool  # both tables hold codes of the same length
    is_ready: bool  # the codes can be searched: they have a graph, and triggers fill them


def find_parts(cursor: psycopg.Cursor[Any], table: str) -> Parts | None:
    """Return a table and the parts of its index; None if there is no such table."""
    row = cursor.execute(PARTS, {"table": table, "mark": MARK}).fetchone()
    if row is None:
        return None
    oid, schema, n_bits, is_alone, codes_schema, codes, fits, ready = row
    of_codes = None if codes is None else (codes_schema, codes)
    is_ready = fits and ready and is_alone
    return Parts(oid, (schema, table), n_bits, is_alone, of_codes, fits, is_ready)


def free_name(cursor: psycopg.Cursor[Any], items: Name) -> Name:
    """Return a name for codes that no table and no function of the schema has."""
    schema, table = items
    names = (f"{table[:44]}_{number}_distinct_codes" for number in count(2))  # 63 bytes at most
    name = f"{table}_distinct_codes"
    while cursor.execute(IS_TAKEN, {"schema": schema, "name": name}).fetchone() is not None:
        name = next(names)
    return schema, name


def find_vector(cursor: psycopg.Cursor[Any]) -> str | None:
    """Return the schema of pgvector; None if it is not installed, not permitted, or too old."""
    schema, version, is_open = cursor.execute(INSTALLED).fetchone() or (None, "", False)
    return schema if is_open and _version(version) >= OLDEST_VECTOR else None


def need_vector(cursor: psycopg.Cursor[Any]) -> str:
    """Return the schema of pgvector, which is created if necessary."""
    found = cursor.execute(INSTALLED).fetchone()
    if found and _version(found[1]) < OLDEST_VECTOR:
        raise StoreError(
            f"an index needs pgvector {'.'.join(map(str, OLDEST_VECTOR))} or later; this database "
            f"has {found[1]}",
            "ask an administrator to run ALTER EXTENSION vector UPDATE",
        )
    if found and not found[2]:
        raise StoreError(
            "an index needs pgvector, which this user may not use",
            f"ask an administrator to run GRANT USAGE ON SCHEMA {found[0]}",
        )
    return found[0] if found else _create_vector(cursor)


def _create_vector(cursor: psycopg.Cursor[Any]) -> str:
    from psycopg.errors import FeatureNotSupported, InsufficientPrivilege, UndefinedFile

    try:
        cursor.execute("create extension vector")
    except (FeatureNotSupported, InsufficientPrivilege, UndefinedFile) as error:
        raise StoreError(
            f"an index needs pgvector, which cannot be created ({error.diag.message_primary})",
            "ask an administrator to install pgvector on the server and to run CREATE EXTENSION "
            "vector in this database",
        ) from None
    schema = find_vector(cursor)
    if schema is None:
        raise StoreError("an index needs pgvector 0.8 or later; the server has an older one.")
    return schema


def _version(text: str) -> tuple[int, ...]:
    """Return a version as numbers: "0.8.5" is (0, 8, 5)."""
    return tuple(map(int, re.findall(r"\d+", text)))
