"""Passwords of addresses on the command line, hidden in what is printed.

A user may give an address in any place: instead of a command, a table, a file. Commands read words
as they are given, and no error or warning shows a piece of a password, whatever quotes it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from hashlearn.cli._shared.options import STORE_VARIABLE

HIDDEN = "…"
LONGEST_SHOWN = 3  # characters in a row that a password and a message may have in common
_SETTING = re.compile(r"password\s*=", re.IGNORECASE)
_AFTER_USER = re.compile(r"://[^:/@]*:")
_PORT = re.compile(r"\d{1,5}(?=[/,?]|$)[^@]*$", re.ASCII)
# A mistyped address; those of files have no password.
_WITHOUT_SCHEME = re.compile(r"(?:--[\w-]+=)?+(?!lancedb:|sqlite:)[^:]*:(?=.*@)", re.DOTALL)
_LONE_WORD = re.compile(r"[^/?:.,\[]+")  # behind an @: a host, or the rest of a password


def without_passwords(text: str, words: Iterable[str]) -> str:
    """Return a text without the passwords in the words of a command line or in the environment."""
    for word in (*words, os.environ.get(STORE_VARIABLE, "")):
        password = password_in(word)
        if password:
            for quoted in (password, repr(password)[1:-1], " ".join(password.split())):
                text = _without(text, quoted)
    return text


def password_in(word: str) -> str | None:
    """Return what may be the password of an address, with the @ behind it."""
    if setting := _SETTING.search(word):
        return word[setting.end() :]  # nothing tells for certain where it ends
    user = _AFTER_USER.search(word)
    if user and _PORT.match(word, user.end()):
        return None
    if user is None and "://" not in word:
        user = _WITHOUT_SCHEME.match(word)
    if user is None:
        return None
    before, _, host = word[user.end() :].rpartition("@")
    return word[user.end() :] if _LONE_WORD.fullmatch(host) else f"{before}@"


def _without(text: str, password: str) -> str:
    """Return a text in which all that a password has in common with it is hidden."""
    n = min(LONGEST_SHOWN + 1, len(password))
    shown = list(text)
    for start in range(len(text) - n + 1):
        if text[start : start + n] in password:
            shown[start : start + n] = HIDDEN * n
    return re.sub(f"{HIDDEN}+", HIDDEN, "".join(shown))
