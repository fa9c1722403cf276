"""`hashlearn demo`: learn codes for handwritten digits, measure, search, and report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from hashlearn.cli.demo_report import write_report
from hashlearn.experiments.digits import (
    MEASURES,
    Retrieval,
    Split,
    first_of_each_digit,
    retrieve,
    split_digits,
)
from hashlearn.experiments.pictures import require_matplotlib
from hashlearn.io import check_writable
from hashlearn.methods.lsh import LSHHasher
from hashlearn.two_step import TwoStepHasher

N_PRINTED = 5  # queries, and neighbours of each
MAX_SEED = 2**32 - 1  # numpy takes no larger one
METHODS = {"two-step hashing": TwoStepHasher, "random projections": LSHHasher}


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", dir_okay=False, help="The HTML report to write.")
    ] = Path("hashlearn-demo.html"),
    bits: Annotated[int, typer.Option(min=1, help="Bits per code.")] = 32,
    seed: Annotated[
        int, typer.Option(min=0, max=MAX_SEED, help="Seed of the split and of both methods.")
    ] = 0,
    progress: Annotated[
        bool | None,
        typer.Option(
            "--progress/--no-progress", help="Show a progress bar; default: on a terminal."
        ),
    ] = None,
) -> None:
    """Learn codes for scikit-learn's digits, compare them with random ones, write a report."""
    require_matplotlib()
    check_writable(output)
    with _progress_bar(progress) as bar:
        task = bar.add_task("Reading digits", total=len(METHODS) + 2)
        split = split_digits(seed)
        results = []
        for name, method in METHODS.items():
            bar.update(task, advance=1, description=f"Learning codes: {name}")
            results.append(retrieve(name, method(n_bits=bits, random_state=seed), split))
        bar.update(task, advance=1, description="Writing the report")
        write_report(output, split, results, command=_command(output, bits, seed))
    console = Console()
    console.print(measures_table(results, bits), neighbours_table(results[0], split), sep="\n")
    console.print(Text(f"Report: {output}"), soft_wrap=True)


def measures_table(results: list[Retrieval], n_bits: int) -> Table:
    """Return the four measures of the paper, one row per method."""
    table = _table(f"Retrieval of digits with {n_bits}-bit codes")
    table.add_column("method", no_wrap=True)
    for measure in MEASURES.values():
        table.add_column(measure.title, justify="right")
    for result in results:
        table.add_row(result.name, *(f"{value:.3f}" for value in result.measures.values()))
    return table


def neighbours_table(result: Retrieval, split: Split) -> Table:
    """Return some queries with the digits, ids and distances of their nearest items."""
    table = _table(f"Nearest items by {result.name}: digit (id, distance), wrong ones in red")
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


def _table(title: str) -> Table:
    """Return an empty table that is narrow enough for 80 columns."""
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)


def _progress_bar(wanted: bool | None) -> Progress:
    """Return a progress bar on standard error, by default shown on a terminal only."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not (console.is_terminal if wanted is None else wanted),
    )


def _command(output: Path, bits: int, seed: int) -> str:
    """Return the command that makes the same report again."""
    words: list[Any] = ["hashlearn", "demo", "--output", output, "--bits", bits, "--seed", seed]
    return shlex.join(map(str, words))
