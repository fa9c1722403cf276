"""Numbers of results as texts and cells."""

from __future__ import annotations

from collections.abc import Sequence

from hashlearn._report.content import Cell
from hashlearn.experiments.summaries import Spread

MISSING = "n/a"
NOTHING = "–"


def share_text(spread: Spread) -> str:
    """Return a measure between 0 and 1 with its spread."""
    if spread.mean is None:
        return MISSING
    return f"{spread.mean:.3f}" + ("" if spread.std is None else f" ± {spread.std:.3f}")


def share_cell(spread: Spread, published: float | None = None) -> Cell:
    """Return a measure between 0 and 1, with the paper's number next to it if there is one."""
    return Cell(share_text(spread), paper_aside(published))


def paper_aside(published: float | None) -> str:
    """Return the paper's number as a small text."""
    return "" if published is None else f"paper {published:.3f}"


def time_text(spread: Spread) -> str:
    """Return a time with its spread, in two or three significant digits."""
    if spread.mean is None:
        return MISSING
    decimals = _decimals(spread.mean)
    text = f"{spread.mean:.{decimals}f}"
    return text if spread.std is None else f"{text} ± {spread.std:.{decimals}f}"


def _decimals(value: float) -> int:
    """Return the number of decimals that gives two or three digits."""
    if value >= 100:
        return 0
    if value >= 10:
        return 1
    decimals = 2
    while decimals < 6 and 0 < value < 10.0 ** (1 - decimals):
        decimals += 1
    return decimals


def count_text(least: int, greatest: int) -> str:
    """Return a count, or its range."""
    return f"{least:,}" if least == greatest else f"{least:,} to {greatest:,}"


def list_text(values: Sequence[object]) -> str:
    """Return values with commas between them."""
    return ", ".join(map(str, values))
