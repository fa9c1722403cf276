"""HTML of a page: one file that needs no other."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from itertools import groupby
from string import Template

from hashlearn._report.content import Cell, Page, Part, Picture, Table, paragraphs

PIXELS_PER_INCH = 96  # of CSS: texts of all pictures have one size, and are sharp on fine screens


def page_html(page: Page, pictures: Mapping[str, bytes]) -> str:
    """Return a page with its pictures embedded, PNG files by name."""
    template = resources.files(__package__).joinpath("page.html")
    return Template(template.read_text(encoding="utf-8")).substitute(
        title=escape(page.title),
        lead=_paragraphs(page.lead),
        notes="\n".join(f'<p class="remark">{escape(note)}</p>' for note in page.notes),
        contents="\n".join(_link(part) for part in page.parts),
        parts="\n\n".join(_part(part, pictures) for part in page.parts),
        origin=escape(page.origin),
        command=_listing(page.command),
    )


def table_html(table: Table) -> str:
    """Return a table, with its title above and its note below."""
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in table.columns)
    lines = [f"<h3>{escape(table.title)}</h3>"] if table.title else []
    lines += ['<div class="scroll"><table>', f"<thead><tr>{head}</tr></thead>"]
    for section in table.sections:
        lines.append("<tbody>")
        if section.title:
            span = len(table.columns)
            lines.append(
                f'<tr class="group"><th colspan="{span}">{escape(section.title)}</th></tr>'
            )
        lines += map(_row, section.rows)
        lines.append("</tbody>")
    lines.append("</table></div>")
    if table.note:
        lines.append(f'<p class="note">{escape(table.note)}</p>')
    return "\n".join(lines)


def _part(part: Part, pictures: Mapping[str, bytes]) -> str:
    blocks = [f'<h2 id="{_anchor(part)}">{escape(part.title)}</h2>', _paragraphs(part.text)]
    if part.definitions:
        blocks += ["<dl>", *(_definition(*both) for both in part.definitions), "</dl>"]
    blocks += map(table_html, part.tables)
    for wide, group in groupby(part.pictures, key=lambda picture: picture.wide):
        figures = [_figure(picture, pictures[picture.name]) for picture in group]
        blocks += figures if wide else ['<div class="grid">', *figures, "</div>"]
    blocks += map(_listing, part.listings)
    return "\n".join(["<section>", *filter(None, blocks), "</section>"])


def _paragraphs(text: str) -> str:
    return "\n".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs(text))


def _definition(term: str, meaning: str) -> str:
    return f"<dt>{escape(term)}</dt><dd>{escape(meaning)}</dd>"


def _row(cells: Sequence[Cell]) -> str:
    title, *others = map(_content, cells)
    return f'<tr><th scope="row">{title}</th>{"".join(f"<td>{cell}</td>" for cell in others)}</tr>'


def _content(cell: Cell) -> str:
    text = f"<strong>{escape(cell.text)}</strong>" if cell.strong else escape(cell.text)
    return text + (f" <small>{escape(cell.aside)}</small>" if cell.aside else "")


def _figure(picture: Picture, content: bytes) -> str:
    source = f"data:image/png;base64,{b64encode(content).decode()}"
    width = round(picture.figure.get_figwidth() * min(picture.dpi, PIXELS_PER_INCH))
    caption = escape(picture.caption)
    return (
        f'<figure><img src="{source}" width="{width}" alt="{caption}">'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _listing(text: str) -> str:
    return f'<div class="scroll"><pre>{escape(text)}</pre></div>'


def _link(part: Part) -> str:
    return f'<li><a href="#{_anchor(part)}">{escape(part.title)}</a></li>'


def _anchor(part: Part) -> str:
    return escape(f"part-{part.name}")
