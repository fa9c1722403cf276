"""pgvector, PostgreSQL's extension for searches by distance: whether a database has it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hashlearn.stores.errors import StoreError

if TYPE_CHECKING:
    import psycopg

OLDEST = (0, 8)  # the version that brought iterative scans
INSTALLED = """
select nspname, extversion, has_schema_privilege(extnamespace, 'usage')
from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
where extname = 'vector'
"""


def find_vector(cursor: psycopg.Cursor[Any]) -> str | None:
    """Return the schema that holds pgvector; None if it is not there, not open, or too old."""
    schema, version, is_open = cursor.execute(INSTALLED).fetchone() or (None, "", False)
    return schema if is_open and _version(version) >= OLDEST else None


def need_vector(cursor: psycopg.Cursor[Any]) -> str:
    """Return the schema that holds pgvector, which is created unless it is there."""
    found = cursor.execute(INSTALLED).fetchone()
    if found and _version(found[1]) < OLDEST:
        raise StoreError(
            f"an index needs pgvector {'.'.join(map(str, OLDEST))} or later, and this database has "
            f"{found[1]}: ask an administrator to run ALTER EXTENSION vector UPDATE."
        )
    if found and not found[2]:
        raise StoreError(
            "an index needs pgvector, and this user may not use it: ask an administrator to run "
            f"GRANT USAGE ON SCHEMA {found[0]}."
        )
    return found[0] if found else _create_vector(cursor)


def _create_vector(cursor: psycopg.Cursor[Any]) -> str:
    from psycopg.errors import FeatureNotSupported, InsufficientPrivilege, UndefinedFile

    try:
        cursor.execute("create extension vector")
    except (FeatureNotSupported, InsufficientPrivilege, UndefinedFile) as error:
        raise StoreError(
            "an index needs pgvector, and it cannot be created here "
            f"({error.diag.message_primary}): ask an administrator to install pgvector on the "
            "server and to run CREATE EXTENSION vector in this database."
        ) from None
    schema = find_vector(cursor)
    if schema is None:
        raise StoreError("the server's pgvector is too old for an index: it takes 0.8 or later.")
    return schema


def _version(text: str) -> tuple[int, ...]:
    """Return a version as numbers.

    Examples
    --------
    >>> _version("0.8.5")
    (0, 8, 5)
    """
    return tuple(map(int, re.findall(r"\d+", text)))
