"""`hashlearn demo`: learn codes for handwritten digits, measure, search, and report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hashlearn._numerics.checks import MAX_BITS
from hashlearn.cli._shared.options import ProgressOption, SeedOption

EXAMPLE = "hashlearn demo --output digits.html"


def demo(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", dir_okay=False, help="The HTML report to write."
        ),
    ] = Path("hashlearn-demo.html"),
    bits: Annotated[int, typer.Option(min=1, max=MAX_BITS, help="Bits per code.")] = 32,
    seed: SeedOption = 0,
    questions: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            file_okay=False,
            help="Instead: write made-up questions to a bank, with ids, texts, intents and "
            "embeddings, as Parquet files to try the other commands with (extra: parquet).",
        ),
    ] = None,
    progress: ProgressOption = None,
) -> None:
    """Learn codes for scikit-learn's digits, compare them with random ones, write a report."""
    if questions is not None:
        from hashlearn._progress import say
        from hashlearn.cli.demo._questions import write_questions

        for path, n_rows in write_questions(questions, seed).items():
            say(f"Wrote {n_rows} questions: {path}", verbose=1)
        return
    from hashlearn.cli.demo._work import run_demo  # imports all of scikit-learn

    run_demo(output, bits, seed, progress)
