"""Matrix products on one thread: rows are then rounded alike, and threads over rows go faster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import ContextDecorator
from functools import lru_cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


class _Guard:
    """Counts the callers inside, and remembers the libraries' numbers of threads before."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.n_inside = 0
        self.before: list[tuple[Any, int]] = []

    def enter(self) -> None:
        with self.lock:
            if self.n_inside == 0:
                threads = ((library, library.get_num_threads()) for library in _libraries())
                self.before = [(library, n) for library, n in threads if n != 1]
                _set_threads((library, 1) for library, _ in self.before)
            self.n_inside += 1

    def leave(self) -> None:
        with self.lock:
            self.n_inside -= 1
            if self.n_inside == 0:
                self.restore()

    def restore(self) -> None:
        # not where somebody else has set it meanwhile
        _set_threads((library, n) for library, n in self.before if library.get_num_threads() == 1)
        _release_control()

    def reset_after_fork(self) -> None:
        """Forget the threads that stayed in the parent process."""
        if self.n_inside:
            self.restore()
        self.lock, self.n_inside = Lock(), 0


_guard = _Guard()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_guard.reset_after_fork)


class one_blas_thread(ContextDecorator):  # noqa: N801  used as a function
    """Let the matrix library use one thread per call inside.

    The setting applies to the whole process, so the first of several threads that are inside at
    once makes it, and the last one undoes it.
    """

    def __enter__(self) -> None:
        _guard.enter()

    def __exit__(self, *error: object) -> None:
        _guard.leave()


@lru_cache(maxsize=1)
def _libraries() -> list[Any]:
    """Return the controllers, found once: a search costs more than encoding a block of rows."""
    return ThreadpoolController().select(user_api="blas").lib_controllers


def _set_threads(settings: Iterable[tuple[Any, int]]) -> None:
    _release_control()
    for library, n_threads in settings:
        library.set_num_threads(n_threads)


def _release_control() -> None:
    """Let any thread set the number of threads next.

    OpenBLAS has one number for the whole process, and newer versions of threadpoolctl let only
    the thread that set it first set it again: not the one that leaves last here.
    """
    for release in _releases():
        release(force=True)


@lru_cache(maxsize=1)
def _releases() -> list[Callable[..., None]]:
    classes = {type(library) for library in _libraries()}
    return [c.clear_controlling_thread for c in classes if hasattr(c, "clear_controlling_thread")]
