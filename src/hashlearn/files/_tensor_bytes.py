"""Arrays as the bytes of a safetensors file: written, mapped, read and hashed in blocks."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from hashlearn._numerics.arrays import byte_blocks
from hashlearn.files.errors import FileFormatError

DTYPES = {
    "BOOL": np.dtype("?"),
    **{f"I{8 * size}": np.dtype(f"<i{size}") for size in (1, 2, 4, 8)},
    **{f"U{8 * size}": np.dtype(f"<u{size}") for size in (1, 2, 4, 8)},
    **{f"F{8 * size}": np.dtype(f"<f{size}") for size in (2, 4, 8)},
}
NAME_OF_DTYPE = {dtype: name for name, dtype in DTYPES.items()}

Entry = dict[str, Any]  # the header of one array in a safetensors file


def lay_out(tensors: Mapping[str, np.ndarray]) -> dict[str, Entry]:
    """Return the header's entries: large dtypes first, so that all arrays are aligned."""
    entries: dict[str, Entry] = {}
    start = 0
    for name in sorted(tensors, key=lambda name: (-tensors[name].itemsize, name)):
        array = tensors[name]
        entries[name] = {
            "dtype": NAME_OF_DTYPE[array.dtype.newbyteorder("<")],
            "shape": list(array.shape),
            "data_offsets": [start, start + array.nbytes],
        }
        start += array.nbytes
    return entries


def write_array(file: BinaryIO, array: np.ndarray) -> str:
    """Write an array's bytes and return their digest."""
    digest = hashlib.sha256()
    for block in byte_blocks(array, array.dtype.newbyteorder("<")):
        file.write(block)
        digest.update(block)
    return digest.hexdigest()


def map_arrays(file: BinaryIO, entries: Mapping[str, Entry], start: int) -> dict[str, np.ndarray]:
    """Return the arrays of a file, which begin at `start`, as read-only views."""
    data = np.memmap(file, dtype=np.uint8, mode="r")
    arrays = {}
    for name, entry in entries.items():
        dtype, shape, offset = _place(entry, data.size - start)
        stop = start + offset + math.prod(shape) * dtype.itemsize
        arrays[name] = data[start + offset : stop].view(dtype).reshape(shape)
    return arrays


def read_arrays(file: BinaryIO, entries: Mapping[str, Entry], start: int) -> dict[str, np.ndarray]:
    """Return the arrays of a file, which begin at `start`, as copies in memory."""
    size = os.fstat(file.fileno()).st_size - start
    arrays = {}
    for name, entry in entries.items():
        dtype, shape, offset = _place(entry, size)
        array = np.empty(shape, dtype)
        file.seek(start + offset)
        # A file can shrink while it is read.
        if file.readinto(_bytes(array)) != array.nbytes:  # type: ignore[attr-defined]
            raise FileFormatError("it is truncated")
        arrays[name] = array
    return arrays


def check_digests(arrays: Mapping[str, np.ndarray], digests: Mapping[str, str]) -> None:
    """Raise unless the arrays have these digests."""
    for name, array in arrays.items():
        digest = hashlib.sha256()
        for block in byte_blocks(array, array.dtype.newbyteorder("<")):
            digest.update(block)
        if digest.hexdigest() != digests[name]:
            raise FileFormatError(f"it is damaged: the checksum of {name!r} does not match")


def _place(entry: Entry, size: int) -> tuple[np.dtype[Any], tuple[int, ...], int]:
    """Return dtype, shape and offset of an array, which must be aligned and inside `size` bytes."""
    if entry["dtype"] not in DTYPES:
        raise FileFormatError(f"it holds an array of the unknown dtype {entry['dtype']!r}")
    dtype, shape = DTYPES[entry["dtype"]], tuple(entry["shape"])
    start, stop = entry["data_offsets"]
    fits = stop - start == math.prod(shape) * dtype.itemsize and 0 <= start <= stop <= size
    if not fits or start % dtype.itemsize or min(shape, default=0) < 0:
        raise FileFormatError("its array offsets do not match their sizes")
    return dtype, shape, start


def _bytes(array: np.ndarray) -> memoryview:
    """Return a contiguous array's bytes, not copied."""
    return array.reshape(-1).view(np.uint8).data
