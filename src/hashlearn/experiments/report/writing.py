"""The files of a report, each whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from hashlearn.experiments.report.content import ImagesOf
from hashlearn.experiments.report.rendering import PARTS, render
from hashlearn.experiments.summaries import Record
from hashlearn.files import atomic_writer


def write_report(
    folder: str | os.PathLike[str],
    records: Iterable[Record],
    parts: Sequence[str] = tuple(PARTS),
    *,
    command: str,
    images_of: ImagesOf = lambda dataset: None,
    notes: Sequence[str] = (),
) -> Path:
    """Write a report: ``report.html``, ``report.md``, ``figures/*.png`` and ``data/*.jsonl``.

    Parameters
    ----------
    folder : str or path-like
        Is made where it is not there.
    records, parts, command, images_of, notes
        See :func:`render`.

    Returns
    -------
    path : Path
        The HTML page.
    """
    report = render(records, parts, command=command, images_of=images_of, notes=notes)
    folder = Path(folder)
    for part in (folder / "figures", folder / "data"):
        part.mkdir(parents=True, exist_ok=True)
    for name, content in report.figures.items():
        _write(folder / "figures" / f"{name}.png", content)
    for name, rows in report.rows.items():
        _write(folder / "data" / f"{name}.jsonl", rows.encode())
    # The pages come last: what they name is there.
    _write(folder / "report.md", report.markdown.encode())
    _write(folder / "report.html", report.html.encode())
    return folder / "report.html"


def _write(path: Path, content: bytes) -> None:
    with atomic_writer(path) as file:
        file.write(content)
