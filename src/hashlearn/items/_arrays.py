"""Arrays as `numpy.save` writes them: headers checked before anything is read, no pickle.

The headers are parsed by numpy. Its own readers do not say in one sentence which file is broken
and how, and read whole arrays: here, blocks of rows are read, from archives too.
"""

from __future__ import annotations

import math
import tokenize
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple, Self

import numpy as np
from numpy.lib import format as npy_format

from hashlearn._numerics.columns import NUMBERS, feature_dtype
from hashlearn.items.base import Block, Items

COLUMN_KINDS = NUMBERS + "US"  # labels may be text
READERS = {
    (1, 0): npy_format.read_array_header_1_0,
    (2, 0): npy_format.read_array_header_2_0,
}  # version 3.0 is for names of structured arrays only, which are not read
BROKEN = (  # what numpy raises for headers that it did not write
    ArithmeticError,
    LookupError,
    MemoryError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
    tokenize.TokenError,
)


class StoredArray(NamedTuple):
    """The header of an array, where its numbers begin, and the name of the array in messages."""

    called: str
    shape: tuple[int, ...]
    fortran_order: bool
    dtype: np.dtype[Any]
    offset: int

    @classmethod
    def at_start(cls, file: IO[bytes], n_bytes: int, called: str) -> Self:
        """Read and check the header of a file of `n_bytes` bytes, which is then at the numbers."""
        try:
            header = READERS[npy_format.read_magic(file)](file)
            stored = cls(called, *header, file.tell())
            whole = all(size >= 0 for size in stored.shape)
        except BROKEN as error:
            raise ValueError(f"{called} is not a whole array as numpy.save writes it.") from error
        if stored.dtype.hasobject:
            raise ValueError(f"{called} holds Python objects; it must hold numbers or text.")
        if not whole or stored.offset + stored.n_bytes > n_bytes:
            raise ValueError(
                f"{called} is truncated or damaged: an array of shape {stored.shape} and type "
                f"{stored.dtype} needs {stored.offset + stored.n_bytes:,} bytes, but there are "
                f"{n_bytes:,}."
            )
        return stored

    @property
    def n_bytes(self) -> int:
        """The size of the array's data."""
        return math.prod(self.shape) * self.dtype.itemsize

    def check_features(self) -> None:
        """Raise unless the array can be the features of items."""
        if self.dtype.kind not in NUMBERS:
            raise ValueError(
                f"{self.called} has the type {self.dtype}; features must be real numbers."
            )
        if len(self.shape) != 2 or not self.shape[1]:
            raise ValueError(
                f"{self.called} has the shape {self.shape}; it must be a 2-D array with one item "
                "per row and at least one column."
            )

    def check_column(self) -> None:
        """Raise unless the array can be labels or ids: one value, or row of numbers, per item."""
        if self.dtype.kind not in COLUMN_KINDS:
            raise ValueError(
                f"{self.called} has the type {self.dtype}; it must be real numbers or text."
            )
        if len(self.shape) not in (1, 2):
            raise ValueError(
                f"{self.called} has the shape {self.shape}; it must be a 1-D or 2-D array."
            )

    def read_rows(self, file: IO[bytes], n_rows: int) -> np.ndarray:
        """Return the next rows of a file; in Fortran order all rows, if it is at the first."""
        shape = self.shape[::-1] if self.fortran_order else (n_rows, *self.shape[1:])
        array = np.empty(shape, dtype=self.dtype)
        read_into(file, array, self.called)
        return array.T if self.fortran_order else array

    def as_column(self, rows: np.ndarray) -> np.ndarray:
        """Return rows C-contiguous and in this machine's byte order; bytes become text."""
        if rows.dtype.kind != "S":
            return np.ascontiguousarray(rows, dtype=rows.dtype.newbyteorder("="))
        try:
            return np.char.decode(rows, "utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.called} holds bytes that are not text in UTF-8.") from error


class ArrayItems(Items):
    """Items that are the rows of an array: their features have no names."""

    columns = None

    @property
    @abstractmethod
    def _stored(self) -> StoredArray:
        """The header of the array."""

    @abstractmethod
    def _check_others(self, others: Sequence[str]) -> None:
        """Raise if one of these cannot be read beside the items."""

    @abstractmethod
    def _blocks(self, others: tuple[str, ...]) -> Iterator[Block]:
        """Yield blocks with these columns beside the items."""

    @property
    def n_items(self) -> int:
        """The number of rows."""
        return self._stored.shape[0]

    def feature_names(
        self, features: Sequence[str] | None = None, others: Sequence[str] = ()
    ) -> None:
        """Return None: columns of an array have no names."""
        if features is not None:
            self.select_columns(features)
        self._check_others(others)

    def n_features(self, features: Sequence[str] | None = None, others: Sequence[str] = ()) -> int:
        """Return the number of columns."""
        self.feature_names(features, others)
        return self._stored.shape[1]

    def blocks(
        self, features: Sequence[str] | None = None, others: Sequence[str] = ()
    ) -> Iterator[Block]:
        """Check the names at once, then yield consecutive rows."""
        self.feature_names(features, others)
        return self._blocks(tuple(others))


def as_features(rows: np.ndarray) -> np.ndarray:
    """Return rows of an array in the type and order of a block's features."""
    return np.ascontiguousarray(rows, dtype=feature_dtype(rows.dtype))


def read_into(file: IO[bytes], array: np.ndarray, name: str) -> None:
    """Fill a C-contiguous array from a file, or raise if the file ends before."""
    if not array.nbytes:
        return
    buffer = array.reshape(-1).view(np.uint8).data
    while buffer:
        # A file object may return less than was asked for.
        n_read = file.readinto(buffer)  # type: ignore[attr-defined]
        if not n_read:
            raise ValueError(f"{name} is truncated: {len(buffer):,} bytes are missing.")
        buffer = buffer[n_read:]
