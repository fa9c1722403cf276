"""The idx format of MNIST: a big-endian header, then bytes."""

from __future__ import annotations

import gzip
import math
import os
import struct
import zlib
from pathlib import Path

import numpy as np

from hashlearn.datasets.files import check_file

GZIP = b"\x1f\x8b"
UNSIGNED_BYTE = 8  # the idx code of the only type that MNIST has


def read_idx(path: Path, shape: tuple[int, ...]) -> tuple[bytes, np.ndarray]:
    """Read an idx file of bytes, gzipped or plain.

    Parameters
    ----------
    path : Path
        The file.
    shape : tuple of int
        The shape that the array must have; no more is unpacked than it needs.

    Returns
    -------
    content : bytes
        The whole decompressed file.
    array : ndarray of uint8
        A view of the content, read-only.
    """
    check_file(path)
    called = repr(os.fspath(path))
    header = idx_header(shape)
    content = _unpacked(path, len(header) + math.prod(shape) + 1, called)
    found = content[: len(header)]
    if found[:4] != header[:4]:
        raise ValueError(
            f"{called} starts with {found[:4].hex()}; an idx file of bytes with {len(shape)} "
            f"dimensions starts with {header[:4].hex()}."
        )
    if found != header:
        sizes = struct.unpack(f">{len(shape)}I", found[4:].ljust(4 * len(shape), b"\0"))
        raise ValueError(f"{called} holds an array of shape {sizes}; it should be {shape}.")
    if len(content) != len(header) + math.prod(shape):
        raise ValueError(
            f"{called} does not end where it should: an array of shape {shape} needs "
            f"{len(header) + math.prod(shape):,} bytes."
        )
    return content, np.frombuffer(content, np.uint8, offset=len(header)).reshape(shape)


def idx_header(shape: tuple[int, ...]) -> bytes:
    """Return the start of an idx file that holds bytes in an array of this shape.

    Examples
    --------
    >>> idx_header((60000, 28, 28)).hex()
    '000008030000ea600000001c0000001c'
    """
    return struct.pack(f">4B{len(shape)}I", 0, 0, UNSIGNED_BYTE, len(shape), *shape)


def _unpacked(path: Path, most: int, called: str) -> bytes:
    """Return at most so many bytes of a file, decompressed where it is compressed."""
    with path.open("rb") as file:
        if file.read(2) != GZIP:
            file.seek(0)
            return file.read(most)
    try:
        with gzip.open(path) as unzipped:
            return unzipped.read(most)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{called} is cut short or damaged: {error}") from error
