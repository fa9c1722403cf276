"""Passwords on the command line, replaced before any command or message sees them.

Addresses of stores may hold a password, and a user may give one in any place: instead of a command,
a table, a file. So every word with a password is cut before it is read, and only what opens a store
looks up the whole word.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

HIDDEN = "…"
_OPTION = re.compile(r"--[\w-]+=")
_SETTING = re.compile(r"password\s*=", re.IGNORECASE)
_AFTER_USER = re.compile(r"://[^:/@]*:")
_PORT = re.compile(r"\d{1,5}(?=[/,?]|$)[^@]*$", re.ASCII)
_OF_A_FILE = re.compile(r"(.*=)?(lancedb|sqlite):", re.DOTALL)  # addresses without a password
_FILE = re.compile(r"\.(csv|npy|npz|parquet|hashlearn|index|json|html|png|pdf|svg)$")

_whole: dict[str, str] = {}  # words as they were given, by what is left of them


def hide_passwords(words: Iterable[str]) -> list[str]:
    """Return the words of a command line, each cut where a password may begin.

    Examples
    --------
    >>> hide_passwords(["store", "info", "postgresql://zoe:word@host/db"])
    ['store', 'info', 'postgresql://zoe:…']
    """
    return [_cut(word) for word in words]


def revealed(word: str) -> str:
    """Return a word as it was given."""
    return _whole.get(word, word)


def _cut(word: str) -> str:
    """Return what is left of a word, and remember the word."""
    option = match[0] if (match := _OPTION.match(word)) else ""
    value = word.removeprefix(option)
    start = _start_of_password(value)
    if start is None:
        return word
    left = value[:start] + HIDDEN
    while _whole.setdefault(left, value) != value:  # another address of the same user
        left += HIDDEN
    return option + left


def _start_of_password(value: str) -> int | None:
    """Return where a password may begin; to its end nothing is certain, as it may hold anything."""
    if setting := _SETTING.search(value):
        return setting.end()
    if user := _AFTER_USER.search(value):
        return None if _PORT.match(value, user.end()) else user.end()
    is_path = _OF_A_FILE.match(value) or _FILE.search(value) or os.path.exists(value)
    user = None if is_path or "://" in value else re.search(":(?=.*@)", value, re.DOTALL)
    return None if user is None else user.end()
