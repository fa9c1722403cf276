"""The options that several commands share, so that they mean and say the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hashlearn._numerics.checks import MAX_BITS

DEFAULT_K = 10
MAX_SEED = 2**32 - 1  # the largest seed of numpy

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
        "Files are read on this machine and sent to the workers block by block.",
    ),
]

# For `hashlearn index` and `hashlearn search`, and the same commands of stores.

CodesArgument = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT", help="Packed codes, a .npy file of uint8; or items, with --model."
    ),
]
BitsOption = Annotated[
    int | None,
    typer.Option(min=1, max=MAX_BITS, help="Bits per packed code; default: all bits of its bytes."),
]
IdsOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN|FILE",
        help="Ids: a column, an array of the .npz, or a file with an id per item; "
        "default: 0, 1, 2, ...",
    ),
]
KOption = Annotated[
    int | None,
    typer.Option("-k", min=1, help=f"Neighbours per query; {DEFAULT_K} unless given."),
]
RadiusOption = Annotated[
    int | None,
    typer.Option(min=0, help="Find all items within this distance, instead of k."),
]

# For stores. An address may hold a password: it is a text, not a path, and is never printed.

ADDRESSES = "lancedb:FOLDER, sqlite:FILE or postgresql://..."
STORE_VARIABLE = "HASHLEARN_STORE"
AddressArgument = Annotated[
    str,
    typer.Argument(
        metavar="ADDRESS", envvar=STORE_VARIABLE, help=f"Where the database is: {ADDRESSES}"
    ),
]
ToOption = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="ADDRESS",
        envvar=STORE_VARIABLE,
        help=f"Where the database is: {ADDRESSES}",
    ),
]
TableOption = Annotated[str, typer.Option("--table", metavar="NAME", help="The table.")]
DEFAULT_TABLE = "items"
