"""Markdown of a report, with links to its pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from hashlearn.experiments.digits import Measure
from hashlearn.experiments.report.content import Cell, Part, Table


def page(
    parts: Sequence[tuple[Part, Sequence[str]]],
    *,
    measures: Iterable[Measure],
    overview: Sequence[Table],
    facts: Mapping[str, str],
    notes: Sequence[str],
) -> str:
    """Return the whole report; each part comes with the file names of its pictures."""
    definitions = [f"- **{escape(m.title)}**: {escape(m.meaning)}." for m in measures]
    fence = "`" * 3
    blocks = [
        f"# {escape(facts['title'])}",
        escape(facts["lead"]),
        *map(escape, notes),
        "## The measures",
        "1 is perfect.",
        "\n".join(definitions),
        *(part_markdown(part, names) for part, names in parts),
        "## How it was run",
        *map(table_markdown, overview),
        f"Made with {escape(facts['versions'])}, by this command:",
        f"{fence}\n{facts['command']}\n{fence}",
    ]
    return "\n\n".join(blocks) + "\n"


def table_markdown(table: Table) -> str:
    """Return a table as Markdown, with the small text of a cell in brackets."""
    lines = [_line(table.columns), _line(["---", *["---:"] * (len(table.columns) - 1)])]
    for section in table.sections:
        if section.title:
            lines.append(_line([f"*{escape(section.title)}*", *[""] * (len(table.columns) - 1)]))
        lines += [_line(map(_cell, row)) for row in section.rows]
    blocks = [f"**{escape(table.title)}**", "\n".join(lines)]
    return "\n\n".join([*blocks, escape(table.note)] if table.note else blocks)


def part_markdown(part: Part, names: Sequence[str]) -> str:
    """Return a part as Markdown; `names` are the files of its pictures."""
    blocks = [f"## {escape(part.title)}", escape(part.text)]
    blocks += map(table_markdown, part.tables)
    for picture, name in zip(part.pictures, names, strict=True):
        caption = escape(picture.caption)
        blocks += [f"![{caption}](figures/{name}.png)", f"*{caption}*"]
    return "\n\n".join(blocks)


def escape(text: str) -> str:
    r"""Return a text with the special characters of Markdown escaped."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", " ".join(text.split()))


def _cell(cell: Cell) -> str:
    text, aside = escape(cell.text), escape(cell.aside)
    if not aside:
        return text
    # Nested brackets are hard to read.
    return f"{text} ({aside})" if "(" not in aside else f"{text}; {aside}"


def _line(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"
