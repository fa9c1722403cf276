"""Numbers as people read them."""

from __future__ import annotations

from collections.abc import Sequence

from hashlearn.experiments.report.content import Cell
from hashlearn.experiments.summaries import Spread

MISSING = "n/a"
NOTHING = "–"


def share_text(spread: Spread) -> str:
    """Return a measure between 0 and 1 with its spread.

    Examples
    --------
    >>> share_text(Spread(0.8612, 0.004, 3)), share_text(Spread(0.5, None, 1))
    ('0.861 ± 0.004', '0.500')
    >>> share_text(Spread(None, None, 0))
    'n/a'
    """
    if spread.mean is None:
        return MISSING
    return f"{spread.mean:.3f}" + ("" if spread.std is None else f" ± {spread.std:.3f}")


def share_cell(spread: Spread, published: float | None = None) -> Cell:
    """Return a measure between 0 and 1, with the paper's number beside it where it prints one.

    Examples
    --------
    >>> share_cell(Spread(0.8612, None, 1), 0.843)
    Cell(text='0.861', aside='paper 0.843')
    """
    return Cell(share_text(spread), paper_aside(published))


def paper_aside(published: float | None) -> str:
    """Return the paper's number as it stands beside ours."""
    return "" if published is None else f"paper {published:.3f}"


def time_text(spread: Spread) -> str:
    """Return a time with its spread, in as many digits as say something.

    Examples
    --------
    >>> time_text(Spread(341.2, 2.5, 3)), time_text(Spread(0.00421, None, 1))
    ('341 ± 2', '0.0042')
    """
    if spread.mean is None:
        return MISSING
    decimals = _decimals(spread.mean)
    text = f"{spread.mean:.{decimals}f}"
    return text if spread.std is None else f"{text} ± {spread.std:.{decimals}f}"


def _decimals(value: float) -> int:
    """Return how many decimals give two or three digits.

    Examples
    --------
    >>> [_decimals(value) for value in (341.2, 34.1, 3.4, 0.34, 0.0042, 0.0)]
    [0, 1, 2, 2, 4, 2]
    """
    if value >= 100:
        return 0
    if value >= 10:
        return 1
    decimals = 2
    while decimals < 6 and 0 < value < 10.0 ** (1 - decimals):
        decimals += 1
    return decimals


def count_text(least: int, greatest: int) -> str:
    """Return a count, or its range.

    Examples
    --------
    >>> count_text(68000, 68000), count_text(17000, 19000)
    ('68,000', '17,000 to 19,000')
    """
    return f"{least:,}" if least == greatest else f"{least:,} to {greatest:,}"


def list_text(values: Sequence[object]) -> str:
    """Return values with commas between them.

    Examples
    --------
    >>> list_text([0, 1, 2])
    '0, 1, 2'
    """
    return ", ".join(map(str, values))
