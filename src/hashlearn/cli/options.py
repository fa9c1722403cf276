"""The options that several commands share, so that they mean and say the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

MAX_SEED = 2**32 - 1  # numpy takes no larger one

InputArgument = Annotated[
    Path,
    typer.Argument(metavar="INPUT", help="Items, one per row: .npy, .npz, .csv or .parquet."),
]
ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file that `hashlearn fit` wrote.")
]
ModelOption = Annotated[
    Path | None,
    typer.Option(
        "--model", "-m", metavar="MODEL", help="A model file: the input is items to encode."
    ),
]
ArrayOption = Annotated[
    str | None,
    typer.Option("--array", metavar="NAME", help="Which array of an .npz file holds the items."),
]
ProgressOption = Annotated[
    bool | None,
    typer.Option("--progress/--no-progress", help="Show a progress bar; default: on a terminal."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Work on the Dask cluster of this scheduler, such as tcp://host:8786 (extra: dask). "
        "Files are read here, and sent to the workers block by block.",
    ),
]
