"""MNIST: handwritten digits, from the four official idx files or OpenML."""

from __future__ import annotations

import gzip
import math
import os
import struct
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hashlearn.datasets._files import Folder, check_file, check_md5, download, find_file
from hashlearn.datasets.base import Dataset, register

SUBFOLDERS = ("mnist", "MNIST", "MNIST/raw")
SIDE = 28
GZIP = b"\x1f\x8b"
UNSIGNED_BYTE = 8  # the idx code of the only type that MNIST has


class _IdxFile(NamedTuple):
    """One of the four files, and the md5 of its decompressed content."""

    stem: str
    kind: str
    shape: tuple[int, ...]
    md5: str

    @property
    def names(self) -> list[str]:
        """The names in use: as distributed or as some tools unpack it, gzipped or not."""
        plain = [f"{self.stem}-{self.kind}", f"{self.stem}.{self.kind}"]
        return plain + [f"{name}.gz" for name in plain]


FILES = (
    _IdxFile("train-images", "idx3-ubyte", (60000, SIDE, SIDE), "6bbc9ace898e44ae57da46a324031adb"),
    _IdxFile("train-labels", "idx1-ubyte", (60000,), "a25bea736e30d166cdddb491f175f624"),
    _IdxFile("t10k-images", "idx3-ubyte", (10000, SIDE, SIDE), "2646ac647ad5339dbf082846283269ea"),
    _IdxFile("t10k-labels", "idx1-ubyte", (10000,), "27ae3e4e09519cfbb04c329615203637"),
)


@register("mnist")
def load_mnist(data_home: Folder | None = None, *, download_if_missing: bool = True) -> Dataset:
    """Load MNIST: 70,000 handwritten digits of 28 x 28 pixels in 10 classes.

    The four official files (``train-images-idx3-ubyte`` and so on, gzipped or plain) are looked
    for in the data folders and in ``mnist/`` there; otherwise the set is fetched from OpenML. In
    both cases the content must have the known checksums. The training images come first.

    Parameters
    ----------
    data_home : str or path-like, optional
        The folder to search before ``HASHLEARN_DATA`` and scikit-learn's data home.
    download_if_missing : bool, default=True
        Whether to fetch the set from OpenML if files are missing.

    Returns
    -------
    Dataset
        `X` is float32 from 0 to 1, `y` the digits, `images` uint8.

    Examples
    --------
    >>> from hashlearn.datasets import load_mnist
    >>> load_mnist()  # doctest: +SKIP
    Dataset('mnist': 70,000 items, 784 features, 10 classes, images 28 x 28)
    """
    found = {file: find_file(file.names, SUBFOLDERS, data_home) for file in FILES}
    absent = [f"{file.stem}-{file.kind}.gz" for file, path in found.items() if path is None]
    if absent:
        images, labels = _download(absent, data_home, allowed=download_if_missing)
    else:
        parts = [_read(file, path) for file, path in found.items() if path is not None]
        images, labels = np.concatenate(parts[::2]), np.concatenate(parts[1::2])
    return Dataset(
        name="mnist",
        X=images.reshape(len(images), -1) / np.float32(255),
        y=labels.astype(np.int64),
        images=images,
        label_names=tuple("0123456789"),
    )


def _read(file: _IdxFile, path: Path) -> np.ndarray:
    content, array = _read_idx(path, file.shape)
    check_md5(content, file.md5, repr(os.fspath(path)))
    return array


def _read_idx(path: Path, shape: tuple[int, ...]) -> tuple[bytes, np.ndarray]:
    """Read an idx file of bytes, gzipped or plain; return its content, decompressed, and a view.

    The array must have this shape; no more is decompressed than it needs.
    """
    check_file(path)
    called = repr(os.fspath(path))
    header = _idx_header(shape)
    content = _unpacked(path, len(header) + math.prod(shape) + 1, called)
    found = content[: len(header)]
    if found[:4] != header[:4]:
        raise ValueError(
            f"{called} must start with {header[:4].hex()}, as an idx file of bytes with "
            f"{len(shape)} dimensions; got {found[:4].hex()}."
        )
    if found != header:
        sizes = struct.unpack(f">{len(shape)}I", found[4:].ljust(4 * len(shape), b"\0"))
        raise ValueError(f"{called} must hold an array of shape {shape}; got {sizes}.")
    if len(content) != len(header) + math.prod(shape):
        raise ValueError(
            f"{called} does not end where it should: an array of shape {shape} needs "
            f"{len(header) + math.prod(shape):,} bytes."
        )
    return content, np.frombuffer(content, np.uint8, offset=len(header)).reshape(shape)


def _idx_header(shape: tuple[int, ...]) -> bytes:
    """Return the start of an idx file: big-endian type, number of dimensions and shape."""
    return struct.pack(f">4B{len(shape)}I", 0, 0, UNSIGNED_BYTE, len(shape), *shape)


def _unpacked(path: Path, most: int, called: str) -> bytes:
    """Return at most `most` bytes of a file, decompressed if it is compressed."""
    with path.open("rb") as file:
        if file.read(2) != GZIP:
            file.seek(0)
            return file.read(most)
    try:
        with gzip.open(path) as unzipped:
            return unzipped.read(most)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{called} is truncated or damaged: {error}") from error


def _download(
    absent: list[str], data_home: Folder | None, *, allowed: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Fetch all pixels and labels, and check them as if they were the four files."""
    n_train, n_test = FILES[1].shape[0], FILES[3].shape[0]
    pixels, labels = download(
        "mnist_784",
        (n_train + n_test, SIDE * SIDE),
        dataset="mnist",
        files=absent,
        data_home=data_home,
        allowed=allowed,
    )
    images, digits = pixels.reshape(-1, SIDE, SIDE), labels.astype(np.uint8)
    parts = images[:n_train], digits[:n_train], images[n_train:], digits[n_train:]
    for file, part in zip(FILES, parts, strict=True):
        content = _idx_header(part.shape) + part.tobytes()
        check_md5(content, file.md5, f"mnist_784 of OpenML ({file.stem})")
    return images, digits
