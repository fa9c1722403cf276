"""Names of tables and columns, checked before any database sees them."""

from __future__ import annotations

import re
from typing import Any

MAX_LENGTH = 48  # PostgreSQL takes 63 bytes, and names of indexes are made of a table's
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", flags=re.ASCII)


def check_name(name: Any, what: str) -> str:
    """Return the name of a table or a column, if it needs no quoting in any database.

    Examples
    --------
    >>> check_name("items; drop table users", "table")
    Traceback (most recent call last):
    ValueError: table='items; drop table users' is no name: it takes letters, digits and _, \
at most 48, and no digit first.
    """
    if not isinstance(name, str) or len(name) > MAX_LENGTH or not _NAME.fullmatch(name):
        raise ValueError(
            f"{what}={name!r} is no name: it takes letters, digits and _, at most {MAX_LENGTH}, "
            "and no digit first."
        )
    return name
