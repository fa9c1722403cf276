"""`hashlearn info`: the description of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hashlearn.cli._shared.options import ArrayOption, JsonOption

EXAMPLE = "hashlearn info digits.hashlearn"


def info(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A model, an index, or items (.npy, .csv, ...)."),
    ],
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Read an index whole: check checksums, count distinct codes. Models always are.",
        ),
    ] = False,
    array: ArrayOption = None,
    as_json: JsonOption = False,
) -> None:
    """Describe a model, an index or a file of items."""
    from hashlearn.cli._shared.descriptions import describe
    from hashlearn.cli._shared.stores import check_no_store

    check_no_store(file, "FILE", "hashlearn store info")
    description = describe(file, array, verify)
    typer.echo(description.as_json() if as_json else str(description))
