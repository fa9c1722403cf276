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
    """A table cell: a text, and a small text next to it, such as the paper's number."""

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
    """One table or figure of the paper: text, tables, pictures, and rows of JSON lines."""

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
