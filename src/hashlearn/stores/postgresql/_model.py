"""The model of a table's codes in PostgreSQL: a line in the comment on the column code.

A comment goes with its table when that is renamed, moved or restored from a backup.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, LiteralString

from hashlearn.stores.postgresql._sql import literal, statement

if TYPE_CHECKING:
    import psycopg

COMMENT = """
select col_description(attrelid, attnum), pg_has_role(relowner, 'usage')
from pg_attribute join pg_class on pg_class.oid = attrelid
where attrelid = to_regclass(quote_ident(%(table)s)) and attname = 'code'
"""
_LINE = re.compile(r"^hashlearn model (\w+)$", flags=re.MULTILINE)


def read_model(cursor: psycopg.Cursor[Any], table: str) -> str | None:
    """Return the fingerprint of a table's model; None if it is not known."""
    return _model_in(_comment(cursor, table)[0])


def adopt_model(cursor: psycopg.Cursor[Any], table: str, model: str) -> str | None:
    """Keep a fingerprint unless the table has one, in a transaction; return what it has now.

    Only the table's owner may comment on it: with others it stays unknown.
    """
    if not _comment(cursor, table)[1]:
        return read_model(cursor, table)
    cursor.execute(statement("lock table {table} in share update exclusive mode", table=table))
    comment, _ = _comment(cursor, table)
    kept = _model_in(comment)
    if kept is not None:
        return kept
    lines = "\n".join([*([comment] if comment else []), f"hashlearn model {model}"])
    commenting: LiteralString = "comment on column {code} is {comment}"
    cursor.execute(statement(commenting, code=(table, "code"), comment=literal(lines)))
    return model


def _comment(cursor: psycopg.Cursor[Any], table: str) -> tuple[str | None, bool]:
    """Return the comment on the codes, and whether this user may change it."""
    return cursor.execute(COMMENT, {"table": table}).fetchone() or (None, False)


def _model_in(comment: str | None) -> str | None:
    line = _LINE.search(comment or "")
    return line and line[1]
