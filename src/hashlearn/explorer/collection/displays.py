"""Items that are shown as a line of text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from hashlearn.explorer.errors import NotThereError

MAX_SHOWN = 300  # characters of a line


class TextLines:
    """A line of text per item, shown up to its first 300 characters.

    Parameters
    ----------
    lines : sequence of str
        One per item.

    Examples
    --------
    >>> TextLines(["a cat sits", "a dog runs"]).text(1)
    'a dog runs'
    """

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
            raise ValueError(f"'{path}' is no text in UTF-8: see its line {line:,}.") from None
        return cls([line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")])

    def __len__(self) -> int:
        return len(self.lines)

    def text(self, position: int) -> str:
        """Return an item's line."""
        return self.lines[position]

    def image(self, position: int) -> bytes:
        """Raise: there is no picture."""
        raise NotThereError(f"item={position} is a line of text: it has no picture.")


def _cut(line: str) -> str:
    """Return a line, its end left out if it is long.

    Examples
    --------
    >>> len(_cut("word " * 100))
    300
    """
    return line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1].rstrip() + "…"
