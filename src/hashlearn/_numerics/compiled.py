"""Compiled loops: run without the GIL, and kept on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from numba import njit
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function, **options: Any) -> Function:
    """Compile a function at its first call, and keep it on disk for later programs.

    It is compiled again in every program if neither the folder of its file nor the user's cache can
    be written; `NUMBA_CACHE_DIR` names another folder. Options are those of `numba.njit`.
    """
    try:
        return njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # no folder to keep it in
        return njit(nogil=True, **options)(function)


@contextmanager
def timed_compiling() -> Iterator[Callable[[], float]]:
    """Yield a function that returns the seconds of compiling so far; a second call needs none."""
    listener = event.TimingListener()
    with event.install_listener("numba:compile", listener):
        yield lambda: listener.duration if listener.done else 0.0
