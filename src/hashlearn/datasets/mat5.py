"""MATLAB's file format of versions 5 to 7, as far as arrays of numbers go.

`scipy.io.loadmat` reads more of it, but a damaged file can crash the interpreter there. After a
header, a file is a sequence of elements: a tag (type, size), then data. A variable is an element
made of elements: flags, shape, name, values; it may be compressed.
"""

from __future__ import annotations

import io
import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from scipy import sparse

HEADER_BYTES = 128
BYTE_ORDERS = {b"IM": "<", b"MI": ">"}
MATRIX, COMPRESSED = 14, 15
# The types of data, and the classes of variables: MATLAB stores whole doubles as small integers.
TYPES = {
    **{1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4"},
    **{7: "f4", 9: "f8", 12: "i8", 13: "u8", 16: "u1"},  # the last is text in UTF-8
}
CLASSES = {
    **{6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2"},
    **{12: "i4", 13: "u4", 14: "i8", 15: "u8"},
}
SPARSE = 5
COMPLEX = 0x0800
CHUNK = 2**16


class Variable(NamedTuple):
    """An array of numbers in a file, and where its element starts."""

    name: str
    shape: tuple[int, ...]
    kind: int
    is_complex: bool
    offset: int


def list_variables(path: Path) -> list[Variable]:
    """Return the arrays of numbers that a file holds; their values are not read."""
    n_bytes, offset, found = path.stat().st_size, HEADER_BYTES, []
    with path.open("rb") as file:
        order = _byte_order(file)
        while offset < n_bytes:
            file.seek(offset)
            kind, size, _ = Elements(file, order).tag()
            end = file.tell() + size
            if end > n_bytes:
                raise ValueError(f"it ends {end - n_bytes:,} bytes too early")
            if kind in (MATRIX, COMPRESSED):
                with _variable_elements(file, order, offset) as elements:
                    found.append(_read_head(elements, offset))
            offset = end
    return [variable for variable in found if variable.kind in {*CLASSES, SPARSE}]


def read_variable(path: Path, variable: Variable) -> np.ndarray | sparse.csr_array:
    """Return the values of a variable, in the type that MATLAB shows."""
    if variable.is_complex:
        raise ValueError(f"{variable.name!r} has complex numbers, not real ones")
    with path.open("rb") as file:
        order = _byte_order(file)
        with _variable_elements(file, order, variable.offset) as elements:
            _read_head(elements, variable.offset)
            parts = [elements.values() for _ in range(3 if variable.kind == SPARSE else 1)]
            # At its end a compressed stream checks its sum.
            if elements.compressed and elements.stream.read(1):
                raise ValueError(f"{variable.name!r} has more data than it should")
    if variable.kind == SPARSE:
        return _as_csr(*parts, shape=variable.shape)
    (values,) = parts
    if values.size != math.prod(variable.shape):
        raise ValueError(f"{variable.name!r} has {values.size:,} values for {variable.shape}")
    values = values.astype(CLASSES[variable.kind], copy=False)
    return values.reshape(variable.shape, order="F")


class Elements:
    """Reads elements out of a stream, one after the other."""

    def __init__(
        self, stream: IO[bytes] | io.BufferedReader, order: str, *, compressed: bool = False
    ) -> None:
        self.stream = stream
        self.order = order
        self.compressed = compressed

    def tag(self) -> tuple[int, int, bytes | None]:
        """Return type and size of the next element, and its data where they fit into the tag."""
        start = self._exactly(4)
        (word,) = np.frombuffer(start, self.order + "u4").tolist()
        if word >> 16:
            return word & 0xFFFF, word >> 16, self._exactly(4)
        (size,) = np.frombuffer(self._exactly(4), self.order + "u4").tolist()
        return word, size, None

    def values(self) -> np.ndarray:
        """Return the numbers of the next element."""
        kind, size, data = self.tag()
        if kind not in TYPES or (data is not None and size > len(data)):
            raise ValueError(f"an element has the type {kind} and {size:,} bytes")
        dtype = np.dtype(self.order + TYPES[kind])
        if size % dtype.itemsize:
            raise ValueError(f"an element of {dtype} has {size:,} bytes")
        if data is None:
            data = self._exactly(size)
            self.stream.read(-size % 8)  # elements start at multiples of 8
        return np.frombuffer(data[:size], dtype)

    def _exactly(self, n_bytes: int) -> bytes:
        data = self.stream.read(n_bytes)
        if len(data) != n_bytes:
            raise ValueError(f"it ends {n_bytes - len(data):,} bytes too early")
        return data


class Inflating(io.RawIOBase):
    """The decompressed bytes of a stream, made when they are read."""

    def __init__(self, file: IO[bytes], n_bytes: int) -> None:
        self.file = file
        self.n_left = n_bytes
        self.inflate = zlib.decompressobj()

    def readable(self) -> bool:
        """Tell that it is for reading."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as one chunk goes."""
        while not self.inflate.eof:
            chunk = self.inflate.unconsumed_tail or self.file.read(min(CHUNK, self.n_left))
            if not self.inflate.unconsumed_tail:
                self.n_left -= len(chunk)
            data = self.inflate.decompress(chunk, len(buffer))
            if data:
                buffer[: len(data)] = data
                return len(data)
            if not chunk:
                raise ValueError("compressed data end too early")
        return 0


def _byte_order(file: IO[bytes]) -> str:
    file.seek(HEADER_BYTES - 2)
    mark = file.read(2)
    if mark not in BYTE_ORDERS:
        raise ValueError(f"its header ends with {mark!r}")
    return BYTE_ORDERS[mark]


@contextmanager
def _variable_elements(file: IO[bytes], order: str, offset: int) -> Iterator[Elements]:
    """Give the elements of the variable at an offset, decompressed."""
    file.seek(offset)
    elements = Elements(file, order)
    kind, size, _ = elements.tag()
    if kind == COMPRESSED:
        inflated = io.BufferedReader(Inflating(file, size), CHUNK)
        elements = Elements(inflated, order, compressed=True)
        kind, _, _ = elements.tag()
    if kind != MATRIX:
        raise ValueError(f"a variable has the type {kind}")
    yield elements


def _read_head(elements: Elements, offset: int) -> Variable:
    flags, shape, name = elements.values(), elements.values(), elements.values()
    if flags.size != 2 or shape.dtype.kind not in "iu" or shape.size < 2 or (shape < 0).any():
        raise ValueError("a variable has no shape")
    word = int(flags[0])
    return Variable(
        name=name.tobytes().decode("latin-1"),
        shape=tuple(shape.tolist()),
        kind=word & 0xFF,
        is_complex=bool(word & COMPLEX),
        offset=offset,
    )


def _as_csr(
    rows: np.ndarray, starts: np.ndarray, values: np.ndarray, *, shape: tuple[int, ...]
) -> sparse.csr_array:
    """Check and turn compressed columns, which may have room for more values than there are."""
    n_values = int(starts[-1]) if starts.size else 0
    parts = values[:n_values].astype(np.float64), rows[:n_values], starts
    columns = sparse.csc_array(parts, shape=shape)
    columns.check_format(full_check=True)
    return sparse.csr_array(columns)
