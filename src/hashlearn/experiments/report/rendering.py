"""From records to a report: parts, pictures, one HTML page, Markdown, and rows for machines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hashlearn.experiments.pictures import figure_to_bytes
from hashlearn.experiments.report.all_labels import all_labels
from hashlearn.experiments.report.bits import large_sets, over_bits
from hashlearn.experiments.report.content import ImagesOf, Material, Part, Table
from hashlearn.experiments.report.examples import examples
from hashlearn.experiments.report.hash_functions import hash_functions
from hashlearn.experiments.report.html import page
from hashlearn.experiments.report.json_rows import as_json_lines
from hashlearn.experiments.report.markdown import escape, part_markdown, table_markdown
from hashlearn.experiments.report.overview import runs_table, selections_table, versions
from hashlearn.experiments.report.png import shrink_png
from hashlearn.experiments.report.quality import quality
from hashlearn.experiments.report.tables import MEASURES
from hashlearn.experiments.report.training_time import training_time
from hashlearn.experiments.report.unseen import unseen_classes
from hashlearn.experiments.summaries import Record, summarise

TITLE = "Two-step hashing: the paper's experiments"
LEAD = (
    "Tables and figures of “A General Two-Step Approach to Learning-Based Hashing” (Lin, Shen, "
    "Suter, van den Hengel, ICCV 2013), measured again, with the paper's numbers beside ours."
)


class PartKind(NamedTuple):
    """How a part is built, and what it needs."""

    build: Callable[[Material], Part]
    needs: str


PARTS = {
    "1": PartKind(quality, "data with labels"),
    "2": PartKind(training_time, "data with labels"),
    "bits": PartKind(over_bits, "data with labels"),
    "hash-functions": PartKind(hash_functions, "data with labels, and two-step hashing"),
    "large": PartKind(large_sets, "CIFAR-10, data without labels, or to be named by --table"),
    "unseen": PartKind(unseen_classes, "data with labels of at least four classes"),
    "all-labels": PartKind(all_labels, "data with labels, and two-step hashing"),
    "examples": PartKind(examples, "data with images"),
}


@dataclass(frozen=True)
class Report:
    """The files of a report.

    Attributes
    ----------
    html, markdown : str
        The whole report, once with its pictures inside, once with links to them.
    figures : dict of str to bytes
        PNG files by name, without ending.
    rows : dict of str to str
        JSON lines by part.
    """

    html: str
    markdown: str
    figures: dict[str, bytes]
    rows: dict[str, str]


def render(
    records: Iterable[Record],
    parts: Sequence[str] = tuple(PARTS),
    *,
    command: str,
    images_of: ImagesOf = lambda dataset: None,
    notes: Sequence[str] = (),
) -> Report:
    """Return the report of some records; the same records give the same bytes.

    Parameters
    ----------
    records : iterable of records
        Finished cells, in any order.
    parts : sequence of str
        Names of `PARTS`, in the order of the report.
    command : str
        What makes the report again.
    images_of : callable
        From a data set's name to all of its images, or None where it has none.
    notes : sequence of str
        Stand at the head of the report.

    Returns
    -------
    report : Report

    Examples
    --------
    >>> report = render([], ["unseen"], command="hashlearn paper --table unseen")
    >>> "This part needs data with labels of at least four classes" in report.html
    True
    """
    check_parts(parts)
    records = list(records)
    material = Material(summarise(records), images_of)
    built = [_build(name, material) for name in parts]
    names = _file_names(built)
    figures = {
        name: shrink_png(figure_to_bytes(picture.figure, dpi=picture.dpi))
        for part in built
        for name, picture in zip(names[part.name], part.pictures, strict=True)
    }
    overview = [runs_table(material.results), selections_table(material.results)]
    tables = [table for table in overview if table is not None]
    facts = {"title": TITLE, "lead": LEAD, "command": command, "versions": versions(records)}
    return Report(
        html=page(
            [(part, [figures[name] for name in names[part.name]]) for part in built],
            measures=MEASURES.values(),
            overview=tables,
            facts=facts,
            notes=notes,
        ),
        markdown=_markdown(built, names, tables, facts, notes),
        figures=figures,
        rows={part.name: as_json_lines(part.rows) for part in built},
    )


def check_parts(parts: Sequence[str]) -> None:
    """Raise if a part is not known, or comes twice."""
    for name in parts:
        if name not in PARTS:
            known = ", ".join(map(repr, PARTS))
            raise ValueError(f"parts has {name!r}, which is not known; it takes some of {known}.")
    if len(set(parts)) < len(parts):
        raise ValueError(f"parts={list(parts)!r} names a part twice; it takes each once.")


def _build(name: str, material: Material) -> Part:
    part = PARTS[name].build(material)
    if part.tables or part.pictures:
        return part
    return Part(name, part.title, f"Nothing to show. This part needs {PARTS[name].needs}.")


def _file_names(parts: Sequence[Part]) -> dict[str, list[str]]:
    """Return a file name for every picture; two data sets never share one."""
    taken: set[str] = set()
    names: dict[str, list[str]] = {}
    for part in parts:
        names[part.name] = []
        for picture in part.pictures:
            plain = re.sub(r"[^a-z0-9]+", "-", picture.name.lower()).strip("-")
            number, name = 1, plain
            while name in taken:
                number += 1
                name = f"{plain}-{number}"
            taken.add(name)
            names[part.name].append(name)
    return names


def _markdown(
    parts: Sequence[Part],
    names: dict[str, list[str]],
    overview: Sequence[Table],
    facts: dict[str, str],
    notes: Sequence[str],
) -> str:
    measures = [f"- **{escape(m.title)}**: {escape(m.meaning)}." for m in MEASURES.values()]
    fence = "`" * 3
    blocks = [
        f"# {escape(facts['title'])}",
        escape(facts["lead"]),
        *map(escape, notes),
        "## The measures",
        "1 is perfect.",
        "\n".join(measures),
        *(part_markdown(part, names[part.name]) for part in parts),
        "## How it was run",
        *map(table_markdown, overview),
        f"Made with {escape(facts['versions'])}, by this command:",
        f"{fence}\n{facts['command']}\n{fence}",
    ]
    return "\n\n".join(blocks) + "\n"
