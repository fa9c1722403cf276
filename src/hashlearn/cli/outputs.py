"""Outputs are checked before any work: they can be written, and are no input."""

from __future__ import annotations

from pathlib import Path

from hashlearn.files import check_writable


def check_output(output: Path, *inputs: Path | str | None, suffix: str | None = None) -> None:
    """Raise if an output cannot be written, or would replace what a command reads.

    Parameters
    ----------
    output : Path
        The file to write.
    *inputs : Path, str or None
        What the command reads; names of columns are no files and do no harm.
    suffix : str, optional
        How the output's name must end.
    """
    if suffix is not None and output.suffix.lower() != suffix:
        raise ValueError(f"--output {output} is not taken; it takes a {suffix} file.")
    check_writable(output)
    for path in inputs:
        if path is not None and output.exists() and Path(path).exists() and output.samefile(path):
            raise ValueError(f"--output {output} is an input, too, which it would replace.")
