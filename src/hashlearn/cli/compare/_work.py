"""The run of `hashlearn compare`: read the items, compare, print, write the page."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from hashlearn._numerics.checks import as_bytes
from hashlearn._progress import say
from hashlearn.cli._shared.codes import ItemValues
from hashlearn.cli._shared.console import console
from hashlearn.cli._shared.options import given_options
from hashlearn.cli._shared.outputs import is_shown, step_progress
from hashlearn.cli._shared.reading import Reading
from hashlearn.cli.fit._learning import TrainingItems, read_training_items
from hashlearn.comparison import Comparison, Request, Source, compare, read_request

NAMES = {"max_memory": "--memory", "max_time": "--time", "n_bits": "--bits"}


@dataclass(frozen=True)
class Options:
    """The options of the command, as given."""

    input: Path
    labels: str | None
    unlabelled: str | None
    target: str | None
    bits: str | None
    methods: str
    k: int | None
    metric: str
    time: float
    memory: str
    seed: int
    output: Path
    reading: Reading

    def asked(self) -> dict[str, Any]:
        """Return the arguments of `hashlearn.compare`, other than the items."""
        names: Any = self.methods
        if names not in ("auto", "all"):
            names = [name.strip() for name in names.split(",")]
        return {
            "n_bits": "auto" if self.bits is None else self._numbers(self.bits),
            "methods": names,
            "target": self.target,
            "k": self.k,
            "metric": self.metric,
            "max_time": self.time,
            "max_memory": self.memory,
            "random_state": self.seed,
        }

    def checked(self) -> Request:
        """Return what is asked for; raise if it is wrong whatever the items are."""
        try:
            as_bytes(self.memory)
        except ValueError:
            raise ValueError(
                f"--memory must be a size such as 512MB or 2GB; got {self.memory}."
            ) from None
        with _named_as_options():
            return read_request(**self.asked())

    @property
    def is_standard_input(self) -> bool:
        """Whether the items are read from standard input."""
        return str(self.input) == "-"

    def source(self, path: str, columns: tuple[str, ...]) -> Source:
        """Return the items in the words of commands; `columns` are those of the labels."""
        return Source(
            path,
            self.labels,
            self.unlabelled,
            columns,
            self.reading.array,
            self.reading.delimiter,
            self.reading.features or (),
            self.reading.ignore or (),
            self.is_standard_input,
        )

    def command(self, source: Source) -> str:
        """Return the command with the same options."""
        given = {
            "--target": self.target,
            "--bits": self.bits,
            "--methods": None if self.methods == "auto" else self.methods,
            "-k": self.k,
            "--metric": None if self.metric == "cosine" else self.metric,
            "--time": f"{self.time:g}",
            "--memory": self.memory,
            "--seed": self.seed or None,
            "--output": self.output,
        }
        words = [*source.options(), *chain(*given_options(given))]
        return shlex.join(["hashlearn", "compare", str(self.input), *words])

    @staticmethod
    def _numbers(bits: str) -> list[int]:
        try:
            return [int(word) for word in bits.split(",")]
        except ValueError:
            raise ValueError(f"--bits must be numbers such as 32,64; got {bits}.") from None


@contextmanager
def _named_as_options() -> Iterator[None]:
    """Name options in errors, not the arguments that these are in Python."""
    try:
        yield
    except ValueError as error:
        text = str(error)
        for argument, option in NAMES.items():
            text = re.sub(rf"\b{argument}\b", option, text)
        raise ValueError(text) from None


def run_compare(options: Options, as_json: bool, progress: bool | None) -> bool:
    """Compare, print and write; return whether the target, if any, is reached."""
    asked = options.checked()
    _check_folder(options.output)
    items, source = _read(options, asked, progress)
    comparison = _compare(options, items, progress)
    page = comparison.save(
        options.output, title=options.input.name, command=options.command(source), source=source
    )
    found = comparison.recommend(source=source)
    if as_json:
        typer.echo(json.dumps(comparison.as_dict(source)))
    else:
        printed = console()
        printed.print(comparison)
        for reason, what in comparison.settings.untried.items():
            printed.print(Text(f"Not tried ({reason.rstrip('.')}): {'; '.join(what)}."))
        if options.is_standard_input:
            printed.print(Text(f"Save the input as {source.path} for these commands:"))
        printed.print(Text(f"\n{found.command}\n"), soft_wrap=True)
        if found.rescored_command:
            printed.print(Text("Or with the vectors at hand:\n"))
            printed.print(Text(f"{found.rescored_command}\n"), soft_wrap=True)
        said = f"Report: {page}."
        if not options.is_standard_input:
            explore = shlex.join(["hashlearn", "explore", "--comparison", str(options.output)])
            said += f" To look at the best two: {explore}"
        printed.print(Text(said), soft_wrap=True)
    return found.reached or options.target is None


def _check_folder(folder: Path) -> None:
    """Raise, before long work, if a folder cannot be made or written to; nothing is made yet."""
    there = next(one for one in (folder.absolute(), *folder.absolute().parents) if one.exists())
    if not (there.is_dir() and os.access(there, os.W_OK)):
        raise ValueError(f"--output {folder} cannot be written.")


def _read(options: Options, asked: Request, progress: bool | None) -> tuple[TrainingItems, Source]:
    """Return the items, or a sample of as many as fit into memory, in numbers and in words."""
    source = options.reading.open(options.input)
    values = None
    if options.labels is not None:
        values = ItemValues("--labels", options.labels, source)
    others = () if values is None else values.columns
    names = options.reading.names(source, others)
    row_bytes = 4 * source.n_features(names, others)
    with _named_as_options():
        n = asked.rows_that_fit(row_bytes)
    items = read_training_items(
        source,
        values,
        n,
        options.seed,
        unlabelled=options.unlabelled,
        reading=options.reading,
        progress=progress,
    )
    path = f"items{Path(source.path).suffix}" if options.is_standard_input else str(options.input)
    return items, options.source(path, others)


def _compare(options: Options, items: TrainingItems, progress: bool | None) -> Comparison:
    try:
        with _shown(options.time, progress) as on_task:
            comparison = compare(
                items.X, items.y, folder=options.output, on_task=on_task, **options.asked()
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "Stopped; finished measurements are kept, and the same command goes on from them."
        ) from None
    n_missing = comparison.settings.n_missing + items.n_left_out
    settings = replace(comparison.settings, n_items=items.n_items, n_missing=n_missing)
    comparison.settings = settings
    return comparison


@contextmanager
def _shown(limit: float, progress: bool | None) -> Iterator[Callable[[float, str], None]]:
    """Show the time and the running task; yield a function to call as each begins."""
    if is_shown(progress) and not console(stderr=True).is_terminal:
        yield lambda seconds, text: say(f"{seconds:5.0f} s  {text}", verbose=1)
        return
    with step_progress(progress) as bar:
        task = bar.add_task("Comparing", total=limit)
        yield lambda seconds, text: bar.update(task, completed=seconds, description=text)
