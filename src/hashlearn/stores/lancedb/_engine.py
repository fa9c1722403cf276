"""LanceDB itself: imported when needed, its errors as sentences, its old versions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from types import ModuleType
from typing import Any

from hashlearn.stores.errors import StoreError

_SOURCE = re.compile(r",?\s*/\S+\.rs:\d+:\d+")  # places in LanceDB's own source
_KIND = re.compile(r"(lance error|LanceError\(\w+\)|Wrapped error|Generic \S+ error): ?")
_CONFLICT = re.compile(r"conflict|concurrent|contention", flags=re.IGNORECASE)
MAX_LENGTH = 300  # characters of a message
KEPT = timedelta(days=1)  # longer than any read lasts
SLACK = timedelta(seconds=1)  # between the clock here and there


def import_lancedb() -> ModuleType:
    """Return LanceDB's package."""
    os.environ.setdefault("LANCEDB_LOG", "error")  # it warns of empty tables and partitions
    try:
        import lancedb
    except ImportError as error:
        raise ImportError(
            "A store in LanceDB needs lancedb: pip install 'hashlearn[lancedb]'."
        ) from error
    return lancedb


@contextmanager
def as_store_errors(subject: object) -> Iterator[None]:
    """Turn what LanceDB raises into a StoreError about `subject`."""
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
        return "other programs keep writing to it; try again later"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:MAX_LENGTH].rstrip(" .,:")


def age_to_remove(versions: Iterable[Mapping[str, Any]], now: datetime | None = None) -> timedelta:
    """Return the age beyond which versions of a table can be removed.

    The version that was the newest a day ago may still be read, however old it is.
    """
    now = now or datetime.now()
    replaced = [version["timestamp"] for version in versions if version["timestamp"] < now - KEPT]
    return now - max(replaced, default=now - KEPT) + SLACK
