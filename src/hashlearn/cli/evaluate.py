"""`hashlearn evaluate`: how well a model's codes find items with the same label."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hashlearn.cli.options import ArrayOption, JsonOption, ModelArgument, ProgressOption

EXAMPLE = "hashlearn evaluate digits.hashlearn queries.csv digits.csv --labels digit"


def evaluate(
    model: ModelArgument,
    queries: Annotated[
        Path, typer.Argument(metavar="QUERIES", help="Items that are searched for.")
    ],
    database: Annotated[
        Path, typer.Argument(metavar="DATABASE", help="Items that are searched in.")
    ],
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Labels in both inputs: a column, or an array of the .npz; a,b,c: 0/1 columns "
            "of several labels. Items that share a label are relevant to each other.",
        ),
    ] = None,
    query_labels: Annotated[
        str | None, typer.Option(metavar="COLUMN|FILE", help="Labels of the queries alone.")
    ] = None,
    database_labels: Annotated[
        str | None, typer.Option(metavar="COLUMN|FILE", help="Labels of the database alone.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Cut-off of precision.")] = 300,
    cutoff: Annotated[int, typer.Option(min=1, help="Cut-off of average precision.")] = 1000,
    radius: Annotated[int, typer.Option(min=0, help="Radius of the look-up.")] = 2,
    ties: Annotated[
        str,
        typer.Option(
            metavar="expected|index",
            help="Items at equal distance: the mean over their orders, or by position.",
        ),
    ] = "expected",
    array: ArrayOption = None,
    as_json: JsonOption = False,
    progress: ProgressOption = None,
) -> None:
    """Measure a model: search queries in a database, and compare labels."""
    from hashlearn.cli.measures import Settings, measure, open_labelled
    from hashlearn.cli.models import load_hasher

    settings = Settings(k=k, cutoff=cutoff, radius=radius, ties=ties)
    hasher = load_hasher(model)
    report = measure(
        open_labelled(queries, array, hasher, "--query-labels", query_labels, labels),
        open_labelled(database, array, hasher, "--database-labels", database_labels, labels),
        settings,
        progress,
    )
    if as_json:
        typer.echo(report.as_json())
    else:
        Console().print(report.as_table())
