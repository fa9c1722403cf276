"""Passwords of stores, which never reach the screen, whatever quotes an address."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from urllib.parse import unquote

# What stands before user and password: a scheme (any, since it may be misspelt), after an option;
# and what stands before a path, in which no colon begins a password.
_SCHEME = re.compile(r".*?://|(?:.*=)?(?:lancedb|sqlite):", flags=re.DOTALL)
_PORT = re.compile(r"\d{1,5}(?=[/,?]|$)")
_SETTING = re.compile(r"password\s*=\s*('(?:\\.|[^'\\])*'?|(?:\\.|\S)+)", re.DOTALL | re.IGNORECASE)
_SEPARATORS = re.compile("[,:=]")  # at which commands cut what is given
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
SHORTEST_WORD = 4  # a shorter password is hidden where one may stand, and not as a word of its own

# The second line: addresses that are no argument. From the colon after the user to the last @
# before a host, since a password may hold anything.
_AFTER_USER = re.compile(r"(\w:/+[^\s:/@]*):.*@(?=\S)")
_NO_HOST = re.compile(r"(\w:/+[^\s:/@]+):(?!…|\d{1,5}\b)[^\s'\"]+")
_PARAMETER = re.compile(r"(password=)[^&\s]*", flags=re.IGNORECASE)


def without_passwords(text: str, given: Iterable[str] = ()) -> str:
    """Return a text in which no address of a store has a password.

    Parameters
    ----------
    text : str
        What is to be printed.
    given : iterable of str
        Arguments and settings of which a password may come, in whatever form.

    Examples
    --------
    >>> without_passwords("No such command 'postgresql://ann:p@ss word@host:5432/db'.")
    "No such command 'postgresql://ann:…@host:5432/db'."
    >>> without_passwords("'ann:word' is no file.", ["ann:word@host/db"])
    "'ann:…' is no file."
    """
    forms = {form for one in given for secret in _secrets(one) for form in _forms(secret)}
    for form in sorted(forms, key=len, reverse=True):
        text = _whole(form).sub("…", text)
    text = _NO_HOST.sub(r"\1:…", _AFTER_USER.sub(r"\1:…@", text))
    return _PARAMETER.sub(r"\1…", text)


def _secrets(given: str) -> Iterator[str]:
    """Yield all that may be a password in an argument."""
    for setting in _SETTING.findall(given):
        yield from (setting, setting.strip("'"), *setting.split("&")[:1])
    scheme = _SCHEME.match(given)
    rest = given[scheme.end() :] if scheme else given
    starts = [colon.end() for colon in re.finditer(":", rest)]
    ends = [at.start() for at in re.finditer("@", rest)]
    yield from (rest[start:end] for start in starts for end in ends if start < end)
    if scheme and "//" in scheme[0] and starts and not ends:  # no host: it goes to the end
        password = rest[starts[0] :]
        if not _PORT.match(password):
            yield password


def _forms(secret: str) -> Iterator[str]:
    """Yield a password as messages may have it: as it is, in one line, in a path, in quotes."""
    parts = [part for part in _SEPARATORS.split(secret) if len(part) >= SHORTEST_WORD]
    for form in (secret, *parts, " ".join(secret.split()), str(PurePath(secret)), unquote(secret)):
        if form not in ("", "."):  # a path's way to say nothing
            quoted = repr(form)[1:-1]
            yield from (form, quoted, quoted.replace("'", "\\'"), _CONTROL.sub(_as_number, form))


def _as_number(character: re.Match[str]) -> str:
    """Return a control character as click shows it."""
    return f"\\x{ord(character[0]):02x}"


def _whole(form: str) -> re.Pattern[str]:
    """Return what finds a password, but not within a longer word."""
    if len(form) < SHORTEST_WORD:
        before = "(?<=[:='\"])"
    else:
        before = r"(?<!\w)" if re.match(r"\w", form) else ""
    after = r"(?!\w)" if re.search(r"\w$", form) else ""
    return re.compile(before + re.escape(form) + after)
