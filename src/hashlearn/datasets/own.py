"""A user's own file: an archive with x and y, or a matrix of features."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np

from hashlearn.datasets.base import Dataset, as_labels
from hashlearn.datasets.files import check_file, check_finite
from hashlearn.datasets.matrices import SUFFIXES as MATRIX_SUFFIXES
from hashlearn.datasets.matrices import map_matrix
from hashlearn.items import NpzItems

SUFFIXES = (".npz", *MATRIX_SUFFIXES)


def load_file(path: Path) -> Dataset:
    """Load the data set that a user's file holds.

    Parameters
    ----------
    path : Path
        An ``.npz`` with `x` and perhaps `y`, or a matrix of features with one item per row.

    Returns
    -------
    Dataset
        With the name of the file. A matrix is mapped into memory, not read.
    """
    check_file(path)
    if path.suffix.lower() == ".npz":
        return read_archive(path, path.stem)
    return Dataset(path.stem, map_matrix(path))


def read_archive(path: Path, name: str) -> Dataset:
    """Read an ``.npz``: `x`, and `y` where it is there.

    Features become float32, except bytes, which may be pixels.
    """
    called = repr(os.fspath(path))
    items = NpzItems(path, array="x")
    items.check()
    X = items.column("x")
    if not len(X):
        raise ValueError(f"'x' of {called} holds no items.")
    if X.dtype != np.uint8:
        with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and refused
            X = X.astype(np.float32, copy=False)
    check_finite(X, f"'x' of {called} as float32")
    with zipfile.ZipFile(path) as archive:
        has_labels = "y.npy" in archive.namelist()
    y = as_labels(items.column("y"), len(X), f"'y' of {called}") if has_labels else None
    return Dataset(name, X, y)
