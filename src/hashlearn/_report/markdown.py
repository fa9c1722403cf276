"""Markdown of a page, with links to its pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hashlearn._report.content import Cell, Page, Part, Table, paragraphs


def page_markdown(page: Page) -> str:
    """Return a page; its pictures are ``figures/NAME.png``."""
    blocks = [
        f"# {escape(page.title)}",
        *map(escape, paragraphs(page.lead)),
        *map(escape, page.notes),
        *map(_part, page.parts),
        escape(page.origin),
        _listing(page.command),
    ]
    return "\n\n".join(blocks) + "\n"


def table_markdown(table: Table) -> str:
    """Return a table as Markdown, with the small text of a cell in brackets."""
    others = len(table.columns) - 1
    lines = [_line(map(escape, table.columns)), _line(["---", *["---:"] * others])]
    for section in table.sections:
        if section.title:
            lines.append(_line([f"*{escape(section.title)}*", *[""] * others]))
        lines += [_line(map(_cell, row)) for row in section.rows]
    title = f"**{escape(table.title)}**" if table.title else ""
    return "\n\n".join(filter(None, [title, "\n".join(lines), escape(table.note)]))


def escape(text: str) -> str:
    r"""Return a text with the special characters of Markdown escaped."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", " ".join(text.split()))


def _part(part: Part) -> str:
    blocks = [f"## {escape(part.title)}", *map(escape, paragraphs(part.text))]
    definitions = [f"- **{escape(term)}**: {escape(text)}" for term, text in part.definitions]
    blocks += ["\n".join(definitions)] if definitions else []
    blocks += map(table_markdown, part.tables)
    for picture in part.pictures:
        caption = escape(picture.caption)
        blocks += [f"![{caption}](figures/{picture.name}.png)", f"*{caption}*"]
    blocks += map(_listing, part.listings)
    return "\n\n".join(blocks)


def _listing(text: str) -> str:
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _cell(cell: Cell) -> str:
    text, aside = escape(cell.text), escape(cell.aside)
    if cell.strong:
        text = f"**{text}**"
    if not aside:
        return text
    # Nested brackets are hard to read.
    return f"{text} ({aside})" if "(" not in aside else f"{text}; {aside}"


def _line(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"
