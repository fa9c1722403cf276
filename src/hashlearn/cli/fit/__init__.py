"""`hashlearn fit`: learn codes from a sample of the items in a file, and save the model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hashlearn._numerics.checks import MAX_BITS
from hashlearn.cli._shared.options import (
    ArrayOption,
    DelimiterOption,
    FeaturesOption,
    IgnoreOption,
    InputArgument,
    LabelsOption,
    ProgressOption,
    SeedOption,
    UnlabelledOption,
)

EXAMPLE = "hashlearn fit digits.csv --labels digit --output digits.hashlearn"


def fit(
    input: InputArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
    ],
    labels: LabelsOption = None,
    unlabelled: UnlabelledOption = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How to learn: a name that 'hashlearn methods' lists, or tsh-LOSS. Default: tsh "
            "with labels, mixed if some are missing, itq without.",
        ),
    ] = None,
    bits: Annotated[int, typer.Option(min=1, max=MAX_BITS, help="Bits per code.")] = 32,
    seed: SeedOption = 0,
    sample: Annotated[
        int, typer.Option(min=2, help="Learn from at most this many items, chosen at random.")
    ] = 10_000,
    array: ArrayOption = None,
    features: FeaturesOption = None,
    ignore: IgnoreOption = None,
    delimiter: DelimiterOption = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Another parameter of the method; may be repeated."
        ),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep finished work here: after a stop the same command resumes from it.",
        ),
    ] = None,
    progress: ProgressOption = None,
) -> None:
    """Learn codes from the items of a .npy, .npz, .csv or .parquet file."""
    from hashlearn._progress import say
    from hashlearn.cli._shared.codes import ItemValues
    from hashlearn.cli._shared.outputs import check_output, is_shown
    from hashlearn.cli._shared.reading import Reading
    from hashlearn.cli.fit._learning import (
        build_hasher,
        check_checkpoint,
        check_labels,
        choose_hasher,
        learn,
        read_training_items,
    )

    if method is not None:  # checked before anything is read
        asked = build_hasher(method, set_ or [], n_bits=bits, random_state=seed)
        check_labels(asked, method, labels)
        check_checkpoint(asked, checkpoint)
    check_output(output, input, labels)
    reading = Reading(array, features, ignore, delimiter)
    source = reading.open(input)
    values = None if labels is None else ItemValues("--labels", labels, source)
    training = read_training_items(
        source, values, sample, seed, unlabelled=unlabelled, reading=reading, progress=progress
    )
    hasher, training = choose_hasher(training, method, set_ or [], n_bits=bits, random_state=seed)
    check_checkpoint(hasher, checkpoint)
    learn(hasher, training, int(is_shown(progress)), checkpoint)
    hasher.save(output)
    say(f"Learned from {training}: {output}", verbose=1)
