"""The run of `hashlearn paper`: read the options, load the sets, run the cells, report."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from rich.text import Text

from hashlearn._numerics.checks import MAX_BITS, check_n_bits
from hashlearn._progress import say
from hashlearn._report.pictures import require_matplotlib
from hashlearn.cli._shared.console import console
from hashlearn.cli._shared.options import given_options
from hashlearn.cli._shared.outputs import cell_progress, is_shown
from hashlearn.datasets import list_datasets
from hashlearn.experiments.cells import Cell
from hashlearn.experiments.known_methods import REFERENCE
from hashlearn.experiments.plan import (
    PAPER_BITS,
    PAPER_LOSSES,
    PARTS,
    Settings,
    all_methods,
    check_methods,
    plan,
)
from hashlearn.experiments.report.report import write_report
from hashlearn.experiments.running import Runner
from hashlearn.experiments.sets import ExperimentSet, load_set
from hashlearn.files import RecordStore

PAPER_SETS = ("mnist", "cifar10", "tmc2007", "labelme", "tiny580k", "flickr1m")
QUICK = {"n_queries": 500, "n_database": 10_000, "n_anchors_all_labels": 1000}
QUICK_METHODS = (
    *(f"tsh-{loss}" for loss in PAPER_LOSSES),
    *("tsh", "ksh", "sdh", "itq-cca", "itq", "spher", "lsh", REFERENCE),
)
QUICK_BITS = (16, 32)


@dataclass(frozen=True)
class Request:
    """The options of the command, as given."""

    output: Path
    table: str | None
    datasets: str | None
    methods: str | None
    bits: str | None
    seeds: int | None
    quick: bool
    report_only: bool
    data_home: Path | None
    jobs: int

    def settings(self) -> Settings:
        """Return the requested experiments, checked."""
        default_bits = QUICK_BITS if self.quick else PAPER_BITS
        return Settings(
            parts=_parts(self.table),
            methods=self._default_methods() if self.methods is None else _methods(self.methods),
            bits=default_bits if self.bits is None else _numbers(self.bits),
            n_seeds=self.seeds or (1 if self.quick else None),
            **(QUICK if self.quick else {}),
        )

    def _default_methods(self) -> tuple[str, ...]:
        return QUICK_METHODS if self.quick else all_methods()

    def command(self) -> str:
        """Return the command with the same options."""
        given = {
            "--output": self.output,
            "--table": self.table,
            "--datasets": self.datasets,
            "--methods": self.methods,
            "--bits": self.bits,
            "--seeds": self.seeds,
            "--data-home": self.data_home,
            "--jobs": None if self.jobs == -1 else self.jobs,
            "--quick": self.quick,
            "--report-only": self.report_only,
        }
        return shlex.join(["hashlearn", "paper", *chain.from_iterable(given_options(given))])


def run_paper(request: Request, progress: bool | None) -> None:
    """Compute what is missing and write the report."""
    require_matplotlib()
    settings = request.settings()
    if request.jobs == 0:
        raise ValueError("--jobs must be a number of threads, or -1 for all cores; got 0.")
    if request.report_only and not (request.output / "cells").is_dir():
        raise ValueError(f"{request.output} has no finished cells to report.")
    store = RecordStore(request.output / "cells")
    sets, notes = _load(request, progress)
    cells = [cell for data in sets.values() for cell in plan(settings, data)]
    if not cells:
        raise ValueError(
            f"--table {','.join(settings.parts)} has no experiment for {', '.join(sets)} with "
            f"{', '.join(settings.methods)}."
        )
    runner = Runner(sets, store, request.jobs)
    failures = [] if request.report_only else _compute(runner, cells, progress)
    records = [record for cell in cells if (record := runner.finished(cell))]
    if request.report_only and not records:
        raise ValueError(f"{request.output} has no finished cell of the requested experiments.")
    if request.report_only and len(records) < len(cells):
        notes.append(f"{len(cells) - len(records)} of {len(cells)} cells are not computed yet.")
    write_report(
        request.output,
        records,
        settings.parts,
        command=request.command(),
        images_of=lambda name: sets[name].images,
        notes=[*notes, *failures],
    )
    console().print(Text(f"Report: {request.output / 'report.html'}"), soft_wrap=True)
    if failures:
        raise ValueError(f"{len(failures)} of {len(cells)} cells are not in it. {failures[0]}")


def _compute(runner: Runner, cells: list[Cell], progress: bool | None) -> list[str]:
    """Compute the cells that are not finished; return the errors of those that failed."""
    missing = [cell for cell in cells if runner.finished(cell) is None]
    if is_shown(progress):
        say(f"{len(cells)} cells, {len(cells) - len(missing)} of them finished before", verbose=1)
    with cell_progress(len(missing), progress) as on_cell:
        failures = []
        for number, cell in enumerate(missing, start=1):
            on_cell(number, str(cell))
            try:
                runner.compute(cell)
            except ValueError as error:  # the other cells can still run
                failures.append(f"{cell}: {error}")
    return failures


def _load(request: Request, progress: bool | None) -> tuple[dict[str, ExperimentSet], list[str]]:
    """Load the requested sets; by default those of the paper that are found, else digits."""
    if request.datasets is not None:
        names = _distinct_names(_words("--datasets", request.datasets))
        return {
            short: replace(_load_one(name, request, progress), name=short)
            for short, name in names.items()
        }, []
    sets, notes = {}, []
    for name in PAPER_SETS:
        try:
            sets[name] = _load_one(name, request, progress)
        except OSError as error:
            notes.append(f"{name} was left out. {error}")
    if not sets:
        notes.append("Scikit-learn's digits were used instead.")
        sets["digits"] = _load_one("digits", request, progress)
    for note in notes:
        say(note, verbose=1)
    return sets, notes


def _distinct_names(names: Iterable[str]) -> dict[str, str]:
    """Return names of sets by what the report calls them: a file by its name without folder.

    A file keeps its path where its name is that of another set.
    """
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        short = Path(name).stem if Path(name).suffix else name
        is_taken = short in found or (short != name and short in list_datasets())
        found[name if is_taken else short] = name
    return found


def _load_one(name: str, request: Request, progress: bool | None) -> ExperimentSet:
    say(f"Reading {name}", verbose=is_shown(progress))
    return load_set(name, request.data_home)


def _parts(table: str | None) -> tuple[str, ...]:
    """Return the requested parts in the order of the report."""
    asked = tuple(PARTS) if table is None else _words("--table", table)
    for name in asked:
        if name not in PARTS:
            raise ValueError(f"--table must be one of {', '.join(PARTS)}; got {name}.")
    return tuple(name for name in PARTS if name in asked)


def _methods(methods: str) -> tuple[str, ...]:
    try:
        return check_methods(_words("--methods", methods))
    except ValueError as error:
        raise ValueError(f"--methods {methods}: {error}") from None


def _numbers(bits: str) -> tuple[int, ...]:
    """Return distinct numbers of bits, increasing."""
    try:
        numbers = {int(word) for word in _words("--bits", bits)}
        for number in numbers:
            check_n_bits(number)
    except ValueError:
        raise ValueError(
            f"--bits must be numbers from 1 to {MAX_BITS} such as 16,32; got {bits}."
        ) from None
    return tuple(sorted(numbers))


def _words(option: str, text: str) -> tuple[str, ...]:
    """Return the words between commas."""
    words = tuple(word.strip() for word in text.split(",") if word.strip())
    if not words:
        raise ValueError(f"{option} must be names separated by commas; got {text!r}.")
    return words
