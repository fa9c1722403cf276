"""Checks of parameters, without NumPy: the command line imports them for its help."""

from __future__ import annotations

import re
from math import inf
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    import numpy as np

MAX_BITS = 4096
Metric = Literal["cosine", "inner_product", "euclidean"]  # what makes vectors near

_DEFAULT_MEMORY = 512 * 10**6
_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_MAX_WEIGHT = 1e12  # sums over a million items, and their squares, stay within float32


def check_n_bits(n_bits: Any) -> None:
    """Raise if `n_bits` is not a number of bits."""
    message = f"n_bits must be an integer from 1 to {MAX_BITS}; got {n_bits!r}."
    if not isinstance(n_bits, Integral) or isinstance(n_bits, bool):
        raise TypeError(message)
    if not 1 <= int(n_bits) <= MAX_BITS:
        raise ValueError(message)


def check_solver(tol: Any, max_iter: Any, *, unlimited: bool = False) -> None:
    """Raise unless `tol` is positive and `max_iter` at least 1, or -1 if `unlimited`."""
    if not (isinstance(tol, Real) and 0 < float(tol) < inf):
        raise ValueError(f"tol must be a positive number; got {tol!r}.")
    endless = unlimited and max_iter == -1
    if not (endless or (isinstance(max_iter, Integral) and int(max_iter) >= 1)):
        allowed = "an integer of at least 1" + (", or -1 for no limit" if unlimited else "")
        raise ValueError(f"max_iter must be {allowed}; got {max_iter!r}.")


def check_positive(name: str, value: Any) -> None:
    """Raise if a parameter is neither "auto" nor a positive number."""
    if not (isinstance(value, str) and value == "auto") and not _is_positive(value):
        raise ValueError(f"{name} must be 'auto' or a positive number; got {value!r}.")


def check_number(name: str, value: Any, *, zero: bool = False, most: float = inf) -> None:
    """Raise if a parameter is not a finite positive number, or 0 where `zero` allows it."""
    is_zero = zero and isinstance(value, Real) and not isinstance(value, bool) and value == 0
    if not (is_zero or (_is_positive(value) and value <= most)):
        allowed = ("0 or " if zero else "") + "a positive number"
        allowed += f" up to {most:g}" if most < inf else ""
        raise ValueError(f"{name} must be {allowed}; got {value!r}.")


def _is_positive(value: Any) -> bool:
    number = isinstance(value, Real) and not isinstance(value, bool)
    return bool(number and 0 < value < inf)


def check_option(name: str, value: Any, options: Any) -> None:
    """Raise if a parameter is not one of the options of a Literal."""
    if not (isinstance(value, str) and value in get_args(options)):
        known = ", ".join(map(repr, get_args(options)))
        raise ValueError(f"{name} must be one of {known}; got {value!r}.")


def as_bytes(max_memory: Any) -> int:
    """Return the number of bytes that `max_memory` stands for; None is 512 MB."""
    if max_memory is None:
        return _DEFAULT_MEMORY
    if isinstance(max_memory, Integral) and not isinstance(max_memory, bool):
        if int(max_memory) > 0:
            return int(max_memory)
    elif isinstance(max_memory, str):
        words = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]B)\s*", max_memory, re.IGNORECASE)
        if words and float(words[1]) > 0:
            return max(1, int(float(words[1]) * _UNITS[words[2].upper()]))
    raise ValueError(
        "max_memory must be None, a positive integer or a size such as '512MB'; "
        f"got {max_memory!r}."
    )


def check_not_huge(weights: np.ndarray) -> None:
    """Raise if sums over weighted items could overflow."""
    largest = float(weights.max(initial=0))
    if largest > _MAX_WEIGHT:
        raise ValueError(
            f"sample_weight must be at most {_MAX_WEIGHT:g}; got {largest:g}. Scale the weights."
        )


def check_k(k: Any, n: int, name: str = "k") -> None:
    """Raise unless `k` is an integer from 1 to `n`."""
    if not isinstance(k, Integral) or isinstance(k, bool):
        raise TypeError(f"{name} must be an integer from 1 to {n}; got {k!r}.")
    if int(k) < 1:
        raise ValueError(f"{name} must be at least 1; got {k}.")
    if int(k) > n:
        raise ValueError(f"{name} must be at most {n} (the number of items); got {k}.")


def clipped_k(k: Any, n: int, name: str = "k") -> int:
    """Return a checked cut-off, at most `n` items."""
    check_k(min(k, max(n, 1)), n, name)
    return min(int(k), n)


def check_number_radius(radius: Any) -> None:
    """Raise if `radius` is not a real number; distances of float queries may be negative."""
    if not isinstance(radius, Real) or isinstance(radius, bool) or radius != radius:
        raise ValueError(f"radius must be a number; got {radius!r}.")


def check_radius(radius: Any, distance: Any = None) -> None:
    """Raise if `radius` is not a Hamming distance, or not a real one where `distance` is given."""
    kind, noun = (Integral, "an integer") if distance is None else (Real, "a number")
    if not isinstance(radius, kind) or isinstance(radius, bool) or not float(radius) >= 0:
        raise ValueError(f"radius must be {noun} of at least 0; got {radius!r}.")
