"""MNIST: handwritten digits, from the four official idx files or from OpenML."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hashlearn.datasets.base import Dataset, register
from hashlearn.datasets.files import check_md5
from hashlearn.datasets.folders import Folder, find_file
from hashlearn.datasets.idx import idx_header, read_idx
from hashlearn.datasets.openml import download

SUBFOLDERS = ("mnist", "MNIST", "MNIST/raw")
SIDE = 28


class IdxFile(NamedTuple):
    """One of the four files, and the md5 of its decompressed content."""

    stem: str
    kind: str
    shape: tuple[int, ...]
    md5: str

    @property
    def names(self) -> list[str]:
        """The names in use: as distributed, as some tools unpack it, gzipped or not."""
        plain = [f"{self.stem}-{self.kind}", f"{self.stem}.{self.kind}"]
        return plain + [f"{name}.gz" for name in plain]


FILES = (
    IdxFile("train-images", "idx3-ubyte", (60000, SIDE, SIDE), "6bbc9ace898e44ae57da46a324031adb"),
    IdxFile("train-labels", "idx1-ubyte", (60000,), "a25bea736e30d166cdddb491f175f624"),
    IdxFile("t10k-images", "idx3-ubyte", (10000, SIDE, SIDE), "2646ac647ad5339dbf082846283269ea"),
    IdxFile("t10k-labels", "idx1-ubyte", (10000,), "27ae3e4e09519cfbb04c329615203637"),
)


@register("mnist")
def load_mnist(data_home: Folder | None = None, *, download_if_missing: bool = True) -> Dataset:
    """Load MNIST: 70,000 handwritten digits of 28 x 28 pixels in 10 classes.

    The four official files (``train-images-idx3-ubyte`` and so on, gzipped or plain) are looked
    for in the data folders and in ``mnist/`` there; else the set is fetched from OpenML. Either
    way the content must have the known checksums. The training images come first.

    Parameters
    ----------
    data_home : str or path-like, optional
        The folder to look at before ``HASHLEARN_DATA`` and scikit-learn's data home.
    download_if_missing : bool, default=True
        Whether to fetch the set from OpenML where files are missing.

    Returns
    -------
    Dataset
        `X` is float32 from 0 to 1, `y` the digits, `images` uint8.

    Examples
    --------
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


def _read(file: IdxFile, path: Path) -> np.ndarray:
    content, array = read_idx(path, file.shape)
    check_md5(content, file.md5, repr(os.fspath(path)))
    return array


def _download(
    absent: list[str], data_home: Folder | None, *, allowed: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Fetch all pixels and labels, and check them as if they had come in the four files."""
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
        content = idx_header(part.shape) + part.tobytes()
        check_md5(content, file.md5, f"mnist_784 of OpenML ({file.stem})")
    return images, digits
