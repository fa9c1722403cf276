"""Which versions of a table LanceDB may remove: those that nobody can still be reading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

KEPT = timedelta(days=1)  # longer than anybody reads
SLACK = timedelta(seconds=1)  # between the clock here and there


def age_to_remove(versions: Iterable[Mapping[str, Any]], now: datetime | None = None) -> timedelta:
    """Return the age beyond which versions of a table go.

    What was the newest version a day ago may have been read since, however old it is. Older ones
    were replaced more than a day ago.

    Parameters
    ----------
    versions : iterable of mapping
        The table's versions, each with its `timestamp`.
    now : datetime, optional
        The time; that of the clock unless given.

    Examples
    --------
    >>> days = [{"timestamp": datetime(2026, 1, day)} for day in (1, 5, 30)]
    >>> age_to_remove(days, now=datetime(2026, 1, 30, hour=12))
    datetime.timedelta(days=25, seconds=43201)
    """
    now = now or datetime.now()
    replaced = [version["timestamp"] for version in versions if version["timestamp"] < now - KEPT]
    return now - max(replaced, default=now - KEPT) + SLACK
