"""What a table of PostgreSQL is made of, as its catalog says; it may be made by others."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from hashlearn.stores.batches import Layout
from hashlearn.stores.columns import ColumnType
from hashlearn.stores.errors import StoreError
from hashlearn.stores.names import check_name

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
KINDS: dict[str, ColumnType] = {
    **dict.fromkeys(("bigint", "integer", "smallint"), int),
    "double precision": float,  # no real: its 0.1 is not equal to a 0.1 that is asked for
    **dict.fromkeys(("text", "character varying"), str),
    "boolean": bool,
}


class Column(NamedTuple):
    """A row of `COLUMNS`."""

    name: str
    kind: str
    is_computed: bool
    is_unique: bool


def layout_of(columns: list[Column], what: str) -> Layout | None:
    """Return a table's layout; None if it has no columns, as it is not there.

    Columns of other types are left alone: whoever made them fills them.

    Examples
    --------
    >>> columns = [Column("id", "integer", False, True), Column("code", "bit(13)", False, False)]
    >>> layout_of([*columns, Column("made", "date", False, False)], "the table")
    Layout(n_bits=13, columns={})
    """
    if not columns:
        return None
    by_name = {column.name: column for column in columns}
    id_, code = by_name.pop("id", None), by_name.pop("code", None)
    if id_ is None or KINDS.get(id_.kind) is not int or not id_.is_unique:
        raise StoreError(
            f"{what} has {_in_words(id_, 'id')}: it takes a bigint column 'id' that is a primary "
            "key."
        )
    bits = re.fullmatch(r"bit\((\d+)\)", code.kind) if code else None
    if bits is None:
        raise StoreError(
            f"{what} has {_in_words(code, 'code')}: it takes a column 'code' of type bit(n)."
        )
    others = {name: KINDS.get(_bare(column.kind)) for name, column in by_name.items()}
    return Layout(
        int(bits[1]),
        {
            name: kind
            for name, kind in others.items()
            if kind is not None and not by_name[name].is_computed and _is_name(name)
        },
    )


def _bare(kind: str) -> str:
    """Return a type without a length: varchar(20) holds texts too."""
    return kind.partition("(")[0]


def _is_name(name: Any) -> bool:
    try:
        return bool(check_name(name, "column"))
    except ValueError:
        return False


def _in_words(column: Column | None, name: str) -> str:
    if column is None:
        return f"no column {name!r}"
    unique = "" if column.is_unique or name != "id" else " without a unique index"
    return f"a column {name!r} of type {column.kind}{unique}"
