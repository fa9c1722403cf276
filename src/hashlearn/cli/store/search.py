"""`hashlearn store search`: the nearest items of a store, as a table or as JSON lines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from hashlearn.cli._shared.options import (
    DEFAULT_TABLE,
    STORE_VARIABLE,
    AddressArgument,
    ArrayOption,
    KOption,
    ModelOption,
    ProgressOption,
    RadiusOption,
    TableOption,
)

EXAMPLE = (
    "hashlearn store search lancedb:digits.lance queries.csv --model digits.hashlearn -k 5 "
    "--where digit=3,5"
)


def search(
    address: AddressArgument,
    queries: Annotated[
        Path | None,
        typer.Argument(
            metavar="QUERIES",
            help="Packed codes, a .npy file of uint8; or items, with --model.",
        ),
    ] = None,
    table: TableOption = DEFAULT_TABLE,
    model: ModelOption = None,
    k: KOption = None,
    radius: RadiusOption = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE",
            help="Only items with these values of a column (or id): digit=3, digit=3,5 or "
            "year=2020..2024, of which a side may be left out; repeat it for more columns. Quote "
            "texts with commas or dots: 'name=\"Lee, Ann\"'.",
        ),
    ] = None,
    effort: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Use the index, and look at this much of it: more finds more of the true "
            "neighbours and takes longer. Unless given, the search is exact.",
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print a line per query: its position, ids and distances."),
    ] = False,
    array: ArrayOption = None,
    progress: ProgressOption = None,
) -> None:
    """Find the nearest items of every query in a store, exactly unless --effort is given."""
    from hashlearn.cli._shared.codes import CodeSource, load_hasher
    from hashlearn.cli._shared.hits import print_hits
    from hashlearn.cli._shared.stores import opened_store
    from hashlearn.cli.store._searching import StoreFinder, read_where
    from hashlearn.items import open_items

    _check_together(k, radius, effort)
    address, queries = _address_and_queries(address, queries)
    hasher = None if model is None else load_hasher(model)
    source = open_items(queries, array)
    with opened_store(address, table) as store:
        finder = StoreFinder(
            store,
            k=k,
            radius=radius,
            where=read_where(where or (), store.columns),
            effort=effort,
        )
        codes = CodeSource(source, hasher, n_bits=store.n_bits)
        print_hits(finder, codes, as_json, progress)


def _address_and_queries(address: str, queries: Path | None) -> tuple[str, Path]:
    """Return both arguments; if only one is given, the address is the environment's."""
    if queries is not None:
        return address, queries
    known = os.environ.get(STORE_VARIABLE)
    if not known or address == known:  # no argument was given: it is the variable's
        raise ValueError(
            f"QUERIES is missing: give ADDRESS and QUERIES, or QUERIES and {STORE_VARIABLE} in the "
            "environment."
        )
    return known, Path(address)


def _check_together(k: int | None, radius: int | None, effort: int | None) -> None:
    """Raise if options exclude each other."""
    if radius is not None and k is not None:
        raise ValueError("-k and --radius exclude each other: give one of them.")
    if radius is not None and effort is not None:
        raise ValueError("--effort needs -k: a search by --radius is exact.")
