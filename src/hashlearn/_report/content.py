"""Content of a page: parts with texts, definitions, tables, pictures, listings and rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 140  # a page-wide picture has some 1,400 pixels and less than 120 kB


class Cell(NamedTuple):
    """A table cell: a text, a small text next to it, and whether it is emphasised."""

    text: str
    aside: str = ""
    strong: bool = False


class Section(NamedTuple):
    """Rows of a table under a common heading; the first cell of a row is its title."""

    title: str
    rows: list[list[Cell]]


@dataclass(frozen=True)
class Table:
    """A table with named columns, its rows in sections; titles may be empty."""

    title: str
    columns: list[str]
    sections: list[Section]
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure with its caption and the name of its file, without suffix.

    Pictures that are not `wide` are side by side where the page has room.
    """

    name: str
    caption: str
    figure: Figure
    dpi: int = DPI
    wide: bool = True


@dataclass(frozen=True)
class Part:
    """A part of a page, shown in the order of its attributes.

    The name, distinct and without spaces, is that of its anchor and of the file of its rows. An
    empty line separates the paragraphs of the text. Definitions are terms and their meanings,
    listings are shown as they are, and rows are JSON lines beside the page.
    """

    name: str
    title: str
    text: str = ""
    definitions: list[tuple[str, str]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    listings: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Page:
    """A page; `command` and `versions` (by package) made it, `notes` are remarks at its top."""

    title: str
    lead: str
    parts: Sequence[Part]
    command: str
    versions: Mapping[str, str]
    notes: Sequence[str] = ()

    @property
    def origin(self) -> str:
        """The sentence before the command."""
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return f"Made with {versions}, by this command:" if versions else "Made by this command:"


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, which empty lines separate."""
    return [paragraph for paragraph in re.split(r"\n\s*\n", text.strip()) if paragraph]
