"""Blocks of queries against a whole database, on threads, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from numba import config

Result = TypeVar("Result")

BLOCK_PAIRS = 1 << 20  # per thread: 2 MiB of distances, which stay in cache


def map_blocks(
    work: Callable[[int, int], Result],
    n_queries: int,
    n_database: int,
) -> list[Result]:
    """Apply `work(start, stop)` to consecutive blocks of queries.

    Python threads rather than Numba's: they also carry the NumPy part of the work, and they
    depend on no threading layer that breaks after a fork. `NUMBA_NUM_THREADS` limits both.

    Parameters
    ----------
    work : callable
        Takes the first query of a block and the one after its last. Called from several
        threads.
    n_queries, n_database : int
        Size of the problem; a block has `BLOCK_PAIRS // n_database` queries, at least one.

    Returns
    -------
    results : list
        In the order of the blocks. No queries make one empty block.

    Examples
    --------
    >>> map_blocks(lambda start, stop: (start, stop), n_queries=5, n_database=500_000)
    [(0, 2), (2, 4), (4, 5)]
    """
    step = max(1, BLOCK_PAIRS // max(1, n_database))
    starts = range(0, max(1, n_queries), step)
    stops = [min(start + step, n_queries) for start in starts]
    if len(starts) == 1:
        return [work(0, n_queries)]
    n_threads = min(config.NUMBA_NUM_THREADS, len(starts))  # type: ignore[attr-defined]
    with ThreadPoolExecutor(n_threads) as threads:
        return list(threads.map(work, starts, stops))
