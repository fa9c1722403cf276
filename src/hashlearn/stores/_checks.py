"""Checks of counts, names and texts before any database sees them."""

from __future__ import annotations

import re
from numbers import Integral
from typing import Any

import numpy as np

from hashlearn._numerics.ids import as_ids

MAX_COUNT = 2**31 - 1  # engines need not know larger numbers
MAX_LENGTH = 48  # PostgreSQL allows 63 bytes, and names of indexes are made of a table's
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", flags=re.ASCII)


def check_count(count: Any, name: str) -> int:
    """Return an integer of at least 1, cut at the largest that engines accept."""
    if not isinstance(count, Integral) or isinstance(count, bool):
        raise TypeError(f"{name} must be an integer of at least 1; got {count!r}.")
    if count < 1:
        raise ValueError(f"{name} must be at least 1; got {count}.")
    return min(int(count), MAX_COUNT)


def check_name(name: Any, what: str) -> str:
    """Return the name of a table or a column, if it needs no quoting in any database."""
    if not is_name(name):
        raise ValueError(
            f"the name of a {what} must be letters, digits and _, not begin with a digit, and have "
            f"at most {MAX_LENGTH} characters; got {name!r}."
        )
    return str(name)


def is_name(name: Any) -> bool:
    """Tell whether a text can be the name of a table or a column."""
    return isinstance(name, str) and len(name) <= MAX_LENGTH and bool(_NAME.fullmatch(name))


def check_text(text: Any, subject: str) -> None:
    """Raise unless every database can store a text; `subject` begins the message."""
    if not isinstance(text, str):
        raise ValueError(f"{subject} must be str; got {text!r}.")
    try:
        storable = b"\0" not in text.encode()
    except UnicodeEncodeError:  # halves of a surrogate pair
        storable = False
    if not storable:
        raise ValueError(
            f"{subject} must be Unicode without zero characters, as not every database stores "
            f"others; got {text[:40]!r}."
        )


def ids_of(ids: Any, id_type: type) -> np.ndarray:
    """Return ids as a 1-D array: int64, or texts as objects; raise unless a table has such ids."""
    known = as_ids(ids)
    given = str if known.dtype == object else int
    if not known.size:
        return known.astype(object if id_type is str else np.int64)
    if given is not id_type:
        wanted, other = ("text", "integers") if id_type is str else ("integers", "text")
        raise ValueError(
            f"ids must be {wanted}, as those of the table, not {other}; got {known[0]!r}."
        )
    for text in known if id_type is str else ():
        check_text(text, "ids")
    return known
