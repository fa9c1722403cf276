"""Items in a `.csv` or `.tsv` file: separated UTF-8, with or without a row of names.

The csv module decides what a file means. Blocks without needed quotes, which are most, are read
by `numpy.loadtxt`, which is faster; what it refuses is left to the csv module.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple, TextIO

import numpy as np

from hashlearn._numerics.columns import text_array
from hashlearn.items._cells import (
    cells_of,
    check_delimiter,
    found_delimiter,
    is_data,
    is_number,
    needless_quotes,
    numbers_of,
)
from hashlearn.items.base import Block, register
from hashlearn.items.table import TableItems
from hashlearn.items.values import as_numbers

BLOCK_CHARACTERS = 2**22  # two per number at least: never more than 16 MiB of floats
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


@register(".tsv")
@register(".csv")
class CsvItems(TableItems):
    """The rows of a separated table; all columns but those of `others` are numbers.

    If the first row is all numbers there is no row of names, and the columns are called '0', '1'
    and so on. Values of `others` are text. A `.tsv` file is separated by tabs.

    Parameters
    ----------
    path : str or path-like
        The file.
    array : None
        Must be None: a table is not an archive of arrays.
    delimiter : str, optional
        The character between values. None: a comma, if the first line has one, or else the
        semicolon, tab or bar that it has most often.
    """

    n_items = None
    has_types = False
    has_delimiter = True

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._layout.columns

    @cached_property
    def text_columns(self) -> tuple[str, ...]:  # type: ignore[override]  # computed once
        """The columns whose first value is text: not empty, nor a number, even with a comma."""
        first, _ = self._first_record(self._layout.n_header_lines)
        if first is None or len(first.cells) != len(self.columns):  # told when it is read
            return ()
        cells = zip(self.columns, first.cells, strict=True)
        return tuple(
            name for name, cell in cells if cell.strip() and not is_number(cell.replace(",", "."))
        )

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
        return self._as_ids(super().column(name))

    @cached_property
    def _delimiter(self) -> str:
        """The separator that is given, or that of the first line."""
        if self.delimiter is not None:
            return check_delimiter(self.delimiter)
        usual = "\t" if self.path.lower().endswith(".tsv") else ","
        with self._open() as file:
            while lines := self._read_lines(file, 1):
                if not lines[0].isspace():
                    return found_delimiter(lines[0], usual)
        return usual

    @cached_property
    def _layout(self) -> _Layout:
        first, line = self._first_record(0)
        if first is None:
            raise self._error("is empty; a table must have at least one row")
        if CONTROL_CHARACTERS.intersection("".join(first.cells)):  # a binary file of that name
            raise self._error("is not a table: its first row has control characters")
        if is_data(first.cells):
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
        n_columns, delimiter = len(self.columns), self._delimiter
        if n_columns > 1:  # a single value that is empty in quotes is not a blank line
            quotes = needless_quotes(delimiter)
            lines = [quotes.sub(r"\1", line) if '"' in line else line for line in lines]
        lines = [line for line in lines if delimiter in line or not line.isspace()]
        if not lines or any(
            line.count(delimiter) != n_columns - 1 or '"' in line for line in lines
        ):
            return None
        try:
            numbers = numbers_of(lines, self._positions(features), delimiter)
        except ValueError:
            return None
        texts = {
            name: text_array(cells_of(lines, p, n_columns, delimiter))
            for name, p in zip(others, self._positions(others), strict=True)
        }
        return Block(numbers, texts)

    def _exact_block(
        self, records: list[_Record], features: tuple[str, ...], others: tuple[str, ...]
    ) -> Block:
        """Return the block of records, or raise at the first wrong one."""
        for record in records:
            if len(record.cells) != len(self.columns):
                raise self._error(
                    f"has {len(record.cells)} values in the row at line {record.line}, but "
                    f"{len(self.columns)} columns separated by {self._delimiter!r}"
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
            name: text_array([record.cells[p] for record in records])
            for name, p in zip(others, self._positions(others), strict=True)
        }
        return Block(numbers, texts)

    def _not_a_number(self, records: list[_Record], features: tuple[str, ...]) -> ValueError:
        """Return the error about the first row with features that are not numbers."""
        places = dict(zip(features, self._positions(features), strict=True))
        for record in records:
            wrong = [name for name, p in places.items() if not is_number(record.cells[p])]
            if wrong:
                break
        cell = record.cells[places[wrong[0]]]
        remedy = (
            f"leave out what is not a feature (--ignore {','.join(wrong)}), or name the features"
        )
        if is_number(cell.replace(",", ".")):
            remedy = "decimals must be written with a point"
        return self._error(
            f"has {cell[:40]!r} in column {wrong[0]!r} of the row at line "
            f"{record.line}, which is not a number; {remedy}"
        )

    def _records(self, lines: list[str], file: TextIO, line: int) -> tuple[list[_Record], int]:
        """Return the rows that begin in these lines, and the number of lines read.

        A quoted value may hold line ends: then the last row continues in the file.
        """
        reader = csv.reader(chain(lines, file), delimiter=self._delimiter, strict=True)
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
