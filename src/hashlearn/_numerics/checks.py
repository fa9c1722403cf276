"""Checks of parameters that several rooms share."""

from __future__ import annotations

import re
from numbers import Integral, Real
from typing import Any, get_args

import numpy as np

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


def check_solver(tol: Any, max_iter: Any, *, unlimited: bool = False) -> None:
    """Raise if a solver could not run with these; -1 steps are no limit, where that is taken.

    Examples
    --------
    >>> check_solver(tol=1e-4, max_iter=-1)
    Traceback (most recent call last):
    ValueError: max_iter=-1 is not taken; it takes an integer from 1.
    """
    if not (isinstance(tol, Real) and 0 < float(tol) < np.inf):
        raise ValueError(f"tol={tol!r} is not taken; it takes a positive number.")
    endless = unlimited and max_iter == -1
    if not (endless or (isinstance(max_iter, Integral) and int(max_iter) >= 1)):
        taken = "an integer from 1" + (", or -1 for no limit" if unlimited else "")
        raise ValueError(f"max_iter={max_iter!r} is not taken; it takes {taken}.")


def check_positive(name: str, value: Any) -> None:
    """Raise if a parameter is neither "auto" nor a positive number.

    Examples
    --------
    >>> check_positive("C", -1.0)
    Traceback (most recent call last):
    ValueError: C=-1.0 is not taken; it takes 'auto' or a positive number.
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not (value == "auto" or (number and 0 < value < np.inf)):
        raise ValueError(f"{name}={value!r} is not taken; it takes 'auto' or a positive number.")


def check_number(name: str, value: Any, *, zero: bool = False, most: float = np.inf) -> None:
    """Raise if a parameter is not a finite positive number, or 0 where that is taken.

    Examples
    --------
    >>> check_number("step", np.nan)
    Traceback (most recent call last):
    ValueError: step=nan is not taken; it takes a positive number.
    >>> check_number("tol", True, zero=True)
    Traceback (most recent call last):
    ValueError: tol=True is not taken; it takes 0 or a positive number.
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not (number and (0 < value < np.inf or (zero and value == 0)) and value <= most):
        taken = ("0 or " if zero else "") + "a positive number"
        taken += f" up to {most:g}" if most < np.inf else ""
        raise ValueError(f"{name}={value!r} is not taken; it takes {taken}.")


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


_MAX_WEIGHT = 1e12  # sums over a million items, and their squares, stay within float32


def check_not_huge(weights: np.ndarray) -> None:
    """Raise if sums over weighted items could overflow.

    Examples
    --------
    >>> check_not_huge(np.array([1.0, 1e30]))
    Traceback (most recent call last):
    ValueError: sample_weight goes up to 1e+30; it takes weights up to 1e+12: scale them.
    """
    largest = float(weights.max(initial=0))
    if largest > _MAX_WEIGHT:
        raise ValueError(
            f"sample_weight goes up to {largest:g}; it takes weights up to {_MAX_WEIGHT:g}: "
            "scale them."
        )


def check_k(k: Any, n: int, name: str = "k") -> None:
    """Raise if `k` of `n` items cannot be taken."""
    if not isinstance(k, Integral) or isinstance(k, bool):
        raise TypeError(f"{name} must be an integer from 1 to {n}; got {k!r}.")
    if int(k) < 1:
        raise ValueError(f"{name} must be at least 1; got {k}.")
    if int(k) > n:
        raise ValueError(f"{name} must be at most {n} (the number of items); got {k}.")


def check_radius(radius: Any, distance: Any = None) -> None:
    """Raise if `radius` is not a Hamming distance, or not a real one where `distance` is given."""
    kind, noun = (Integral, "an integer") if distance is None else (Real, "a number")
    if not isinstance(radius, kind) or isinstance(radius, bool) or not float(radius) >= 0:
        raise ValueError(f"radius must be {noun} of at least 0; got {radius!r}.")


def check_option(name: str, value: Any, options: Any) -> None:
    """Raise if `value` is not one of a Literal's options."""
    if value not in get_args(options):
        known = ", ".join(map(repr, get_args(options)))
        raise ValueError(f"{name} must be one of {known}; got {value!r}.")
