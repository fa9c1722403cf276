"""Threads for compiled loops that release the GIL.

Python's own threads rather than Numba's: they survive a fork, may be used from several threads
at once, and carry NumPy work as well. `NUMBA_NUM_THREADS` limits them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import pairwise
from threading import Event, local
from typing import TypeVar

from numba import config

Result = TypeVar("Result")

_state = local()


def map_blocks(work: Callable[[int, int], Result], bounds: Sequence[int]) -> list[Result]:
    """Apply `work(start, stop)` to the blocks between successive bounds, on threads.

    The calling thread works too. One block, or a call from inside `work`, starts no thread.
    """
    if len(bounds) == 2 or getattr(_state, "is_working", False):
        return [work(start, stop) for start, stop in pairwise(bounds)]
    blocks = zip(range(len(bounds) - 1), bounds[:-1], bounds[1:], strict=True)
    results: dict[int, Result] = {}
    failed = Event()

    def run() -> None:
        _state.is_working = True
        try:
            for i, start, stop in blocks:  # a built-in iterator: no block is handed out twice
                results[i] = work(start, stop)
                if failed.is_set():
                    break
        except BaseException:  # Ctrl-C too: the others finish their block and stop
            failed.set()
            raise
        finally:
            _state.is_working = False

    n_helpers = min(n_threads(), len(bounds) - 1) - 1
    helpers = [_helpers(n_threads() - 1).submit(run) for _ in range(n_helpers)]
    try:
        run()
    finally:
        begun = [helper for helper in helpers if not helper.cancel()]
        wait(begun)
    for helper in begun:
        helper.result()
    return [results[i] for i in range(len(bounds) - 1)]


@lru_cache(maxsize=1)
def _helpers(n: int) -> ThreadPoolExecutor:
    """Return threads that stay: starting them takes as long as a search in a million codes."""
    return ThreadPoolExecutor(n, thread_name_prefix="hashlearn")


if hasattr(os, "register_at_fork"):  # a child process has no threads of its parent
    os.register_at_fork(after_in_child=_helpers.cache_clear)


def n_threads() -> int:
    """Return the number of threads that compiled loops may use."""
    return int(config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
