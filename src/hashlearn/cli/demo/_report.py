"""The report of the demo: one HTML page that needs no other file and no network."""

from __future__ import annotations

import os
import platform
from html import escape
from importlib import resources
from importlib.metadata import version
from string import Template

import numpy as np

from hashlearn.experiments.digits import (
    MEASURES,
    N_TRAINING,
    Retrieval,
    Split,
    first_of_each_digit,
)
from hashlearn.experiments.pictures import (
    figure_to_data_uri,
    plot_neighbours,
    plot_precision_recall,
)
from hashlearn.files import atomic_writer

N_NEIGHBOURS = 10
N_WORST = 5
PACKAGES = ("hashlearn", "numpy", "scipy", "scikit-learn", "numba", "matplotlib")


def write_report(
    path: str | os.PathLike[str], split: Split, results: list[Retrieval], *, command: str
) -> None:
    """Write the report of an experiment on digits, whole or not at all.

    The first of the results is the one that the report is about; `command` makes it again.
    """
    page = render_report(split, results, command)
    with atomic_writer(path) as file:
        file.write(page.encode())


def render_report(split: Split, results: list[Retrieval], command: str) -> str:
    """Return the report as an HTML page."""
    learned = results[0]
    n_bits = learned.hasher.n_bits
    samples = first_of_each_digit(split.queries.y)
    template = resources.files(__package__).joinpath("_report.html")
    return Template(template.read_text(encoding="utf-8")).substitute(
        n_bits=n_bits,
        n_bytes=_count(learned.query_codes.shape[1], "byte"),
        item_bytes=split.database.X[0].nbytes,
        n_queries=len(split.queries.y),
        n_training=f"{N_TRAINING:,}",
        n_database=f"{len(split.database.y):,}",
        measures=_measures_table(results),
        curves=_curves_uri(results),
        neighbours="\n".join(_neighbours(result, split, samples) for result in results),
        worst=_neighbours(learned, split, _worst_queries(learned, split)),
        summary=escape(str(learned.hasher.summary())),
        versions=escape(", ".join(_versions())),
        command=escape(command),
    )


def _measures_table(results: list[Retrieval]) -> str:
    """Return the table of measures: one row each, with its meaning, and one column per method."""
    rows = [_row("th", "measure", [result.name for result in results])]
    for measure in MEASURES.values():
        title = f"{escape(measure.title)}<small>{escape(measure.meaning)}</small>"
        rows.append(
            _row("td", title, [f"{result.measures[measure.title]:.3f}" for result in results])
        )
    rows.append(_row("td", "seconds to learn", [f"{result.seconds:.2f}" for result in results]))
    return "\n".join(rows)


def _row(tag: str, title: str, texts: list[str]) -> str:
    """Return one row of the table; `title` is HTML, the texts are not."""
    cells = "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)
    return f'<tr><th scope="row">{title}</th>{cells}</tr>'


def _curves_uri(results: list[Retrieval]) -> str:
    """Return the picture of all precision-recall curves."""
    curves = {result.name: (result.curve.recall, result.curve.precision) for result in results}
    return figure_to_data_uri(plot_precision_recall(curves))


def _neighbours(result: Retrieval, split: Split, rows: np.ndarray) -> str:
    """Return a figure of some queries with their neighbours, and the number of wrong ones."""
    _, positions = result.search(rows, N_NEIGHBOURS)
    queries, found = split.queries[rows], split.database[positions]
    wrong = found.y != queries.y[:, None]
    uri = figure_to_data_uri(plot_neighbours(queries.images, found.images, wrong), "png")
    caption = f"{result.name}: {wrong.sum()} of {wrong.size} neighbours are wrong"
    return (
        f'<figure><img src="{uri}" alt="{escape(caption)}">'
        f"<figcaption>{escape(caption)}.</figcaption></figure>"
    )


def _worst_queries(result: Retrieval, split: Split) -> np.ndarray:
    """Return the queries with the most wrong neighbours, the worst first."""
    _, positions = result.search(np.arange(len(split.queries.y)), N_NEIGHBOURS)
    n_wrong = (split.database.y[positions] != split.queries.y[:, None]).sum(axis=1)
    return np.argsort(-n_wrong, kind="stable")[:N_WORST]


def _versions() -> list[str]:
    """Return the versions that the report was made with."""
    return [f"Python {platform.python_version()}"] + [
        f"{name} {version(name)}" for name in PACKAGES
    ]


def _count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
