"""`hashlearn encode`: from items to packed codes, block by block."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from hashlearn.cli._shared.options import (
    ArrayOption,
    InputArgument,
    ModelArgument,
    ProgressOption,
    SchedulerOption,
)

if TYPE_CHECKING:
    from hashlearn.cli._shared.codes import CodeSource
    from hashlearn.cli._shared.outputs import Advance

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
    """Encode any number of items into packed codes, a .npy file of uint8."""
    from hashlearn._progress import say
    from hashlearn.cli._shared.cluster import cluster, code_source
    from hashlearn.cli._shared.codes import load_hasher
    from hashlearn.cli._shared.outputs import check_output, row_progress
    from hashlearn.items import open_items

    check_output(output, model, input, suffix=".npy")
    source, hasher = open_items(input, array), load_hasher(model)
    with cluster(scheduler) as client:
        codes = code_source(source, hasher, client)
        with row_progress("Encoding", source, progress) as advance:
            n_items = _write_codes(output, codes, advance)
    say(f"Encoded {n_items:,} items into {codes.n_bits} bits each: {output}", verbose=1)


def _write_codes(path: Path, codes: CodeSource, advance: Advance) -> int:
    """Write packed codes to an .npy file, whole or not at all; return the number of rows."""
    import numpy as np

    from hashlearn.files import atomic_writer

    n_items, width = 0, -(-codes.n_bits // 8)
    with atomic_writer(path) as file:
        _write_header(file, n_items, width)
        for block in codes.blocks():
            file.write(np.ascontiguousarray(block.packed).data)
            n_items += len(block.packed)
            advance(len(block.packed))
        # Only now is the number of rows known; numpy's header leaves room for any.
        file.seek(0)
        _write_header(file, n_items, width)
    return n_items


def _write_header(file: BinaryIO, n_items: int, width: int) -> None:
    from numpy.lib import format as npy

    header = {"descr": "|u1", "fortran_order": False, "shape": (n_items, width)}
    npy.write_array_header_1_0(file, header)
