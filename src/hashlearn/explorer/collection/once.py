"""A small cache that computes each value once, even if many threads ask for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Any


class Once:
    """Least-recently-used cache: the first thread that asks for a key computes, others wait.

    `functools.lru_cache` would let each of them compute. Other keys are not blocked. An exception
    is raised in all waiting threads, and not cached.

    Parameters
    ----------
    size : int
        Number of values kept.

    Examples
    --------
    >>> once = Once(size=2)
    >>> once.get("square of 12", lambda: 12**2)
    144
    >>> once.get("square of 12", lambda: 1 / 0)
    144
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, Future[Any]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return the value of a key, computed by the first call."""
        with self._lock:
            value = self._kept.get(key)
            is_first = value is None
            if value is None:
                value = self._kept[key] = Future()
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)  # threads that wait for it keep a reference
        if is_first:
            self._fill(key, value, compute)
        return value.result()

    def _fill(self, key: Hashable, value: Future[Any], compute: Callable[[], Any]) -> None:
        try:
            value.set_result(compute())
        except BaseException as error:  # Ctrl-C too: other threads must not wait forever
            with self._lock:
                if self._kept.get(key) is value:
                    del self._kept[key]
            value.set_exception(error)
