"""Whole numbers, checked: neighbours, efforts, sizes of batches."""

from __future__ import annotations

from numbers import Integral
from typing import Any

MAX_COUNT = 2**31 - 1  # engines need not know larger numbers


def check_count(count: Any, name: str) -> int:
    """Return a whole number of at least 1, or the largest that engines take.

    Examples
    --------
    >>> check_count(0, "k")
    Traceback (most recent call last):
    ValueError: k=0 is out of range: it takes at least 1.
    """
    if not isinstance(count, Integral) or isinstance(count, bool):
        raise TypeError(f"{name}={count!r} is not an integer: it takes one of at least 1.")
    if count < 1:
        raise ValueError(f"{name}={count} is out of range: it takes at least 1.")
    return min(int(count), MAX_COUNT)
