"""What a report consists of, before it is a page: parts with text, tables, pictures and rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hashlearn.experiments.summaries import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 140  # a page-wide picture has some 1,400 pixels and less than 120 kB
ImagesOf = Callable[[str], np.ndarray | None]


class Cell(NamedTuple):
    """A table cell: a text, and what stands beside it in small, such as the paper's number."""

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
    """A figure with the name of its file, without ending, and what it shows."""

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
    """What parts are made from: all results, and where images come from."""

    results: list[Result]
    images_of: ImagesOf
