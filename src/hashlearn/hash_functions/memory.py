"""How much memory training may use for features: a number of bytes, or words like "2GB"."""

from __future__ import annotations

import re
from numbers import Integral
from typing import Any

DEFAULT_MEMORY = 512 * 10**6
_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def as_bytes(max_memory: Any) -> int:
    """Return the number of bytes that `max_memory` stands for; None is 512 MB.

    Examples
    --------
    >>> as_bytes("2GB")
    2000000000
    >>> as_bytes("much")
    Traceback (most recent call last):
    ValueError: max_memory='much' is not taken; it takes None, a positive integer or '512MB'.
    """
    if max_memory is None:
        return DEFAULT_MEMORY
    if isinstance(max_memory, Integral) and not isinstance(max_memory, bool):
        if int(max_memory) > 0:
            return int(max_memory)
    elif isinstance(max_memory, str):
        words = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]B)\s*", max_memory, re.IGNORECASE)
        if words and float(words[1]) > 0:
            return max(1, int(float(words[1]) * _UNITS[words[2].upper()]))
    raise ValueError(
        f"max_memory={max_memory!r} is not taken; it takes None, a positive integer or '512MB'."
    )
