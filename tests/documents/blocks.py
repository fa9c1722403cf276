"""The fenced blocks of a Markdown document, in order: what a reader sees, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

FENCE = re.compile(r" *(?P<marks>`{3,}|~{3,})(?P<info>[^`]*)")
SAVE_AS = re.compile(r"\bSave this as `(?P<name>[\w.-]+)`:$")


class Block(NamedTuple):
    """A block: its language, its text, the line before it, and the file that it is saved as.

    A block of language "text" that is marked as `text prints` is what the block before it prints.
    """

    language: str
    code: str
    line: int
    prints: bool = False
    file: str = ""


def read_blocks(path: Path) -> list[Block]:
    """Return the blocks of a document."""
    text = re.sub(r"<!--.*?-->", _blank, path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return list(_blocks(iter(enumerate(text.splitlines(), start=1))))


def _blank(comment: re.Match[str]) -> str:
    """Return as many empty lines as a comment has, which a reader does not see."""
    return "\n" * comment[0].count("\n")


def _blocks(lines: Iterator[tuple[int, str]]) -> Iterator[Block]:
    said = ""  # the last line of text before a block
    for number, line in lines:
        if opening := FENCE.fullmatch(line):
            language, *marks = opening["info"].split() or [""]
            code = _until(opening["marks"], lines, number)
            named = SAVE_AS.search(said)
            yield Block(language, code, number, "prints" in marks, named["name"] if named else "")
            said = ""
        elif line.strip():
            said = line.strip()


def _until(end: str, lines: Iterator[tuple[int, str]], first: int) -> str:
    """Return the lines before the one that is the end."""
    inside = []
    for _, line in lines:
        if line.strip() == end:
            return dedent("\n".join(inside)) + "\n"
        inside.append(line)
    raise ValueError(f"the block of line {first} has no end")
