"""The demo: both methods on the digits, two tables, and a page that needs no other file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from hashlearn._report.pictures import require_matplotlib
from hashlearn._report.writing import render_page
from hashlearn.cli._shared.console import console
from hashlearn.cli._shared.outputs import plain_table, print_table, step_progress
from hashlearn.cli.demo._page import demo_page
from hashlearn.experiments.digits import (
    MEASURES,
    Retrieval,
    Split,
    first_of_each_digit,
    retrieve,
    split_digits,
)
from hashlearn.files import atomic_writer, check_writable
from hashlearn.methods.lsh import LSHHasher
from hashlearn.two_step import TwoStepHasher

N_PRINTED = 5  # queries, and neighbours of each
METHODS = {"two-step hashing": TwoStepHasher, "random projections": LSHHasher}


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
        page = demo_page(split, results, _command(output, bits, seed))
        with atomic_writer(output) as file:
            file.write(render_page(page).html.encode())
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
