"""The last results that were asked for, as far as a number of bytes goes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock


class ByteCache:
    """Keeps bytes that take long to make; those not asked for longest go first.

    Parameters
    ----------
    max_bytes : int
        What all kept results have together, at most.

    Examples
    --------
    >>> cache = ByteCache(max_bytes=10)
    >>> cache.get("a", lambda: b"made")
    b'made'
    >>> cache.get("a", lambda: b"not made again")
    b'made'
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.n_bytes = 0
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._changing = Lock()

    def get(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """Return what is kept under a key, or else make it; two threads may make the same."""
        with self._changing:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._changing:
            self.n_bytes += len(made) - len(self._kept.pop(key, b""))
            self._kept[key] = made
            while self.n_bytes > self.max_bytes:
                self.n_bytes -= len(self._kept.popitem(last=False)[1])
        return made
