"""`hashlearn encode`: from items to packed codes, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from hashlearn.cli._shared.options import (
    ArrayOption,
    DelimiterOption,
    FeaturesOption,
    IdsOption,
    IgnoreOption,
    InputArgument,
    ModelArgument,
    ProgressOption,
    SchedulerOption,
)

EXAMPLE = "hashlearn encode digits.hashlearn digits.csv --output codes.npy"
NPY, PARQUET = ".npy", ".parquet"


def encode(
    model: ModelArgument,
    input: InputArgument,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="CODES",
            help="The packed codes to write: .npy, or .parquet with ids and the model's "
            "fingerprint.",
        ),
    ],
    ids: IdsOption = None,
    array: ArrayOption = None,
    features: FeaturesOption = None,
    ignore: IgnoreOption = None,
    delimiter: DelimiterOption = None,
    scheduler: SchedulerOption = None,
    progress: ProgressOption = None,
) -> None:
    """Encode any number of items into packed codes."""
    from hashlearn._progress import say
    from hashlearn.cli._shared.cluster import cluster, code_source
    from hashlearn.cli._shared.codes import ids_of, load_hasher
    from hashlearn.cli._shared.outputs import check_output, row_progress
    from hashlearn.cli._shared.reading import Reading

    check_output(output, model, input, ids, suffixes=(NPY, PARQUET))
    if ids is not None and output.suffix.lower() == NPY:
        raise ValueError("--ids needs a .parquet file as --output: .npy holds codes alone.")
    reading = Reading(array, features, ignore, delimiter)
    source, hasher = reading.open(input), load_hasher(model)
    values = ids_of(ids, source)
    with cluster(scheduler) as client:
        codes = code_source(source, hasher, client, values, reading)
        n_items = 0
        with (
            row_progress("Encoding", source, progress) as advance,
            _writing(output, codes.n_bits, hasher.fingerprint()) as write,
        ):
            for block in codes.blocks():
                write(block.packed, block.values)
                n_items += len(block.packed)
                advance(len(block.packed))
    say(f"Encoded {n_items:,} items into {codes.n_bits} bits each: {output}", verbose=1)


@contextmanager
def _writing(path: Path, n_bits: int, model: str | None) -> Iterator[Callable[[Any, Any], None]]:
    """Yield a function that writes blocks of codes and ids; the file is whole or not there."""
    from hashlearn.files import atomic_writer
    from hashlearn.items import write_codes

    if path.suffix.lower() == PARQUET:
        with write_codes(path, n_bits, model=model) as write:
            yield write
        return
    with atomic_writer(path) as file:
        yield from _writing_npy(file, -(-n_bits // 8))


def _writing_npy(file: BinaryIO, width: int) -> Iterator[Callable[[Any, Any], None]]:
    import numpy as np

    n_items = 0

    def write(packed: np.ndarray, _: Any) -> None:
        nonlocal n_items
        file.write(np.ascontiguousarray(packed).data)
        n_items += len(packed)

    _write_header(file, n_items, width)
    yield write
    # Only now is the number of rows known; numpy's header leaves room for any.
    file.seek(0)
    _write_header(file, n_items, width)


def _write_header(file: BinaryIO, n_items: int, width: int) -> None:
    from numpy.lib import format as npy

    header = {"descr": "|u1", "fortran_order": False, "shape": (n_items, width)}
    npy.write_array_header_1_0(file, header)
