"""Checks of what a comparison is asked for, before any items are read."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from hashlearn._numerics.checks import as_bytes, check_n_bits, check_option
from hashlearn.comparison._choice import Target
from hashlearn.comparison._methods import check_methods
from hashlearn.comparison._splits import MIN_ITEMS
from hashlearn.metrics.vectors import Metric

DEFAULT_K = 10
ROWS_SHARE = 0.2  # of the memory, for the items: parts of a split are copies of most of them


def check_request(
    *,
    n_bits: Any = "auto",
    methods: Any = "auto",
    target: str | None = None,
    k: int | None = None,
    metric: str = "cosine",
    max_memory: int | str = "2GB",
) -> None:
    """Raise if arguments of `compare` are wrong, whatever the items are.

    Parameters
    ----------
    n_bits, methods, target, k, metric, max_memory
        As in `compare`.

    Examples
    --------
    >>> from hashlearn.comparison import check_request
    >>> check_request(target="recall@10")
    Traceback (most recent call last):
    ValueError: target must be a measure and a number from 0 to 1, such as recall@10=0.95; got \
'recall@10'.
    """
    _target_and_k(target, k)
    check_methods(methods)
    _given_lengths(n_bits)
    check_option("metric", metric, Metric)
    as_bytes(max_memory)


def rows_that_fit(max_memory: int | str, row_bytes: int) -> int:
    """Return the number of items that a comparison in bounded memory holds.

    Parameters
    ----------
    max_memory : int or str
        Bytes, or a size such as "2GB".
    row_bytes : int
        Bytes of an item.

    Returns
    -------
    n : int

    Examples
    --------
    >>> from hashlearn.comparison import rows_that_fit
    >>> rows_that_fit("2GB", 4 * 384)
    260416
    """
    n = int(ROWS_SHARE * as_bytes(max_memory) / max(row_bytes, 1))
    if n < MIN_ITEMS:
        raise ValueError(
            f"max_memory={max_memory!r} is too little: {MIN_ITEMS} items of {row_bytes:,} bytes "
            "must fit into a fifth of it."
        )
    return n


def _target_and_k(target: str | None, k: Any) -> tuple[Target | None, int]:
    """Return the target and the number of nearest items, that of the target if there is one."""
    wanted = None if target is None else Target.parse(target)
    cutoff = None if wanted is None else wanted.cutoff
    if k is None:
        return wanted, cutoff or DEFAULT_K
    if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
        raise ValueError(f"k must be an integer of at least 1; got {k!r}.")
    if cutoff not in (None, k):
        raise ValueError(f"k={k} and the target's @{cutoff} must be the same: leave out k.")
    return wanted, int(k)


def _given_lengths(n_bits: Any) -> tuple[int, ...]:
    """Return the numbers of bits that are asked for, increasing; none for "auto"."""
    if isinstance(n_bits, str) and n_bits == "auto":
        return ()
    given = list(n_bits) if isinstance(n_bits, Sequence | np.ndarray) else [n_bits]
    if not given or isinstance(n_bits, str):
        raise ValueError(f"n_bits must be 'auto', or numbers of bits; got {n_bits!r}.")
    for one in given:
        check_n_bits(one)
    return tuple(sorted({int(one) for one in given}))
