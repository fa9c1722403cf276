"""The report of the experiments: one HTML page, Markdown, pictures and JSON lines."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hashlearn.experiments.pictures import figure_to_bytes, shrink_png
from hashlearn.experiments.report import html, markdown
from hashlearn.experiments.report.all_labels import all_labels
from hashlearn.experiments.report.bits import large_sets, over_bits
from hashlearn.experiments.report.content import ImagesOf, Material, Part
from hashlearn.experiments.report.examples import examples
from hashlearn.experiments.report.hash_functions import hash_functions
from hashlearn.experiments.report.json_rows import as_json_lines
from hashlearn.experiments.report.overview import runs_table, selections_table, versions
from hashlearn.experiments.report.printed_tables import quality, training_time
from hashlearn.experiments.report.tables import MEASURES
from hashlearn.experiments.report.unseen import unseen_classes
from hashlearn.experiments.summaries import Record, summarise
from hashlearn.files import atomic_writer

TITLE = "Two-step hashing: the paper's experiments"
LEAD = (
    "Tables and figures of “A General Two-Step Approach to Learning-Based Hashing” (Lin, Shen, "
    "Suter, van den Hengel, ICCV 2013), measured again, with the paper's numbers next to ours."
)


class PartKind(NamedTuple):
    """A function that builds a part, and the data that it needs."""

    build: Callable[[Material], Part]
    needs: str


PARTS = {
    "1": PartKind(quality, "data with labels"),
    "2": PartKind(training_time, "data with labels"),
    "bits": PartKind(over_bits, "data with labels"),
    "hash-functions": PartKind(hash_functions, "data with labels, and two-step hashing"),
    "large": PartKind(large_sets, "CIFAR-10, data without labels, or --table large"),
    "unseen": PartKind(unseen_classes, "data with labels of at least four classes"),
    "all-labels": PartKind(all_labels, "data with labels, and two-step hashing"),
    "examples": PartKind(examples, "data with images"),
}


@dataclass(frozen=True)
class Report:
    """The files of a report."""

    html: str  # with the pictures embedded
    markdown: str  # with links to the pictures
    figures: dict[str, bytes]  # PNG files by name, without suffix
    rows: dict[str, str]  # JSON lines by part


def render(
    records: Iterable[Record],
    parts: Sequence[str] = tuple(PARTS),
    *,
    command: str,
    images_of: ImagesOf = lambda dataset: None,
    notes: Sequence[str] = (),
) -> Report:
    """Return the report of records, in any order; the same records give the same bytes.

    `command` makes the same report, `images_of` returns the images of a data set or None, `notes`
    are remarks at the top.
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
        html=html.page(
            [(part, [figures[name] for name in names[part.name]]) for part in built],
            measures=MEASURES.values(),
            overview=tables,
            facts=facts,
            notes=notes,
        ),
        markdown=markdown.page(
            [(part, names[part.name]) for part in built],
            measures=MEASURES.values(),
            overview=tables,
            facts=facts,
            notes=notes,
        ),
        figures=figures,
        rows={part.name: as_json_lines(part.rows) for part in built},
    )


def write_report(
    folder: str | os.PathLike[str],
    records: Iterable[Record],
    parts: Sequence[str] = tuple(PARTS),
    *,
    command: str,
    images_of: ImagesOf = lambda dataset: None,
    notes: Sequence[str] = (),
) -> Path:
    """Write a report: ``report.html``, ``report.md``, ``figures/*.png`` and ``data/*.jsonl``."""
    report = render(records, parts, command=command, images_of=images_of, notes=notes)
    folder = Path(folder)
    for part in (folder / "figures", folder / "data"):
        part.mkdir(parents=True, exist_ok=True)
    for name, content in report.figures.items():
        _write(folder / "figures" / f"{name}.png", content)
    for name, rows in report.rows.items():
        _write(folder / "data" / f"{name}.jsonl", rows.encode())
    # The pages come last, when the files they refer to exist.
    _write(folder / "report.md", report.markdown.encode())
    _write(folder / "report.html", report.html.encode())
    return folder / "report.html"


def check_parts(parts: Sequence[str]) -> None:
    """Raise if a part is not known, or given twice."""
    for name in parts:
        if name not in PARTS:
            known = ", ".join(map(repr, PARTS))
            raise ValueError(f"parts must be some of {known}; got {name!r}.")
    if len(set(parts)) < len(parts):
        raise ValueError(f"parts must be distinct; got {list(parts)!r}.")


def _build(name: str, material: Material) -> Part:
    part = PARTS[name].build(material)
    if part.tables or part.pictures:
        return part
    return Part(name, part.title, f"Nothing to show. This part needs {PARTS[name].needs}.")


def _file_names(parts: Sequence[Part]) -> dict[str, list[str]]:
    """Return a distinct file name for every picture, by part."""
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


def _write(path: Path, content: bytes) -> None:
    with atomic_writer(path) as file:
        file.write(content)
