"""`hashlearn encode`: from items to packed codes, block by block."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hashlearn.cli.cluster import cluster
from hashlearn.cli.options import (
    ArrayOption,
    InputArgument,
    ModelArgument,
    ProgressOption,
    SchedulerOption,
)

EXAMPLE = "hashlearn encode digits.hashlearn digits.csv --output codes.npy"


def encode(
    model: ModelArgument,
    input: InputArgument,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="CODES.npy", help="The packed codes to write."),
    ],
    array: ArrayOption = None,
    scheduler: SchedulerOption = None,
    progress: ProgressOption = None,
) -> None:
    """Encode items of any number into packed codes, a .npy file of uint8."""
    from hashlearn._progress import say
    from hashlearn.cli.cluster_codes import code_source
    from hashlearn.cli.code_file import write_codes
    from hashlearn.cli.models import load_hasher
    from hashlearn.cli.outputs import check_output
    from hashlearn.cli.progress import row_progress
    from hashlearn.items import open_items

    check_output(output, model, input, suffix=".npy")
    source, hasher = open_items(input, array), load_hasher(model)
    with cluster(scheduler) as client:
        codes = code_source(source, hasher, client)
        with row_progress("Encoding", source, progress) as advance:
            n_items = write_codes(output, codes, advance)
    say(f"Encoded {n_items:,} items into {codes.n_bits} bits each: {output}", verbose=1)
