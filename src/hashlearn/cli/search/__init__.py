"""`hashlearn search`: the nearest items of an index, as a table or as JSON lines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hashlearn.cli._shared.options import (
    ArrayOption,
    KOption,
    ModelOption,
    ProgressOption,
    RadiusOption,
)

EXAMPLE = "hashlearn search digits.index queries.csv --model digits.hashlearn -k 5"
DEFAULT_OVERSAMPLE = 10


def search(
    index: Annotated[
        Path, typer.Argument(metavar="INDEX", help="An index file that `hashlearn index` wrote.")
    ],
    queries: Annotated[
        Path,
        typer.Argument(
            metavar="QUERIES", help="Packed codes, a .npy file of uint8; or items, with --model."
        ),
    ],
    model: ModelOption = None,
    k: KOption = None,
    radius: RadiusOption = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print a line per query: its position, ids, distances (scores with --rescore).",
        ),
    ] = False,
    among: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Search among these ids only; or a boolean for every item."
        ),
    ] = None,
    rescore: Annotated[
        str | None,
        typer.Option(
            metavar="margins|VECTORS.npy",
            help="Re-order k times --oversample candidates by the model's margins, or by "
            "Euclidean distance to vectors of which row i belongs to id i.",
        ),
    ] = None,
    oversample: Annotated[
        float | None,
        typer.Option(
            min=1,
            help=f"Candidates per neighbour of --rescore; {DEFAULT_OVERSAMPLE} unless given.",
        ),
    ] = None,
    array: ArrayOption = None,
    progress: ProgressOption = None,
) -> None:
    """Find the nearest items of every query, exactly."""
    from hashlearn.cli._shared.codes import CodeSource, load_hasher
    from hashlearn.cli._shared.hits import print_hits
    from hashlearn.cli._shared.stores import check_no_store
    from hashlearn.cli.search._finder import Finder
    from hashlearn.items import open_items
    from hashlearn.search import HammingIndex

    _check_together(k, radius, among, rescore, oversample, model)
    check_no_store(index, "INDEX", "hashlearn store search")
    database = HammingIndex.load(index)
    hasher = None if model is None else load_hasher(model)
    finder = Finder(
        database,
        hasher,
        k=k,
        radius=radius,
        among=among,
        rescore=rescore,
        oversample=DEFAULT_OVERSAMPLE if oversample is None else oversample,
    )
    codes = CodeSource(open_items(queries, array), hasher, n_bits=database.n_bits)
    print_hits(finder, codes, as_json, progress)


def _check_together(
    k: int | None,
    radius: int | None,
    among: Path | None,
    rescore: str | None,
    oversample: float | None,
    model: Path | None,
) -> None:
    """Raise if options do not go together."""
    if radius is not None and k is not None:
        raise ValueError("-k and --radius exclude each other: give one of them.")
    if radius is not None and (among is not None or rescore is not None):
        raise ValueError("--among and --rescore go with -k, not with --radius.")
    if oversample is not None and rescore is None:
        raise ValueError("--oversample goes with --rescore: give both or neither.")
    if rescore is not None and model is None:
        raise ValueError("--rescore needs --model and queries that are items, not codes.")
