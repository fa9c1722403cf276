"""`hashlearn compare`: which codes are small and good enough, measured on the user's own items."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hashlearn.cli._shared.options import (
    ArrayOption,
    DelimiterOption,
    FeaturesOption,
    IgnoreOption,
    InputArgument,
    JsonOption,
    LabelsOption,
    ProgressOption,
    SeedOption,
    UnlabelledOption,
)

EXAMPLE = "hashlearn compare digits.csv --labels digit"


def compare(
    input: InputArgument,
    labels: LabelsOption = None,
    unlabelled: UnlabelledOption = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE=VALUE",
            help="What codes must reach: recall@10=0.95 without labels; precision@10, map, "
            "new-precision@10 (on classes kept out of training), and for several labels ndcg@10 "
            "with them. The exit status is 1 if nothing reaches it.",
        ),
    ] = None,
    bits: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Lengths to try, such as 32,64; default: 16,32,64,128 with labels, 32,64,128,"
            "256,512 without, and 1024 if a target needs it.",
        ),
    ] = None,
    methods: Annotated[
        str,
        typer.Option(
            metavar="auto|all|NAMES",
            help="Methods, such as tsh,itq; auto is a short list, all takes long.",
        ),
    ] = "auto",
    k: Annotated[
        int | None, typer.Option("-k", min=1, help="Nearest items that count; 10 unless given.")
    ] = None,
    metric: Annotated[
        str,
        typer.Option(
            metavar="cosine|inner_product|euclidean", help="What makes vectors near each other."
        ),
    ] = "cosine",
    time: Annotated[
        float, typer.Option("--time", metavar="SECONDS", min=0, help="Seconds of measuring.")
    ] = 100,
    memory: Annotated[
        str,
        typer.Option(
            metavar="SIZE", help="At least 740MB; of more items than fit, a random sample is read."
        ),
    ] = "2GB",
    seed: SeedOption = 0,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            file_okay=False,
            help="Folder of the page; finished measurements are kept there, so that a stopped run "
            "goes on, and one with more --time goes further.",
        ),
    ] = Path("hashlearn-comparison"),
    array: ArrayOption = None,
    features: FeaturesOption = None,
    ignore: IgnoreOption = None,
    delimiter: DelimiterOption = None,
    as_json: JsonOption = False,
    progress: ProgressOption = None,
) -> None:
    """Measure methods and lengths of codes, and recommend the smallest that are good enough.

    With labels, codes should find items that have one in common; without, the nearest vectors.
    Prints a table and a recommendation, and writes a page with a picture (extra: plot).
    """
    from hashlearn.cli._shared.reading import Reading
    from hashlearn.cli.compare._work import Options, run_compare

    options = Options(
        input=input,
        labels=labels,
        unlabelled=unlabelled,
        target=target,
        bits=bits,
        methods=methods,
        k=k,
        metric=metric,
        time=time,
        memory=memory,
        seed=seed,
        output=output,
        reading=Reading(array, features, ignore, delimiter),
    )
    if not run_compare(options, as_json, progress):
        raise typer.Exit(1)
