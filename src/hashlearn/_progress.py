"""Progress messages and bars on standard error, silent by default."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def say(message: str, verbose: int) -> None:
    """Print a line on standard error if `verbose` is above 0."""
    if verbose:
        print(message, file=sys.stderr, flush=True)


def track(items: Iterable[Item], description: str, total: int, verbose: int) -> Iterator[Item]:
    """Yield the items, with a bar on standard error if `verbose` is above 0."""
    if not verbose:
        yield from items
        return
    from rich.console import Console
    from rich.progress import track as rich_track

    yield from rich_track(items, description, total=total, console=Console(stderr=True))
