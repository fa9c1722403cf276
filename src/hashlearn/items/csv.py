"""Items in a `.csv` file: comma-separated UTF-8, with or without a row of names.

The csv module decides what a file means. Blocks without needed quotes, which are most, are read
by `numpy.loadtxt`, which is faster; what it refuses is left to the csv module.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple, TextIO

import numpy as np

from hashlearn.items.base import Block, register
from hashlearn.items.table import TableItems
from hashlearn.items.values import as_ids, as_numbers

MAX_TEXT = 1000  # characters of a label or id: every value takes the room of the longest
BLOCK_CHARACTERS = 2**22  # two per number at least: never more than 16 MiB of floats
# Around a whole value without commas, quotes and line ends. The quote comes before its look-behind,
# because a search for one character is fast.
NEEDLESS_QUOTES = re.compile(r'"(?<![^,]")([^",\r\n]*)"(?=[,\r\n]|\Z)')
CONTROL_CHARACTERS = frozenset(map(chr, range(32))) - set("\t\r\n")
SAMPLE_CHARACTERS = 2**18  # enough lines to estimate their mean length


class _Layout(NamedTuple):
    """The names of the columns, and the number of lines before the values."""

    columns: tuple[str, ...]
    n_header_lines: int


class _Record(NamedTuple):
    """One row of a table, and the line on which it begins."""

    line: int
    cells: list[str]


@register(".csv")
class CsvItems(TableItems):
    """The rows of a comma-separated table; all columns but those of `others` are numbers.

    If the first row is all numbers there is no row of names, and the columns are called '0', '1'
    and so on. Values of `others` are text.

    Parameters
    ----------
    path : str or path-like
        The file.
    array : None
        Must be None: a table is not an archive of arrays.
    """

    n_items = None
    has_types = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._layout.columns

    @cached_property
    def text_columns(self) -> tuple[str, ...]:  # type: ignore[override]  # computed once
        """The columns whose first value is neither a number nor empty."""
        first, _ = self._first_record(self._layout.n_header_lines)
        cells = zip(self.columns, first.cells if first else (), strict=False)
        return tuple(name for name, cell in cells if cell.strip() and not _is_number(cell))

    @property
    def approximate_n_items(self) -> int:
        """An estimate from the length of the first lines."""
        with self._open() as file:
            lines = self._read_lines(file, SAMPLE_CHARACTERS)
        n_bytes = sum(len(line.encode()) for line in lines)
        n_lines = len(lines) * os.stat(self.path).st_size / n_bytes
        return max(0, round(n_lines) - self._layout.n_header_lines)

    def column(self, name: str | None = None) -> np.ndarray:
        """Return a whole column, as numbers if all of its values are."""
        return as_numbers(super().column(name))

    def ids(self, name: str | None = None) -> np.ndarray:
        """Return a whole column of ids, as text if one of them is."""
        return as_ids(super().column(name))

    @cached_property
    def _layout(self) -> _Layout:
        first, line = self._first_record(0)
        if first is None:
            raise self._error("is empty; a table must have at least one row")
        if CONTROL_CHARACTERS.intersection("".join(first.cells)):  # a binary file of that name
            raise self._error("is not a table: its first row has control characters")
        if len(first.cells) == 1 and (other := next((c for c in ";\t" if c in first.cells[0]), "")):
            raise self._error(f"seems to be separated by {other!r}; it must have commas")
        if _is_data(first.cells):
            return _Layout(tuple(map(str, range(len(first.cells)))), 0)
        return _Layout(tuple(cell.strip() for cell in first.cells), line)

    def _first_record(self, line: int) -> tuple[_Record | None, int]:
        """Return the first row after some lines, if any, and the number of lines to its end."""
        first = None
        with self._open() as file:
            for _ in islice(file, line):
                pass
            while first is None and (lines := self._read_lines(file, 1)):
                records, n_lines = self._records(lines, file, line)
                first, line = next(iter(records), None), line + n_lines
        return first, line

    def read_blocks(self, features: tuple[str, ...], others: tuple[str, ...]) -> Iterator[Block]:
        """Yield blocks of columns that are known to exist."""
        with self._open() as file:
            line = self._layout.n_header_lines
            for _ in islice(file, line):
                pass
            while lines := self._read_lines(file, BLOCK_CHARACTERS):
                block = self._fast_block(lines, features, others)
                n_lines = len(lines)
                if block is None:
                    records, n_lines = self._records(lines, file, line)
                    block = self._exact_block(records, features, others)
                line += n_lines
                if len(block.features):
                    yield block

    def _open(self) -> TextIO:
        return open(self.path, encoding="utf-8-sig", newline="")

    def _read_lines(self, file: TextIO, n_characters: int) -> list[str]:
        """Return the next lines, of about this length together."""
        try:
            return file.readlines(n_characters)
        except UnicodeDecodeError as error:
            raise self._error("is not text in UTF-8") from error

    def _positions(self, names: tuple[str, ...]) -> list[int]:
        where = {name: position for position, name in enumerate(self.columns)}
        return [where[name] for name in names]

    def _fast_block(
        self, lines: list[str], features: tuple[str, ...], others: tuple[str, ...]
    ) -> Block | None:
        """Return the block of plain lines, or None if the csv module must decide."""
        n_columns = len(self.columns)
        if n_columns > 1:  # a single value that is empty in quotes is not a blank line
            lines = [NEEDLESS_QUOTES.sub(r"\1", line) if '"' in line else line for line in lines]
        lines = [line for line in lines if not line.isspace()]
        if not lines or any(line.count(",") != n_columns - 1 or '"' in line for line in lines):
            return None
        try:
            numbers = _numbers(lines, self._positions(features))
        except ValueError:
            return None
        positions = zip(others, self._positions(others), strict=True)
        texts = {name: self._as_text(_cells(lines, p, n_columns), name) for name, p in positions}
        return Block(numbers, texts)

    def _exact_block(
        self, records: list[_Record], features: tuple[str, ...], others: tuple[str, ...]
    ) -> Block:
        """Return the block of records, or raise at the first wrong one."""
        for record in records:
            if len(record.cells) != len(self.columns):
                raise self._error(
                    f"has {len(record.cells)} values in the row at line {record.line}, but "
                    f"{len(self.columns)} columns"
                )
        positions = self._positions(features)
        cells = [[record.cells[p] for p in positions] for record in records]
        try:
            numbers = np.array(cells, dtype=np.float64).reshape(len(records), len(features))
        except ValueError:
            raise self._not_a_number(records, features) from None
        if any("_" in cell for row in cells for cell in row):  # Python reads 1_0 as ten
            raise self._not_a_number(records, features)
        texts = {
            name: self._as_text([record.cells[p] for record in records], name)
            for name, p in zip(others, self._positions(others), strict=True)
        }
        return Block(numbers, texts)

    def _as_text(self, cells: list[str], name: str) -> np.ndarray:
        """Return a column as text; every value takes the room of the longest."""
        longest = max(map(len, cells), default=0)
        if longest > MAX_TEXT:
            raise self._error(
                f"has a value of {longest:,} characters in column {name!r}; labels and ids "
                f"must have at most {MAX_TEXT:,}"
            )
        return np.array(cells, dtype=str)

    def _not_a_number(self, records: list[_Record], features: tuple[str, ...]) -> ValueError:
        """Return the error about the first row with features that are not numbers."""
        places = dict(zip(features, self._positions(features), strict=True))
        for record in records:
            wrong = [name for name, p in places.items() if not _is_number(record.cells[p])]
            if wrong:
                break
        cell = record.cells[places[wrong[0]]]
        return self._error(
            f"has {cell[:40]!r} in column {wrong[0]!r} of the row at line "
            f"{record.line}, which is not a number; leave out what is not a feature "
            f"(--ignore {','.join(wrong)}), or name the features"
        )

    def _records(self, lines: list[str], file: TextIO, line: int) -> tuple[list[_Record], int]:
        """Return the rows that begin in these lines, and the number of lines read.

        A quoted value may hold line ends: then the last row continues in the file.
        """
        reader = csv.reader(chain(lines, file), strict=True)
        records = []
        while reader.line_num < len(lines):
            first = line + reader.line_num + 1
            try:
                cells = next(reader)
            except UnicodeDecodeError as error:
                raise self._error("is not text in UTF-8") from error
            except csv.Error as error:
                raise self._error(f"cannot be read from line {first} on: {error}") from error
            if cells and not (len(cells) == 1 and cells[0].isspace()):
                records.append(_Record(first, cells))
        return records, reader.line_num


def _numbers(lines: list[str], positions: list[int]) -> np.ndarray:
    """Return columns of lines without quotes as numbers."""
    if not positions:
        return np.empty((len(lines), 0))
    return np.loadtxt(lines, delimiter=",", comments=None, usecols=positions, ndmin=2)


def _cells(lines: list[str], position: int, n_columns: int) -> list[str]:
    """Return a column of lines without quotes, split from the nearer end."""
    if 2 * position < n_columns:
        cells = [line.split(",", position + 1)[position] for line in lines]
    else:
        back = n_columns - position
        cells = [line.rsplit(",", back)[-back] for line in lines]
    return [cell.rstrip("\r\n") for cell in cells]


def _is_data(cells: list[str]) -> bool:
    """Tell whether a first row is data and not the names of columns.

    Names may be whole numbers, such as years, or positions, as pandas writes them: ["3", "7"] and
    ["0.5", "cat"] are data, ["2019", "cat"] and ["0", "1"] are names.
    """
    numbers = [cell for cell in cells if _is_number(cell)]
    if len(numbers) == len(cells):
        return len(cells) == 1 or cells != [str(i) for i in range(len(cells))]
    return any(not cell.strip().lstrip("+-").isdigit() for cell in numbers)


def _is_number(cell: str) -> bool:
    """Tell whether a cell is a number; 1_0, which Python reads as ten, is not."""
    if "_" in cell:
        return False
    try:
        float(cell)
    except ValueError:
        return False
    return True
