"""Cells of separated lines: their separator, and which of them are numbers."""

from __future__ import annotations

import re

import numpy as np

DELIMITERS = ",;\t|"
QUOTED = re.compile(r'"[^"]*("|$)')
NAMES = {"tab": "\t", "\\t": "\t"}  # as one can type them on a command line


def found_delimiter(line: str, usual: str) -> str:
    """Return the separator of a first line: the usual one if there is one, or the most frequent."""
    bare = QUOTED.sub("", line)
    return usual if usual in bare else max(usual + DELIMITERS, key=bare.count)


def check_delimiter(given: str) -> str:
    """Return a separator that is given, or raise if it cannot be one."""
    delimiter = NAMES.get(given, given)
    if len(delimiter) != 1 or delimiter.isalnum() or delimiter in "\"'\r\n.+-_":
        raise ValueError(
            f"delimiter must be one character such as ',', ';', '|' or a tab; got {given!r}."
        )
    return delimiter


def needless_quotes(delimiter: str) -> re.Pattern[str]:
    """Return a pattern of the quotes around a whole value without separators and line ends.

    The quote comes before its look-behind, because a search for one character is fast.
    """
    d = re.escape(delimiter)
    return re.compile(rf'"(?<![^{d}]")([^"{d}\r\n]*)"(?=[{d}\r\n]|\Z)')


def numbers_of(lines: list[str], positions: list[int], delimiter: str) -> np.ndarray:
    """Return columns of lines without quotes as numbers."""
    if not positions:
        return np.empty((len(lines), 0))
    return np.loadtxt(lines, delimiter=delimiter, comments=None, usecols=positions, ndmin=2)


def cells_of(lines: list[str], position: int, n_columns: int, delimiter: str) -> list[str]:
    """Return a column of lines without quotes, split from the nearer end."""
    if 2 * position < n_columns:
        cells = [line.split(delimiter, position + 1)[position] for line in lines]
    else:
        back = n_columns - position
        cells = [line.rsplit(delimiter, back)[-back] for line in lines]
    return [cell.rstrip("\r\n") for cell in cells]


def is_data(cells: list[str]) -> bool:
    """Tell whether a first row is data and not the names of columns.

    Names may be whole numbers, such as years, or positions, as pandas writes them: ["3", "7"] and
    ["0.5", "cat"] are data, ["2019", "cat"] and ["0", "1"] are names.
    """
    numbers = [cell for cell in cells if is_number(cell)]
    if len(numbers) == len(cells):
        return len(cells) == 1 or cells != [str(i) for i in range(len(cells))]
    return any(not cell.strip().lstrip("+-").isdigit() for cell in numbers)


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number; 1_0, which Python reads as ten, is not."""
    if "_" in cell:
        return False
    try:
        float(cell)
    except ValueError:
        return False
    return True
