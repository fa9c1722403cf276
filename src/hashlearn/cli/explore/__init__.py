"""`hashlearn explore`: a page to look at codes, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hashlearn.cli._shared.options import (
    ADDRESSES,
    DEFAULT_TABLE,
    ArrayOption,
    DelimiterOption,
    ProgressOption,
)

EXAMPLE = "hashlearn explore --model digits.hashlearn --items digits.csv --labels digit"
DEFAULT_PORT = 8000


def explore(
    model: Annotated[
        list[Path] | None,
        typer.Option("--model", "-m", metavar="MODEL", help="A model file; repeat it to compare."),
    ] = None,
    index: Annotated[
        list[str] | None,
        typer.Option(
            metavar="INDEX",
            help=f"An index file, or a store ({ADDRESSES}), which is read whole; repeat it, one "
            "for each --model in the same order. Without --model it can be searched, but new items "
            "cannot be encoded.",
        ),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"The table of each store; repeat it, or give one for all; default: "
            f"{DEFAULT_TABLE}.",
        ),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Instead of --index: items that every model encodes now (.npy, .npz, .csv or "
            ".parquet).",
        ),
    ] = None,
    comparison: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            exists=True,
            file_okay=False,
            help="Instead: what 'hashlearn compare' wrote there. Its items, encoded by the codes "
            "that it recommends and by the next best, which are learned now.",
        ),
    ] = None,
    array: ArrayOption = None,
    delimiter: DelimiterOption = None,
    ids: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN|FILE",
            help="Ids of --items: a column, an array of the .npz, or a file; default: 0, 1, 2, ...",
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN|FILE|FILE:COLUMN",
            help="Labels: a column of --items, or one column of the first store; or a file (.npy, "
            ".npz, .csv or .parquet) or a column of it, with a row per item in the order of the "
            "items (index: as they were added; store: by id). For several labels per item: 0/1 "
            "columns as a,b,c or FILE:a,b,c, or a file of 0/1 columns only, whose names are the "
            "labels; or a 2-D array of 0/1.",
        ),
    ] = None,
    images: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER|FILE|items",
            help="Images: a folder with a file per id (17.png), or with a file per item in "
            "sorted order, whose names are not numbers; an .npy or .npz array, in the order of "
            "the items; or 'items', if their values are the pixels of square images.",
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN|FILE",
            help="Or texts: a column of --items or of the first store, or a file with a line per "
            "item, in UTF-8, in their order.",
        ),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(
            metavar="pixels|gist",
            help="Features of an image that is dropped on the page; default: its pixels, if the "
            "codes agree with that.",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Address to listen at; default: this machine only."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen at; 0: any free port.")
    ] = DEFAULT_PORT,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Another name of this machine that requests may use, such as lab.example; repeat "
            "it for more.",
        ),
    ] = None,
    open: Annotated[
        bool | None,
        typer.Option("--open/--no-open", help="Open a browser; default: on a terminal."),
    ] = None,
    progress: ProgressOption = None,
) -> None:
    """Look at codes in the browser: neighbours, curves, a map (extra: explorer).

    Without options it shows scikit-learn's digits with three methods.
    """
    from hashlearn.cli.explore._serving import Request, run_explore

    request = Request(
        models=tuple(model or ()),
        indexes=tuple(index or ()),
        tables=tuple(table or ()),
        items=items,
        array=array,
        delimiter=delimiter,
        ids=ids,
        labels=labels,
        images=images,
        text=text,
        features=features,
    )
    if comparison is not None:
        from hashlearn.cli.explore._comparison import add_comparison

        request = add_comparison(request, comparison, progress)
    run_explore(request, host, port, tuple(allow_host or ()), open, progress)
