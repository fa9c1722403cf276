"""`hashlearn store push`: packed codes, or items and a model, into a table of a database."""

from __future__ import annotations

from typing import Annotated

import typer

from hashlearn.cli._shared.options import (
    DEFAULT_TABLE,
    ArrayOption,
    BitsOption,
    CodesArgument,
    DelimiterOption,
    FeaturesOption,
    IdsOption,
    IgnoreOption,
    ModelOption,
    ProgressOption,
    TableOption,
    ToOption,
)

EXAMPLE = (
    "hashlearn store push digits.csv --model digits.hashlearn --to lancedb:digits.lance "
    "--columns digit"
)


def push(
    input: CodesArgument,
    to: ToOption,
    table: TableOption = DEFAULT_TABLE,
    model: ModelOption = None,
    bits: BitsOption = None,
    ids: IdsOption = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN,...",
            help="Columns of the input (or arrays of the .npz) to keep for `search --where`, "
            "such as digit,year.",
        ),
    ] = None,
    skip: Annotated[
        int, typer.Option(min=0, help="Leave out this many items, which are stored already.")
    ] = 0,
    array: ArrayOption = None,
    features: FeaturesOption = None,
    ignore: IgnoreOption = None,
    delimiter: DelimiterOption = None,
    progress: ProgressOption = None,
) -> None:
    """Add codes to a table, which is created if necessary; items with the same ids are replaced.

    Without --ids, ids are positions, so that a second file replaces the items of the first. An
    interrupted command says how to continue: with --skip.
    """
    from hashlearn._progress import say
    from hashlearn.cli._shared.codes import CodeSource, load_hasher
    from hashlearn.cli._shared.reading import Reading
    from hashlearn.cli._shared.stores import opened_store
    from hashlearn.cli.store._pushing import PushedValues, push_codes

    reading = Reading(array, features, ignore, delimiter)
    source = reading.open(input)
    hasher = None if model is None else load_hasher(model)
    values = PushedValues(ids, columns, source)
    codes = CodeSource(source, hasher, n_bits=bits, values=values, reading=reading, skip=skip)
    with opened_store(to, table) as store:
        pushed = push_codes(codes, values, store, skip, progress)
        say(
            f"Pushed codes of {codes.n_bits} bits to table {table} in {store.place}: "
            f"{pushed.n_new:,} new, {pushed.n_replaced:,} replaced; it has {pushed.n_now:,} now.",
            verbose=1,
        )
