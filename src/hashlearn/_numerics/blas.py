"""Matrix products on one thread: rows are then rounded alike, and threads over rows go faster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


class _Guard:
    """How many are inside, and how many threads the matrix libraries had before."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.n_inside = 0
        self.before: list[tuple[Any, int]] = []

    def enter(self) -> None:
        with self.lock:
            if self.n_inside == 0:
                self.before = [(library, library.get_num_threads()) for library in _libraries()]
                for library, _ in self.before:
                    _set_threads(library, 1)
            self.n_inside += 1

    def leave(self) -> None:
        with self.lock:
            self.n_inside -= 1
            if self.n_inside == 0:
                self.restore()

    def restore(self) -> None:
        for library, n_threads in self.before:
            if library.get_num_threads() == 1:  # nobody else has set it meanwhile
                _set_threads(library, n_threads)

    def start_anew(self) -> None:
        """Forget the threads that a fork left behind."""
        if self.n_inside:
            self.restore()
        self.lock, self.n_inside = Lock(), 0


_guard = _Guard()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_guard.start_anew)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let the matrix library use one thread per call inside.

    The setting is the whole process's, so it is made by the first of several threads that are
    inside at once, and undone by the last.

    Examples
    --------
    >>> import numpy as np
    >>> with one_blas_thread():
    ...     np.eye(2) @ np.ones(2)
    array([1., 1.])
    """
    _guard.enter()
    try:
        yield
    finally:
        _guard.leave()


@lru_cache(maxsize=1)
def _libraries() -> list[Any]:
    """Return what is kept: looking for libraries costs more than encoding a block of rows."""
    return ThreadpoolController().select(user_api="blas").lib_controllers


def _set_threads(library: Any, n_threads: int) -> None:
    # The public way gives the control to one thread of the program and ignores all others, also
    # the one that leaves last and has to undo what the first has set.
    setter = getattr(library, "_real_set_num_threads", library.set_num_threads)
    setter(n_threads)
