"""`hashlearn index`: packed codes, or items and a model, as a file for search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hashlearn.cli._shared.options import (
    ArrayOption,
    BitsOption,
    DelimiterOption,
    FeaturesOption,
    IdsOption,
    IgnoreOption,
    ModelOption,
    ProgressOption,
)

if TYPE_CHECKING:
    import numpy as np

    from hashlearn.base import BaseHasher
    from hashlearn.search import HammingIndex

EXAMPLE = "hashlearn index digits.csv --model digits.hashlearn --output digits.index"


def index(
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="INPUT",
            help="Packed codes (.npy of uint8, or .parquet that `encode` wrote); or items, with "
            "--model; - is standard input.",
        ),
    ] = None,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="INDEX", help="The index file to write.")
    ],
    model: ModelOption = None,
    bits: BitsOption = None,
    ids: IdsOption = None,
    append: Annotated[
        bool,
        typer.Option(
            "--append",
            help="Add to the index that --output names; items whose ids it has are replaced.",
        ),
    ] = False,
    remove: Annotated[
        str | None,
        typer.Option(
            metavar="IDS|FILE",
            help="Remove these ids, a,b,c or a file of them, from the index that --output names.",
        ),
    ] = None,
    array: ArrayOption = None,
    features: FeaturesOption = None,
    ignore: IgnoreOption = None,
    delimiter: DelimiterOption = None,
    progress: ProgressOption = None,
) -> None:
    """Build an index for exact search by Hamming distance, add to it, or remove from it."""
    from hashlearn._progress import say
    from hashlearn.cli._shared.codes import CodeSource, ids_of, load_hasher, read_listed_ids
    from hashlearn.cli._shared.outputs import check_output, row_progress
    from hashlearn.cli._shared.reading import Reading

    inputs = inputs or []
    _check_together(inputs, append, remove)
    check_output(output, *inputs, model, ids, remove)
    hasher = None if model is None else load_hasher(model)
    made = _existing(output, hasher) if append or remove is not None else None
    n_removed = (
        0 if made is None or remove is None else _remove_known(made, read_listed_ids(remove))
    )
    n_replaced = 0
    reading = Reading(array, features, ignore, delimiter)
    for path in inputs:
        source = reading.open(path)
        values = ids_of(ids, source)
        codes = CodeSource(source, hasher, n_bits=bits, values=values, reading=reading)
        made = _fitting(made, codes.n_bits, path)
        n_replaced += _remove_known(made, values.all) if append and values is not None else 0
        with row_progress(f"Indexing {path.name}", codes.source, progress) as advance:
            for block in codes.blocks():
                made.add(block.packed, block.values)
                advance(len(block.packed))
    assert made is not None  # there is an input, or an index to remove from
    made.save(output)
    changes = [f"{n_replaced:,} replaced"] * append + [f"{n_removed:,} removed"] * bool(remove)
    noted = f" ({', '.join(changes)})" if changes else ""
    say(f"Indexed {len(made):,} codes of {made.n_bits} bits{noted}: {output}", verbose=1)


def _check_together(inputs: list[Path], append: bool, remove: str | None) -> None:
    """Raise if there is nothing to do, or a new index would have nothing to remove."""
    if not inputs and remove is None:
        raise ValueError("Give an INPUT to index, or --remove and the ids to remove.")
    if append and not inputs:
        raise ValueError("--append needs an INPUT to add.")
    if inputs and remove is not None and not append:
        raise ValueError("--remove and an INPUT go together with --append only.")


def _existing(path: Path, hasher: BaseHasher | None) -> HammingIndex:
    """Return an index to change, in memory; a model must be the one that made its codes."""
    from hashlearn.cli._shared.codes import check_model, load_index

    found = load_index(path, mmap=False)
    check_model(f"'{path}'", found.model, hasher)
    return found


def _fitting(made: HammingIndex | None, n_bits: int, path: Path) -> HammingIndex:
    """Return the index for codes of some bits: a new one, or the one that is there."""
    from hashlearn.search import HammingIndex

    if made is None:
        return HammingIndex(n_bits)
    if made.n_bits != n_bits:
        raise ValueError(f"'{path}' gives codes of {n_bits} bits; the index has {made.n_bits}.")
    return made


def _remove_known(made: HammingIndex, ids: np.ndarray) -> int:
    import numpy as np

    known = ids[np.isin(ids, made.ids)]
    made.remove(known)
    return len(known)
