"""Arrays of numbers in MATLAB files of versions 5 to 7.

`scipy.io.loadmat` reads more of the format, but a damaged file can crash the interpreter: with
SciPy 1.17, one wrong byte in the type of a variable's values (0 instead of 9, for double) is a
segmentation fault. Here it is a ValueError. Memory and time are the same as those of SciPy.

After a header, a file is a sequence of elements: a tag (type, size), then data. A variable is an
element made of elements: flags, shape, name, values; it may be compressed.
"""

from __future__ import annotations

import math
import zlib
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from scipy import sparse

HEADER_BYTES = 128
BYTE_ORDERS = {b"IM": "<", b"MI": ">"}
MATRIX, COMPRESSED = 14, 15
# The types of data, and the classes of variables: MATLAB stores doubles without a fraction as
# small integers.
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
READ_BYTES = 2**16  # compressed bytes read at once


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
            kind, size, _ = _Elements(file, order).tag()
            end = file.tell() + size
            if end > n_bytes:
                raise ValueError(f"it is truncated: {end - n_bytes:,} bytes are missing")
            if kind in (MATRIX, COMPRESSED):
                found.append(_read_head(_open_variable(file, order, offset), offset))
            offset = end
    return [variable for variable in found if variable.kind in {*CLASSES, SPARSE}]


def read_variable(path: Path, variable: Variable) -> np.ndarray | sparse.csr_array:
    """Return the values of a variable, in the type that MATLAB shows."""
    if variable.is_complex:
        raise ValueError(f"{variable.name!r} has complex numbers; they must be real")
    with path.open("rb") as file:
        elements = _open_variable(file, _byte_order(file), variable.offset)
        _read_head(elements, variable.offset)
        parts = [elements.values() for _ in range(3 if variable.kind == SPARSE else 1)]
        # At its end a compressed stream compares its checksum.
        if elements.compressed and elements.stream.read(1):
            raise ValueError(f"{variable.name!r} has more data than it should")
    if variable.kind == SPARSE:
        return _as_csr(*parts, shape=variable.shape)
    (values,) = parts
    if values.size != math.prod(variable.shape):
        raise ValueError(f"{variable.name!r} has {values.size:,} values for {variable.shape}")
    values = values.astype(CLASSES[variable.kind], copy=False)
    return values.reshape(variable.shape, order="F")


class _Inflating:
    """A compressed part of a file, decompressed while it is read."""

    def __init__(self, file: IO[bytes], n_bytes: int) -> None:
        self.file = file
        self.n_left = n_bytes
        self.inflate = zlib.decompressobj()

    def read(self, n_bytes: int) -> bytearray:
        """Return the next bytes, fewer at the end."""
        data = bytearray()
        while len(data) < n_bytes and not self.inflate.eof:
            packed = self.inflate.unconsumed_tail
            if not packed:
                packed = self.file.read(min(READ_BYTES, self.n_left))
                self.n_left -= len(packed)
            part = self.inflate.decompress(packed, n_bytes - len(data))
            if not packed and not part:
                raise ValueError("its compressed data are truncated")
            data += part
        return data


class _Elements:
    """Reads elements from a stream, one after the other."""

    def __init__(self, stream: Any, order: str, *, compressed: bool = False) -> None:
        self.stream = stream
        self.order = order
        self.compressed = compressed

    def tag(self) -> tuple[int, int, bytes | None]:
        """Return type and size of the next element, and its data if they are part of the tag."""
        (word,) = np.frombuffer(self._exactly(4), self.order + "u4").tolist()
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
        return np.frombuffer(data, dtype, size // dtype.itemsize)

    def _exactly(self, n_bytes: int) -> bytes:
        data = self.stream.read(n_bytes)
        if len(data) != n_bytes:
            raise ValueError(f"it is truncated: {n_bytes - len(data):,} bytes are missing")
        return data


def _byte_order(file: IO[bytes]) -> str:
    file.seek(HEADER_BYTES - 2)
    mark = file.read(2)
    if mark not in BYTE_ORDERS:
        raise ValueError(f"its header ends with {mark!r}")
    return BYTE_ORDERS[mark]


def _open_variable(file: IO[bytes], order: str, offset: int) -> _Elements:
    """Return the elements of the variable at an offset, decompressed."""
    file.seek(offset)
    elements = _Elements(file, order)
    kind, size, _ = elements.tag()
    if kind == COMPRESSED:
        elements = _Elements(_Inflating(file, size), order, compressed=True)
        kind, _, _ = elements.tag()
    if kind != MATRIX:
        raise ValueError(f"a variable has the type {kind}")
    return elements


def _read_head(elements: _Elements, offset: int) -> Variable:
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
    """Check and convert compressed columns, whose arrays may be longer than needed."""
    n_values = int(starts[-1]) if starts.size else 0
    parts = values[:n_values].astype(np.float64), rows[:n_values], starts
    columns = sparse.csc_array(parts, shape=shape)
    columns.check_format(full_check=True)
    return sparse.csr_array(columns)
