"""What LanceDB reports, as one sentence without the places in its own source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from hashlearn.stores.errors import StoreError

_SOURCE = re.compile(r",?\s*/\S+\.rs:\d+:\d+")  # where in LanceDB it happened
_KIND = re.compile(r"(lance error|LanceError\(\w+\)|Wrapped error|Generic \S+ error): ?")
_CONFLICT = re.compile(r"conflict|concurrent|contention", flags=re.IGNORECASE)
MAX_LENGTH = 300


@contextmanager
def told_of(subject: str) -> Iterator[None]:
    """Turn what LanceDB raises into a StoreError about `subject`.

    Examples
    --------
    >>> with told_of("<LanceStore 'items' in codes>"):
    ...     raise RuntimeError("lance error: LanceError(IO): disk full, /build/src/io.rs:12:34")
    Traceback (most recent call last):
    hashlearn.stores.errors.StoreError: <LanceStore 'items' in codes> failed: disk full.
    """
    try:
        yield
    except StoreError:
        raise
    except (RuntimeError, OSError, ValueError) as error:
        raise StoreError(f"{subject} failed: {_in_words(error)}.") from None


def is_not_found(error: ValueError) -> bool:
    """Tell whether LanceDB means that there is no such table."""
    return "not found" in str(error)


def _in_words(error: Exception) -> str:
    text = _KIND.sub("", _SOURCE.sub("", str(error)))
    if _CONFLICT.search(text):
        return "other programs write to it all the time, so try again later"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:MAX_LENGTH].rstrip(" .,:")
