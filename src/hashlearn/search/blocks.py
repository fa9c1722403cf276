"""Blocks of queries against a whole database, on threads, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hashlearn.threads import map_ranges

Result = TypeVar("Result")

BLOCK_PAIRS = 1 << 20  # per thread: 2 MiB of distances, which stay in cache


def map_blocks(
    work: Callable[[int, int], Result],
    n_queries: int,
    n_database: int,
) -> list[Result]:
    """Apply `work(start, stop)` to consecutive blocks of queries.

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
    return map_ranges(work, [*range(0, max(1, n_queries), step), n_queries])
