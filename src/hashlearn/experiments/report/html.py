"""HTML of a report: one self-contained page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from string import Template

from hashlearn.experiments.digits import Measure
from hashlearn.experiments.pictures import as_data_uri
from hashlearn.experiments.report.content import Cell, Part, Table


def page(
    parts: Sequence[tuple[Part, Sequence[bytes]]],
    *,
    measures: Iterable[Measure],
    overview: Sequence[Table],
    facts: Mapping[str, str],
    notes: Sequence[str],
) -> str:
    """Return the page; each part comes with the PNG files of its pictures.

    `facts` are the template's other texts, `notes` remarks at the top.
    """
    template = resources.files(__package__).joinpath("report.html")
    return Template(template.read_text(encoding="utf-8")).substitute(
        contents="\n".join(_link(part) for part, _ in parts),
        notes="\n".join(f'<p class="remark">{escape(note)}</p>' for note in notes),
        measures="\n".join(_definition(measure) for measure in measures),
        parts="\n".join(part_html(part, pictures) for part, pictures in parts),
        overview="\n".join(map(table_html, overview)),
        **{name: escape(text) for name, text in facts.items()},
    )


def part_html(part: Part, pictures: Sequence[bytes]) -> str:
    """Return a part as a section of the page."""
    blocks = [f'<h2 id="{_anchor(part)}">{escape(part.title)}</h2>', f"<p>{escape(part.text)}</p>"]
    blocks += map(table_html, part.tables)
    for picture, content in zip(part.pictures, pictures, strict=True):
        caption = escape(picture.caption)
        blocks.append(
            f'<figure><img src="{as_data_uri(content, "png")}" alt="{caption}">'
            f"<figcaption>{caption}</figcaption></figure>"
        )
    return "\n".join(["<section>", *blocks, "</section>"])


def table_html(table: Table) -> str:
    """Return a table, with its title above and its note below."""
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in table.columns)
    lines = [
        f"<h3>{escape(table.title)}</h3>",
        '<div class="scroll"><table>',
        f"<thead><tr>{head}</tr></thead>",
    ]
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


def _row(cells: Sequence[Cell]) -> str:
    title, *others = map(_content, cells)
    return f'<tr><th scope="row">{title}</th>{"".join(f"<td>{cell}</td>" for cell in others)}</tr>'


def _content(cell: Cell) -> str:
    aside = f"<small>{escape(cell.aside)}</small>" if cell.aside else ""
    return escape(cell.text) + aside


def _definition(measure: Measure) -> str:
    return f"<dt>{escape(measure.title)}</dt><dd>{escape(measure.meaning)}</dd>"


def _link(part: Part) -> str:
    return f'<li><a href="#{_anchor(part)}">{escape(part.title)}</a></li>'


def _anchor(part: Part) -> str:
    return f"part-{part.name}"
