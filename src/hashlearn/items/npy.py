"""Items in a `.npy` file: read, never mapped, so that what was read is not kept in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import BinaryIO

import numpy as np

from hashlearn.items.arrays import (
    ArrayItems,
    StoredArray,
    as_features,
    as_native,
    check_column,
    check_features,
    read_all,
    read_header,
    read_into,
)
from hashlearn.items.base import Advance, Block, block_rows, register


@register(".npy")
class NpyItems(ArrayItems):
    """The rows of the one array of a file."""

    def check(self) -> None:
        """Raise unless the file holds a whole 2-D array of numbers."""
        if self.array is not None:
            raise self._error(f"holds one array without a name; array={self.array!r} is for .npz")
        check_features(self._stored, repr(self.path))

    @cached_property
    def _stored(self) -> StoredArray:
        with open(self.path, "rb") as file:
            return self._read_header(file)

    def _read_header(self, file: BinaryIO) -> StoredArray:
        return read_header(file, os.fstat(file.fileno()).st_size, repr(self.path))

    def _check_others(self, others: Sequence[str]) -> None:
        if others:
            raise self._error(f"is one array, without {others[0]!r}; give a file of its own for it")

    def _blocks(self, others: tuple[str, ...]) -> Iterator[Block]:
        step = block_rows(self.n_features(), self._stored.dtype)
        with open(self.path, "rb", buffering=0) as file:
            for start in range(0, self.n_items, step):
                rows = self._read(file, start, min(start + step, self.n_items))
                yield Block(as_features(rows), {})

    def rows(
        self,
        positions: np.ndarray,
        features: Sequence[str] | None = None,
        others: Sequence[str] = (),
        advance: Advance | None = None,
    ) -> Block:
        """Return the items at increasing positions; of the others nothing is read."""
        if self._stored.fortran_order:  # a row is spread over the whole file
            return super().rows(positions, features, others, advance)
        self.feature_names(features, others)
        rows = np.empty((len(positions), self.n_features()), dtype=self._stored.dtype)
        runs = np.flatnonzero(np.diff(positions, prepend=-2) != 1)
        with open(self.path, "rb", buffering=0) as file:
            for first, last in pairwise([*runs, len(positions)]):
                self._read_rows(file, int(positions[first]), rows[first:last])
        return Block(as_features(rows), {})

    def column(self, name: str | None = None) -> np.ndarray:
        """Return the whole array."""
        if name is not None:
            raise self._error(f"holds one array without a name; {name!r} is not in it")
        with open(self.path, "rb", buffering=0) as file:
            stored = self._read_header(file)
            check_column(stored, repr(self.path))
            return as_native(read_all(file, stored, repr(self.path)), repr(self.path))

    def _read(self, file: BinaryIO, start: int, stop: int) -> np.ndarray:
        if self._stored.fortran_order:
            return self._read_columns(file, start, stop).T
        rows = np.empty((stop - start, self.n_features()), dtype=self._stored.dtype)
        self._read_rows(file, start, rows)
        return rows

    def _read_rows(self, file: BinaryIO, start: int, rows: np.ndarray) -> None:
        row_bytes = self.n_features() * rows.itemsize
        file.seek(self._stored.offset + start * row_bytes)
        read_into(file, rows, repr(self.path))

    def _read_columns(self, file: BinaryIO, start: int, stop: int) -> np.ndarray:
        columns = np.empty((self.n_features(), stop - start), dtype=self._stored.dtype)
        for j, column in enumerate(columns):
            position = j * self.n_items + start
            file.seek(self._stored.offset + position * columns.itemsize)
            read_into(file, column, repr(self.path))
        return columns
