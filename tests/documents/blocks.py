"""The fenced blocks of a Markdown document, in order, and its invisible set-ups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

FENCE = re.compile(r" *(?P<marks>`{3,}|~{3,})(?P<info>[^`]*)")
SET_UP = "<!-- set-up"


class Block(NamedTuple):
    """A block: its language ("set-up" for an invisible one), its text, and the line before it.

    A block of language "text" that is marked as `text prints` is what the block before it prints.
    """

    language: str
    code: str
    line: int
    prints: bool = False


def read_blocks(path: Path) -> list[Block]:
    """Return the blocks of a document."""
    lines = iter(enumerate(path.read_text(encoding="utf-8").splitlines(), start=1))
    return list(_blocks(lines))


def _blocks(lines: Iterator[tuple[int, str]]) -> Iterator[Block]:
    for number, line in lines:
        if line.startswith(SET_UP):
            yield Block("set-up", _until("-->", lines, number), number)
        elif opening := FENCE.fullmatch(line):
            language, *marks = opening["info"].split() or [""]
            code = _until(opening["marks"], lines, number)
            yield Block(language, code, number, "prints" in marks)


def _until(end: str, lines: Iterator[tuple[int, str]], first: int) -> str:
    """Return the lines before the one that is the end."""
    inside = []
    for _, line in lines:
        if line.strip() == end:
            return dedent("\n".join(inside)) + "\n"
        inside.append(line)
    raise ValueError(f"the block of line {first} has no end")
