"""What a comparison is asked for, checked before any items are read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from hashlearn._numerics.checks import Metric, as_bytes, check_n_bits, check_number, check_option
from hashlearn.comparison._choice import Target
from hashlearn.comparison._methods import check_methods
from hashlearn.comparison._splits import MIN_ITEMS, MOST_TRAINING

DEFAULT_K = 10
DEFAULT_SECONDS = 100
DEFAULT_MEMORY = "2GB"
# Of the memory, as measured: what libraries and compiled code take; of the rest, what may be items,
# because parts of a split are copies of most of them, and what kernel machines take by items.
PROGRAM_BYTES = 600 * 1000**2
ROWS_SHARE = 0.22
TRAINING_BYTES = 140_000
LEAST_TRAINING = 1_000


@dataclass(frozen=True)
class Request:
    """Checked arguments of `compare`, whatever the items are; `read_request` returns one.

    Attributes
    ----------
    lengths : tuple of int
        The numbers of bits, increasing; none for "auto".
    methods : str or tuple of str
        "auto", "all", or names.
    target : Target or None
        What must be reached.
    k : int
        The number of nearest items that count.
    metric : str
        What makes vectors near.
    max_time : float or None
        Seconds of measuring.
    max_bytes : int
        Memory of the program.
    random_state : int
        Seeds splits and methods.
    """

    lengths: tuple[int, ...]
    methods: str | tuple[str, ...]
    target: Target | None
    k: int
    metric: Metric
    max_time: float | None
    max_bytes: int
    random_state: int

    def rows_that_fit(self, row_bytes: int) -> int:
        """Return the number of items that a comparison in bounded memory holds.

        Parameters
        ----------
        row_bytes : int
            Bytes of an item.

        Returns
        -------
        n : int

        Examples
        --------
        >>> from hashlearn.comparison import read_request
        >>> read_request(max_memory="2GB").rows_that_fit(4 * 384)
        200520
        """
        least = max(LEAST_TRAINING * TRAINING_BYTES, MIN_ITEMS * row_bytes / ROWS_SHARE)
        if self._free_bytes < least:
            raise ValueError(
                f"max_memory must be at least {math.ceil((PROGRAM_BYTES + least) / 1e6):,}MB, of "
                f"which libraries take {PROGRAM_BYTES // 10**6}MB; got {self.max_bytes:,} bytes."
            )
        return int(ROWS_SHARE * self._free_bytes / max(row_bytes, 1))

    @property
    def most_training(self) -> int:
        """The number of labelled items that any method can learn from in bounded memory."""
        return min(MOST_TRAINING, self._free_bytes // TRAINING_BYTES)

    @property
    def _free_bytes(self) -> int:
        return self.max_bytes - PROGRAM_BYTES


def read_request(
    *,
    n_bits: Any = "auto",
    methods: Any = "auto",
    target: str | None = None,
    k: int | None = None,
    metric: Metric = "cosine",
    max_time: float | None = DEFAULT_SECONDS,
    max_memory: int | str = DEFAULT_MEMORY,
    random_state: int = 0,
) -> Request:
    """Return checked arguments of `compare`; raise if one is wrong whatever the items are.

    Parameters
    ----------
    n_bits, methods, target, k, metric, max_time, max_memory, random_state
        As in `compare`.

    Returns
    -------
    request : Request

    Examples
    --------
    >>> from hashlearn.comparison import read_request
    >>> read_request(target="recall@10")
    Traceback (most recent call last):
    ValueError: target must be a measure and a number from 0 to 1, such as recall@10=0.95; got \
'recall@10'.
    """
    wanted = None if target is None else Target.parse(target)
    check_option("metric", metric, Metric)
    if max_time is not None:
        check_number("max_time", max_time, zero=True)
    is_integer = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if not is_integer or not 0 <= random_state < 1 << 32:
        raise ValueError(
            f"random_state must be an integer from 0 to 4,294,967,295; got {random_state!r}."
        )
    return Request(
        lengths=_lengths(n_bits),
        methods=check_methods(methods),
        target=wanted,
        k=_n_nearest(k, wanted),
        metric=metric,
        max_time=None if max_time is None else float(max_time),
        max_bytes=as_bytes(max_memory),
        random_state=int(random_state),
    )


def _n_nearest(k: Any, target: Target | None) -> int:
    """Return the number of nearest items that count: that of the target, if there is one."""
    cutoff = None if target is None else target.cutoff
    if k is None:
        return cutoff or DEFAULT_K
    if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
        raise ValueError(f"k must be an integer of at least 1; got {k!r}.")
    if cutoff not in (None, k):
        raise ValueError(f"k={k} and the target's @{cutoff} must be the same: leave out k.")
    return int(k)


def _lengths(n_bits: Any) -> tuple[int, ...]:
    if isinstance(n_bits, str) and n_bits == "auto":
        return ()
    given = list(n_bits) if isinstance(n_bits, Sequence | np.ndarray) else [n_bits]
    if not given or isinstance(n_bits, str):
        raise ValueError(f"n_bits must be 'auto', or numbers of bits; got {n_bits!r}.")
    for one in given:
        check_n_bits(one)
    return tuple(sorted({int(one) for one in given}))
