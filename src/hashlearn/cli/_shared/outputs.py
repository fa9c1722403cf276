"""Outputs of commands: files, checked before any work, and tables for people."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.table import Table

from hashlearn.files import check_writable


def check_output(output: Path, *inputs: Path | str | None, suffix: str | None = None) -> None:
    """Raise if an output cannot be written, lacks the suffix, or would replace an input.

    Inputs may be names of columns, too: where no such file exists, nothing is replaced.
    """
    if suffix is not None and output.suffix.lower() != suffix:
        raise ValueError(f"--output {output} must be a {suffix} file.")
    check_writable(output)
    for path in inputs:
        if path is not None and output.exists() and Path(path).exists() and output.samefile(path):
            raise ValueError(f"--output {output} is also an input: give another file.")


def plain_table(title: str) -> Table:
    """Return an empty table with a title, narrow enough for 80 columns."""
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
