"""How many bits a code may have."""

from __future__ import annotations

from numbers import Integral
from typing import Any

MAX_BITS = 4096


def check_n_bits(n_bits: Any) -> None:
    """Raise if `n_bits` is no number of bits.

    Examples
    --------
    >>> check_n_bits(0)
    Traceback (most recent call last):
    ValueError: n_bits=0 is out of range; it takes 1 to 4096.
    """
    if not isinstance(n_bits, Integral) or isinstance(n_bits, bool):
        raise TypeError(f"n_bits={n_bits!r} is not an integer; it takes 1 to {MAX_BITS}.")
    if not 1 <= int(n_bits) <= MAX_BITS:
        raise ValueError(f"n_bits={n_bits} is out of range; it takes 1 to {MAX_BITS}.")
