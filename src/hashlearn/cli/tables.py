"""Tables for people, narrow enough for 80 columns."""

from __future__ import annotations

from rich import box
from rich.table import Table


def plain_table(title: str) -> Table:
    """Return an empty table with a title."""
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
