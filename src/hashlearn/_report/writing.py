"""The files of a page: HTML, Markdown, pictures and JSON lines."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hashlearn._report.content import Page
from hashlearn._report.html import page_html
from hashlearn._report.markdown import page_markdown
from hashlearn._report.pictures import figure_to_bytes, shrink_png
from hashlearn.files import atomic_writer


@dataclass(frozen=True)
class Report:
    """The files of a page, before they are written."""

    html: str  # with the pictures embedded
    markdown: str  # with links to the pictures
    figures: dict[str, bytes]  # PNG files by name, without suffix
    rows: dict[str, str]  # JSON lines by part


def render_page(page: Page) -> Report:
    """Return the files of a page; `html` needs none of the others."""
    page = _with_file_names(page)
    figures = {
        picture.name: shrink_png(figure_to_bytes(picture.figure, dpi=picture.dpi))
        for part in page.parts
        for picture in part.pictures
    }
    return Report(
        html=page_html(page, figures),
        markdown=page_markdown(page),
        figures=figures,
        rows={part.name: _json_lines(part.rows) for part in page.parts},
    )


def write_page(folder: str | os.PathLike[str], page: Page) -> Path:
    """Write a page into a folder, and return the path of its HTML."""
    return write_files(folder, render_page(page))


def write_files(folder: str | os.PathLike[str], report: Report) -> Path:
    """Write ``report.html``, ``report.md``, ``figures/*.png`` and ``data/*.jsonl``."""
    folder = Path(folder)
    for name, content in report.figures.items():
        _write(folder / "figures" / f"{name}.png", content)
    for name, rows in report.rows.items():
        path = folder / "data" / f"{name}.jsonl"
        if rows:
            _write(path, rows.encode())
        else:
            path.unlink(missing_ok=True)  # of an earlier page
    # The pages come last, when the files they refer to exist.
    _write(folder / "report.md", report.markdown.encode())
    _write(folder / "report.html", report.html.encode())
    return folder / "report.html"


def _with_file_names(page: Page) -> Page:
    """Return the page with distinct file names as the names of its pictures."""
    taken: set[str] = set()
    parts = []
    for part in page.parts:
        pictures = []
        for picture in part.pictures:
            plain = re.sub(r"[^a-z0-9]+", "-", picture.name.lower()).strip("-")
            number, name = 1, plain
            while name in taken:
                number += 1
                name = f"{plain}-{number}"
            taken.add(name)
            pictures.append(replace(picture, name=name))
        parts.append(replace(part, pictures=pictures))
    return replace(page, parts=parts)


def _json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path) as file:
        file.write(content)
