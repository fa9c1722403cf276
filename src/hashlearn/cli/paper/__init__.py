"""`hashlearn paper`: the experiments of the two-step hashing paper, all or some."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hashlearn.cli._shared.options import ProgressOption

EXAMPLE = "hashlearn paper --table 1 --datasets digits --methods tsh-bre,lsh --bits 32 --quick"


def paper(
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            file_okay=False,
            help="Folder of the report; finished cells are kept there, so that a stopped run "
            "resumes.",
        ),
    ] = Path("hashlearn-paper"),
    table: Annotated[
        str | None,
        typer.Option(
            metavar="PARTS",
            help="Parts, separated by commas: first, 1, 2, bits, hash-functions, large, unseen, "
            "all-labels, examples; default: all.",
        ),
    ] = None,
    datasets: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Data sets: digits, mnist, cifar10, tmc2007, labelme, tiny580k, flickr1m, or "
            "files of your own (.npz with x and y, .npy, .mat, .fvecs); default: those of the "
            "paper that are found.",
        ),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Methods, such as tsh-bre,lsh; default: all."),
    ] = None,
    bits: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Bits per code; default: 8,16,24,32,48,64."),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            help="Random splits; default: 3, and fewer or more where the report says so.",
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Small databases (10,000 items, 500 queries) and, unless given, one seed, "
            "16,32 bits and some fast methods: a first look in minutes.",
        ),
    ] = False,
    report_only: Annotated[
        bool,
        typer.Option(
            "--report-only",
            help="Compute nothing: report the finished cells of the requested experiments.",
        ),
    ] = False,
    data_home: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            exists=True,
            file_okay=False,
            help="Folder to search for data sets first, before HASHLEARN_DATA and scikit-learn's "
            "data home.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Threads of a fit; -1: all cores.")] = -1,
    progress: ProgressOption = None,
) -> None:
    """Run the experiments of the paper, and write one report with all tables and figures."""
    from hashlearn.cli.paper._work import Request, run_paper

    run_paper(
        Request(output, table, datasets, methods, bits, seeds, quick, report_only, data_home, jobs),
        progress,
    )
