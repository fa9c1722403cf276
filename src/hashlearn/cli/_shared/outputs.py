"""Outputs of commands: files, checked before any work, tables, and progress on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table
from rich.text import Text

from hashlearn._progress import say
from hashlearn.cli._shared.console import console
from hashlearn.files import check_writable

if TYPE_CHECKING:
    from hashlearn.items import Items

Advance = Callable[[int], None]

# In a narrow terminal texts keep their line: the name is cut, and the bar becomes shorter.
_DESCRIPTION = TextColumn("{task.description}", table_column=Column(no_wrap=True, ratio=2))
_DESCRIBED = _DESCRIPTION, BarColumn(None, table_column=Column(ratio=1))


def check_output(output: Path, *inputs: Path | str | None, suffixes: tuple[str, ...] = ()) -> None:
    """Raise if an output cannot be written, lacks a suffix, or would replace an input.

    Inputs may be names of columns, too: where no such file exists, nothing is replaced.
    """
    if suffixes and output.suffix.lower() not in suffixes:
        raise ValueError(f"--output {output} must be a {' or '.join(suffixes)} file.")
    check_writable(output)
    for path in inputs:
        if path is not None and output.exists() and Path(path).exists() and output.samefile(path):
            raise ValueError(f"--output {output} is also an input: give another file.")


def plain_table() -> Table:
    """Return an empty table, narrow enough for 80 columns."""
    return Table(box=box.SIMPLE_HEAD, pad_edge=False)


def print_table(table: Table, title: str = "", notes: Iterable[str] = ()) -> None:
    """Print a table between a title and notes, which are as wide as the console, not the table."""
    printed = console()
    if title:
        printed.print(Text(title, "bold"))
    printed.print(table)
    for note in notes:
        printed.print(Text(note))


class RowsColumn(ProgressColumn):
    """Rows done, rows in all, and rows per second."""

    def __init__(self) -> None:
        super().__init__(Column(no_wrap=True))

    def render(self, task: Task) -> Text:
        """Return the column's text."""
        about = "" if task.fields["exact"] else "about "
        speed = task.finished_speed or task.speed
        rate = f", {speed:,.0f}/s" if speed else ""
        return Text(f"{task.completed:,.0f} of {about}{task.total:,.0f}{rate}")


def is_shown(wanted: bool | None) -> bool:
    """Return whether to show progress: if wanted, or by default on a terminal."""
    return console(stderr=True).is_terminal if wanted is None else wanted


def step_progress(wanted: bool | None) -> Progress:
    """Return a bar for a few steps of work, with the elapsed time."""
    return _progress(wanted, *_DESCRIBED, TimeElapsedColumn())


@contextmanager
def row_progress(description: str, source: Items, wanted: bool | None) -> Iterator[Advance]:
    """Show rows, rate and time left; yield a function to call with the number of rows done."""
    with _progress(wanted, *_DESCRIBED, RowsColumn(), TimeRemainingColumn()) as bar:
        exact = source.n_items is not None
        n_rows = source.n_items if exact else source.approximate_n_items
        task = bar.add_task(description, total=n_rows, exact=exact)
        yield lambda n: bar.advance(task, n)


@contextmanager
def cell_progress(n_cells: int, wanted: bool | None) -> Iterator[Callable[[int, str], None]]:
    """Show the running cell and how many remain; yield a function to call as each begins.

    Outside of a terminal every cell gets a line instead of a bar.
    """
    if is_shown(wanted) and not console(stderr=True).is_terminal:
        yield lambda number, text: say(f"[{number}/{n_cells}] {text}", verbose=1)
        return
    times = TimeElapsedColumn(), TimeRemainingColumn()
    # The name comes last: a narrow terminal cuts it first.
    with _progress(wanted, MofNCompleteColumn(), BarColumn(20), *times, _DESCRIPTION) as bar:
        task = bar.add_task("", total=n_cells)
        yield lambda number, text: bar.update(task, completed=number - 1, description=text)


def _progress(wanted: bool | None, *columns: ProgressColumn) -> Progress:
    on_errors = console(stderr=True)
    return Progress(
        *columns,
        console=on_errors,
        transient=on_errors.is_terminal,  # in a log file the last state stays
        redirect_stdout=False,  # results would go to standard error
        disable=not is_shown(wanted),
    )
