"""The demo: both methods on the digits, two tables, and a report that needs no other file."""

from __future__ import annotations

import platform
import shlex
from html import escape
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from hashlearn.cli._shared.console import console
from hashlearn.cli._shared.outputs import plain_table, print_table, step_progress
from hashlearn.experiments.digits import (
    MEASURES,
    N_TRAINING,
    Retrieval,
    Split,
    first_of_each_digit,
    retrieve,
    split_digits,
)
from hashlearn.experiments.pictures import (
    figure_to_data_uri,
    plot_neighbours,
    plot_precision_recall,
    require_matplotlib,
)
from hashlearn.files import atomic_writer, check_writable
from hashlearn.methods.lsh import LSHHasher
from hashlearn.two_step import TwoStepHasher

N_PRINTED = 5  # queries, and neighbours of each
METHODS = {"two-step hashing": TwoStepHasher, "random projections": LSHHasher}
N_NEIGHBOURS = 10
N_WORST = 5
PACKAGES = ("hashlearn", "numpy", "scipy", "scikit-learn", "numba", "matplotlib")


def run_demo(output: Path, bits: int, seed: int, progress: bool | None) -> None:
    """Compare both methods, print two tables, and write the report to `output`."""
    require_matplotlib()
    check_writable(output)
    with step_progress(progress) as bar:
        task = bar.add_task("Reading digits", total=len(METHODS) + 2)
        split = split_digits(seed)
        results = []
        for name, method in METHODS.items():
            bar.update(task, advance=1, description=f"Learning codes: {name}")
            results.append(retrieve(name, method(n_bits=bits, random_state=seed), split))
        bar.update(task, advance=1, description="Writing the report")
        write_report(output, split, results, _command(output, bits, seed))
    print_table(measures_table(results), f"Retrieval of digits with {bits}-bit codes")
    title = f"Nearest items by {results[0].name}: digit (id, distance), wrong ones in red"
    print_table(neighbours_table(results[0], split), title)
    console().print(Text(f"Report: {output}"), soft_wrap=True)


def measures_table(results: list[Retrieval]) -> Table:
    """Return the four measures of the paper, one row per method."""
    table = plain_table()
    table.add_column("method", no_wrap=True)
    for measure in MEASURES.values():
        table.add_column(measure.title, justify="right")
    for result in results:
        table.add_row(result.name, *(f"{value:.3f}" for value in result.measures.values()))
    return table


def neighbours_table(result: Retrieval, split: Split) -> Table:
    """Return some queries with the digits, ids and distances of their nearest items."""
    table = plain_table()
    table.add_column("query")
    for rank in range(1, N_PRINTED + 1):
        table.add_column(str(rank))
    queries = first_of_each_digit(split.queries.y)[:N_PRINTED]
    distances, positions = result.search(queries, N_PRINTED)
    for query, row_distances, row_positions in zip(queries, distances, positions, strict=True):
        digit, found = split.queries.y[query], split.database[row_positions]
        neighbours = (
            Text(f"{y} ({item}, {distance})", style="bold red" if y != digit else "")
            for y, item, distance in zip(found.y, found.ids, row_distances, strict=True)
        )
        table.add_row(f"{digit} ({split.queries.ids[query]})", *neighbours)
    return table


def _command(output: Path, bits: int, seed: int) -> str:
    """Return the command that makes the same report."""
    words: list[Any] = ["hashlearn", "demo", "--output", output, "--bits", bits, "--seed", seed]
    return shlex.join(map(str, words))


def write_report(path: Path, split: Split, results: list[Retrieval], command: str) -> None:
    """Write an HTML page about the first of the results, whole; `command` makes it again."""
    learned = results[0]
    n_bytes = learned.query_codes.shape[1]
    samples = first_of_each_digit(split.queries.y)
    template = resources.files(__package__).joinpath("_report.html")
    page = Template(template.read_text(encoding="utf-8")).substitute(
        n_bits=learned.hasher.n_bits,
        n_bytes="1 byte" if n_bytes == 1 else f"{n_bytes} bytes",
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
    with atomic_writer(path) as file:
        file.write(page.encode())


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
