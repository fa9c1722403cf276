"""Threads for compiled loops that release the GIL.

Python's own threads rather than Numba's: they survive a fork, may be used from several threads
at once, and carry NumPy work as well. `NUMBA_NUM_THREADS` limits them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from numba import config

Result = TypeVar("Result")


def map_ranges(work: Callable[[int, int], Result], bounds: Sequence[int]) -> list[Result]:
    """Apply `work(start, stop)` to the ranges between neighbouring bounds, on threads.

    Parameters
    ----------
    work : callable
        Takes the first position of a range and the one after its last.
    bounds : sequence of int
        Increasing; two of them make one range, which runs in the calling thread.

    Returns
    -------
    results : list
        In the order of the ranges.

    Examples
    --------
    >>> map_ranges(lambda start, stop: stop - start, [0, 3, 10])
    [3, 7]
    """
    starts, stops = bounds[:-1], bounds[1:]
    if len(starts) == 1:
        return [work(starts[0], stops[0])]
    with ThreadPoolExecutor(min(n_threads(), len(starts))) as threads:
        return list(threads.map(work, starts, stops))


def n_threads() -> int:
    """Return how many threads compiled loops may use."""
    return int(config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
