"""Passwords of stores, which never reach the screen, whatever quotes an address."""

from __future__ import annotations

import re

# From the colon after the user to the last @ before a host, since a password may hold anything;
# of any scheme, since it may be misspelt. An address that is taken for a path has one slash.
_AFTER_USER = re.compile(r"(\w:/+[^\s:/@]*):.*@(?=\S)")
_PARAMETER = re.compile(r"(password=)[^&\s]*", flags=re.IGNORECASE)


def without_passwords(text: str) -> str:
    """Return a text in which no address of a store has a password.

    Examples
    --------
    >>> without_passwords("No such command 'postgresql://ann:p@ss word@host:5432/db'.")
    "No such command 'postgresql://ann:…@host:5432/db'."
    >>> without_passwords("postgresql://ann@host/db?password=word&sslmode=require")
    'postgresql://ann@host/db?password=…&sslmode=require'
    """
    return _PARAMETER.sub(r"\1…", _AFTER_USER.sub(r"\1:…@", text))
