"""`hashlearn index`: packed codes, or items and a model, as a file for search."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hashlearn.cli._shared.options import (
    ArrayOption,
    BitsOption,
    CodesArgument,
    IdsOption,
    ModelOption,
    ProgressOption,
)

EXAMPLE = "hashlearn index digits.csv --model digits.hashlearn --output digits.index"


def index(
    input: CodesArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="INDEX", help="The index file to write.")
    ],
    model: ModelOption = None,
    bits: BitsOption = None,
    ids: IdsOption = None,
    array: ArrayOption = None,
    progress: ProgressOption = None,
) -> None:
    """Build an index for exact search by Hamming distance."""
    from hashlearn._progress import say
    from hashlearn.cli._shared.codes import CodeSource, ItemValues, load_hasher
    from hashlearn.cli._shared.outputs import check_output, row_progress
    from hashlearn.items import as_ids, open_items
    from hashlearn.search import HammingIndex

    check_output(output, input, model, ids)
    source = open_items(input, array)
    hasher = None if model is None else load_hasher(model)
    values = None if ids is None else ItemValues("--ids", ids, source)
    codes = CodeSource(source, hasher, n_bits=bits, values=values)
    made = HammingIndex(codes.n_bits)
    with row_progress("Indexing", source, progress) as advance:
        for block in codes.blocks():
            made.add(block.packed, None if block.values is None else as_ids(block.values))
            advance(len(block.packed))
    made.save(output)
    say(f"Indexed {len(made):,} codes of {made.n_bits} bits: {output}", verbose=1)
