"""`hashlearn store push`: packed codes, or items and a model, into a table of a database."""

from __future__ import annotations

from typing import Annotated

import typer

from hashlearn.cli._shared.options import (
    DEFAULT_TABLE,
    ArrayOption,
    BitsOption,
    CodesArgument,
    IdsOption,
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
    array: ArrayOption = None,
    progress: ProgressOption = None,
) -> None:
    """Add codes to a table, which is created if necessary; items with the same ids are replaced.

    Without --ids, ids are positions, so that a second file replaces the items of the first. After
    an interruption, run the same command again to continue.
    """
    from hashlearn._progress import say
    from hashlearn.cli._shared.codes import CodeSource, load_hasher
    from hashlearn.cli._shared.stores import opened_store
    from hashlearn.cli.store._pushing import PushedValues, push_codes
    from hashlearn.items import open_items

    source = open_items(input, array)
    hasher = None if model is None else load_hasher(model)
    values = PushedValues(ids, columns, source)
    codes = CodeSource(source, hasher, n_bits=bits, values=values)
    with opened_store(to, table) as store:
        pushed = push_codes(codes, values, store, progress)
        say(
            f"Pushed codes of {codes.n_bits} bits to table {table} in {store.place}: "
            f"{pushed.n_new:,} new, {pushed.n_replaced:,} replaced; it has {pushed.n_now:,} now.",
            verbose=1,
        )
