"""Items in a `.npy` file.

Blocks are read, not mapped by `numpy.load(mmap_mode="r")`: pages of a map that were read stay in
the memory of the process, a sample of rows would read their surroundings too, and a file that
shrinks while it is mapped ends the program instead of raising an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import BinaryIO

import numpy as np

from hashlearn.items._arrays import ArrayItems, StoredArray, as_features, read_into
from hashlearn.items.base import Advance, Block, register


@register(".npy")
class NpyItems(ArrayItems):
    """The rows of the one array of a file.

    Parameters
    ----------
    path : str or path-like
        The file.
    array : None
        Must be None: the array has no name.
    """

    def check(self) -> None:
        """Raise unless the file holds a whole 2-D array of numbers."""
        if self.array is not None:
            raise self._error(f"holds one array without a name; array={self.array!r} is for .npz")
        self._stored.check_features()

    @cached_property
    def _stored(self) -> StoredArray:
        return _stored_array(self.path, self.called)

    def _check_others(self, others: Sequence[str]) -> None:
        if others:
            raise self._error(f"is one array, without {others[0]!r}; give a file of its own for it")

    def _blocks(self, others: tuple[str, ...]) -> Iterator[Block]:
        step = self._block_rows(self.n_features(), self._stored.dtype)
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
        """Return the items at increasing positions; the others are not read."""
        if self._stored.fortran_order:  # a row is spread over the whole file
            return super().rows(positions, features, others, advance)
        self.feature_names(features, others)
        rows = np.empty((len(positions), self.n_features()), dtype=self._stored.dtype)
        runs = np.flatnonzero(np.diff(positions, prepend=-2) != 1)
        with open(self.path, "rb", buffering=0) as file:
            for first, last in pairwise([*runs, len(positions)]):
                self._fill(file, int(positions[first]) * self.n_features(), rows[first:last])
        return Block(as_features(rows), {})

    def mapped(self) -> np.ndarray:
        """Return the array as a memory map."""
        return map_array(self.path)

    def column(self, name: str | None = None) -> np.ndarray:
        """Return the whole array."""
        if name is not None:
            raise self._error(f"holds one array without a name; {name!r} is not in it")
        stored = self._stored
        stored.check_column()
        with open(self.path, "rb", buffering=0) as file:
            file.seek(stored.offset)
            return stored.as_column(stored.read_rows(file, stored.shape[0]))

    def _read(self, file: BinaryIO, start: int, stop: int) -> np.ndarray:
        """Return consecutive rows."""
        if not self._stored.fortran_order:
            rows = np.empty((stop - start, self.n_features()), dtype=self._stored.dtype)
            self._fill(file, start * self.n_features(), rows)
            return rows
        columns = np.empty((self.n_features(), stop - start), dtype=self._stored.dtype)
        for j, column in enumerate(columns):
            self._fill(file, j * self.n_items + start, column)
        return columns.T

    def _fill(self, file: BinaryIO, position: int, numbers: np.ndarray) -> None:
        """Read the numbers of the file from a position on."""
        file.seek(self._stored.offset + position * numbers.itemsize)
        read_into(file, numbers, self.called)


def map_array(path: str | os.PathLike[str]) -> np.ndarray:
    """Map the array of a ``.npy`` file into memory, after a check that the file is whole.

    Parameters
    ----------
    path : str or path-like
        The file. It must not be written to while it is mapped.

    Returns
    -------
    array : memory map
        Read-only, of numbers or text; values are read from the file when they are used.

    Raises
    ------
    ValueError
        If the file is not a whole array as `numpy.save` writes it, or holds Python objects.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from hashlearn.items import map_array
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/X.npy", np.zeros((3, 2)))
    ...     map_array(f"{folder}/X.npy").shape
    (3, 2)
    """
    _stored_array(path, repr(os.fspath(path)))
    return np.load(path, mmap_mode="r", allow_pickle=False)


def _stored_array(path: str | os.PathLike[str], called: str) -> StoredArray:
    """Return the header of a file, which is checked to be whole."""
    with open(path, "rb") as file:
        n_bytes = os.fstat(file.fileno()).st_size
        return StoredArray.at_start(file, n_bytes, called)
