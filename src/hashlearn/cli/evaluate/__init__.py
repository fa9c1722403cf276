"""`hashlearn evaluate`: the quality of a model's codes in search by labels."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from hashlearn.cli._shared.options import (
    ArrayOption,
    AsymmetricOption,
    DelimiterOption,
    FeaturesOption,
    IgnoreOption,
    JsonOption,
    ModelArgument,
    ProgressOption,
    SchedulerOption,
)

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
    ids: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN|FILE",
            help="Ids of the database, as they are given to `index`: they decide the order of "
            "ties; default: 0, 1, 2, ...",
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Cut-off of precision.")] = 300,
    cutoff: Annotated[int, typer.Option(min=1, help="Cut-off of average precision.")] = 1000,
    radius: Annotated[
        float | None,
        typer.Option(
            metavar="N", help="Radius of the look-up; default: 2 bits, none with --asymmetric."
        ),
    ] = None,
    asymmetric: AsymmetricOption = None,
    ties: Annotated[
        str,
        typer.Option(
            metavar="expected|neutral|insertion",
            help="Items at equal distance: the mean over their orders, as a search returns "
            "them, or in the order of the file.",
        ),
    ] = "neutral",
    array: ArrayOption = None,
    features: FeaturesOption = None,
    ignore: IgnoreOption = None,
    delimiter: DelimiterOption = None,
    scheduler: SchedulerOption = None,
    as_json: JsonOption = False,
    progress: ProgressOption = None,
) -> None:
    """Measure a model: search queries in a database, and compare labels."""
    from hashlearn.cli._shared.cluster import cluster, code_source
    from hashlearn.cli._shared.codes import ids_of, is_asymmetric, load_hasher
    from hashlearn.cli._shared.reading import Reading
    from hashlearn.cli.evaluate._measures import Settings, measure
    from hashlearn.cli.evaluate._sides import open_labelled

    reading = Reading(array, features, ignore, delimiter)
    hasher = load_hasher(model)
    in_floats = is_asymmetric(asymmetric, hasher)
    if in_floats and scheduler is not None:
        raise ValueError(
            "a cluster measures Hamming distances: give --no-asymmetric, or leave out --scheduler."
        )
    settings = Settings.given(k, cutoff, radius, ties, asymmetric=in_floats)
    with cluster(scheduler) as client:
        encoded = partial(code_source, hasher=hasher, client=client)
        asked, there = reading.open(queries), reading.open(database)
        known = ids_of(ids, there)
        without_ids = reading if known is None else reading.ignoring(known.columns)
        report = measure(
            open_labelled(
                asked, partial(encoded, reading=reading), "--query-labels", query_labels, labels
            ),
            open_labelled(
                there,
                partial(encoded, reading=without_ids),
                "--database-labels",
                database_labels,
                labels,
                None if known is None else known.all,
            ),
            settings,
            progress,
            client,
        )
    if as_json:
        typer.echo(report.as_json())
    else:
        report.print()
