"""How loops are compiled: to run without the GIL, and to be kept on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function, **options: Any) -> Function:
    """Compile a function at its first call, and keep it for later programs.

    Parameters
    ----------
    function : callable
        A loop over arrays, as Numba takes it.
    **options
        Further options of `numba.njit`.

    Returns
    -------
    function : callable
        Compiled anew in every program where neither the folder of its file nor the user's cache
        can be written; `NUMBA_CACHE_DIR` names another.

    Examples
    --------
    >>> @compiled
    ... def add(a, b):
    ...     return a + b
    >>> add(1, 2)
    3
    """
    try:
        return njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # there is no place to keep it
        return njit(nogil=True, **options)(function)
