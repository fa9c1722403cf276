"""The report of the experiments: one HTML page, Markdown, pictures and JSON lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from hashlearn._report.content import Page, Part
from hashlearn._report.writing import Report, render_page, write_files
from hashlearn.experiments.report import overview
from hashlearn.experiments.report.all_labels import all_labels
from hashlearn.experiments.report.bits import large_sets, over_bits
from hashlearn.experiments.report.examples import examples
from hashlearn.experiments.report.first import first_places
from hashlearn.experiments.report.hash_functions import hash_functions
from hashlearn.experiments.report.material import ImagesOf, Material
from hashlearn.experiments.report.printed_tables import quality, training_time
from hashlearn.experiments.report.unseen import unseen_classes
from hashlearn.experiments.summaries import Record, summarise

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
    "first": PartKind(first_places, "results"),
    "1": PartKind(quality, "data with labels"),
    "2": PartKind(training_time, "data with labels"),
    "bits": PartKind(over_bits, "data with labels"),
    "hash-functions": PartKind(hash_functions, "data with labels, and two-step hashing"),
    "large": PartKind(large_sets, "CIFAR-10, data without labels, or --table large"),
    "unseen": PartKind(unseen_classes, "data with labels of at least four classes"),
    "all-labels": PartKind(all_labels, "data with labels, and two-step hashing"),
    "examples": PartKind(examples, "data with images"),
}


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
    page = Page(
        TITLE,
        LEAD,
        parts=[overview.measures(), *built, overview.runs(material.results)],
        command=command,
        versions=overview.versions(records),
        notes=notes,
    )
    return render_page(page)


def write_report(
    folder: str | os.PathLike[str],
    records: Iterable[Record],
    parts: Sequence[str] = tuple(PARTS),
    *,
    command: str,
    images_of: ImagesOf = lambda dataset: None,
    notes: Sequence[str] = (),
) -> Path:
    """Write a report into a folder, and return the path of its HTML page."""
    report = render(records, parts, command=command, images_of=images_of, notes=notes)
    return write_files(folder, report)


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
