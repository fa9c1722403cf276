"""Content of a report before it is a page: parts with text, tables, pictures and rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hashlearn.experiments.summaries import Result, Spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 140  # a page-wide picture has some 1,400 pixels and less than 120 kB
MISSING = "n/a"
NOTHING = "–"
ImagesOf = Callable[[str], np.ndarray | None]


class Cell(NamedTuple):
    """A table cell: a text, and a small text beside it, such as the paper's number."""

    text: str
    aside: str = ""


class Section(NamedTuple):
    """Rows of a table under a common heading; the first cell of a row is its title."""

    title: str
    rows: list[list[Cell]]


@dataclass(frozen=True)
class Table:
    """A table with named columns, its rows in sections."""

    title: str
    columns: list[str]
    sections: list[Section]
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure with its caption and the name of its file, without suffix."""

    name: str
    caption: str
    figure: Figure
    dpi: int = DPI


@dataclass(frozen=True)
class Part:
    """One table or figure of the paper: text, tables, pictures, and rows for machines."""

    name: str
    title: str
    text: str
    tables: list[Table] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Material:
    """The material of all parts: the results, and the images of each data set."""

    results: list[Result]
    images_of: ImagesOf


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
    """Return a measure between 0 and 1, with the paper's number beside it if there is one.

    Examples
    --------
    >>> share_cell(Spread(0.8612, None, 1), 0.843)
    Cell(text='0.861', aside='paper 0.843')
    """
    return Cell(share_text(spread), paper_aside(published))


def paper_aside(published: float | None) -> str:
    """Return the text of the paper's number beside ours."""
    return "" if published is None else f"paper {published:.3f}"


def time_text(spread: Spread) -> str:
    """Return a time with its spread, in two or three significant digits.

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
    """Return the number of decimals that gives two or three digits.

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
