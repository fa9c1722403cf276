"""Items in an `.npz` archive, whose arrays are streamed out of the zip file, not loaded."""

from __future__ import annotations

import errno
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import IO, cast

import numpy as np

from hashlearn._numerics.columns import NUMBERS, did_you_mean, listing
from hashlearn.items._arrays import ArrayItems, StoredArray, as_features
from hashlearn.items.base import Block, register

SUFFIX = ".npy"  # of the arrays inside the archive
WHOLE_BYTES = 2**28  # the limit for arrays in Fortran order, whose rows cannot be streamed
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@register(".npz")
class NpzItems(ArrayItems):
    """The rows of one array of an archive; arrays with the same number of rows can be read beside.

    Parameters
    ----------
    path : str or path-like
        The file.
    array : str, optional
        The array that holds the items; needed if several could.
    """

    def check(self) -> None:
        """Raise unless the archive holds the array, and it is whole, 2-D and of numbers."""
        self._stored.check_features()
        self._check_order(self._stored)

    @cached_property
    def _arrays(self) -> dict[str, StoredArray]:
        """The headers of all arrays."""
        with self._archive() as archive:
            names = [name for name in archive.namelist() if name.endswith(SUFFIX)]
            return {name.removesuffix(SUFFIX): self._header(archive, name) for name in names}

    def _header(self, archive: zipfile.ZipFile, member: str) -> StoredArray:
        with archive.open(member) as file:
            called = f"{member.removesuffix(SUFFIX)!r} of {self.called}"
            n_bytes = archive.getinfo(member).file_size
            return StoredArray.at_start(cast(IO[bytes], file), n_bytes, called)

    @cached_property
    def _name(self) -> str:
        """The name of the array that holds the items."""
        if self.array is not None:
            return self._known(self.array)
        tables = [
            name
            for name, stored in self._arrays.items()
            if len(stored.shape) == 2 and stored.dtype.kind in NUMBERS
        ]
        if len(tables) == 1:
            return tables[0]
        if tables:
            raise self._error(
                f"has several arrays that may be the items, {listing(tables)}; name one of them "
                f"(--array {tables[0]})"
            )
        raise self._error(f"holds no 2-D array of numbers; it has {listing(list(self._arrays))}")

    @property
    def _stored(self) -> StoredArray:
        return self._arrays[self._name]

    def _known(self, name: str) -> str:
        if name not in self._arrays:
            known = list(self._arrays)
            raise self._error(
                f"has no array {name!r}{did_you_mean(name, known)}; it has {listing(known)}"
            )
        return name

    def _check_others(self, others: Sequence[str]) -> None:
        for name in others:
            stored = self._arrays[self._known(name)]
            stored.check_column()
            self._check_order(stored)
            if stored.shape[0] != self.n_items:
                raise self._error(
                    f"has {stored.shape[0]:,} rows in {name!r} and {self.n_items:,} items in "
                    f"{self._name!r}"
                )

    def _check_order(self, stored: StoredArray) -> None:
        if stored.fortran_order and stored.n_bytes > WHOLE_BYTES:
            raise ValueError(
                f"{stored.called} is in Fortran order and too large to be read at once "
                f"({stored.n_bytes:,} bytes); save it in C order, or as .npy."
            )

    def _blocks(self, others: tuple[str, ...]) -> Iterator[Block]:
        step = self._block_rows(self.n_features(), self._stored.dtype)
        with self._archive() as archive, ExitStack() as stack:
            readers = {
                name: stack.enter_context(self._reader(archive, name))
                for name in {self._name, *others}
            }
            for start in range(0, self.n_items, step):
                n_rows = min(step, self.n_items - start)
                rows = {name: reader.read(n_rows) for name, reader in readers.items()}
                values = {name: self._arrays[name].as_column(rows[name]) for name in others}
                yield Block(as_features(rows[self._name]), values)

    def column(self, name: str | None = None) -> np.ndarray:
        """Return a whole array; without a name, the only one."""
        if name is None and len(self._arrays) != 1:
            raise self._error(f"has several arrays; name one of {listing(list(self._arrays))}")
        name = next(iter(self._arrays)) if name is None else self._known(name)
        stored = self._arrays[name]
        stored.check_column()
        with self._archive() as archive, self._reader(archive, name) as reader:
            return stored.as_column(reader.read(stored.shape[0]))

    @contextmanager
    def _archive(self) -> Iterator[zipfile.ZipFile]:
        """Open the archive; every problem with it becomes an error of one sentence."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                yield archive
        except (*BROKEN, OSError) as error:
            # A wrong position to seek is an invalid argument; other errors are the system's.
            if isinstance(error, OSError) and error.errno != errno.EINVAL:
                raise
            raise self._error(f"is not a whole .npz archive: {error}") from error

    @contextmanager
    def _reader(self, archive: zipfile.ZipFile, name: str) -> Iterator[_RowReader]:
        with archive.open(name + SUFFIX) as file:
            file.read(self._arrays[name].offset)
            yield _RowReader(cast(IO[bytes], file), self._arrays[name])


class _RowReader:
    """Reads consecutive rows of an array from a stream."""

    def __init__(self, file: IO[bytes], stored: StoredArray) -> None:
        self.file, self.stored = file, stored
        self.rest: np.ndarray | None = None  # of an array in Fortran order, which is read whole

    def read(self, n_rows: int) -> np.ndarray:
        """Return the next rows."""
        if not self.stored.fortran_order:
            return self.stored.read_rows(self.file, n_rows)
        if self.rest is None:
            self.rest = self.stored.read_rows(self.file, n_rows)
        rows, self.rest = self.rest[:n_rows], self.rest[n_rows:]
        return rows
