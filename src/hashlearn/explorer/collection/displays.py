"""Displays of items: as text, or by their ids; `images` has those of images."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from hashlearn.explorer.errors import NotThereError

MAX_SHOWN = 300  # characters of a line


class Display(Protocol):
    """How an item is shown: as an image, as text, or by its id alone."""

    @property
    def kind(self) -> Literal["image", "text", "id"]:
        """What an item is shown as."""

    def image(self, position: int) -> bytes:
        """Return a PNG file; only if the kind is "image"."""

    def text(self, position: int) -> str:
        """Return the text; only if the kind is "text"."""


class IdDisplay:
    """Items that are shown by their ids and labels alone."""

    kind: Literal["id"] = "id"

    def image(self, position: int) -> bytes:
        """Raise: there is no image."""
        raise NotThereError("The items of this collection have no images.")

    def text(self, position: int) -> str:
        """Raise: there is no text."""
        raise NotThereError("The items of this collection have no texts.")


class TextLines:
    """A line of text per item, shown up to its first 300 characters."""

    kind: Literal["text"] = "text"

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = [_cut(line) for line in lines]

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> TextLines:
        """Read the lines of a file in UTF-8; the last one may end without a line break."""
        data = Path(path).read_bytes()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise ValueError(
                f"'{path}' is not UTF-8 text: line {line:,} cannot be decoded."
            ) from None
        return cls([line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")])

    def __len__(self) -> int:
        return len(self.lines)

    def text(self, position: int) -> str:
        """Return an item's line."""
        return self.lines[position]

    def image(self, position: int) -> bytes:
        """Raise: there is no image."""
        raise NotThereError("The items of this collection have no images.")


def _cut(line: str) -> str:
    """Return a line, shortened if it is long."""
    return line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1].rstrip() + "…"
