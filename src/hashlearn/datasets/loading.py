"""Data sets by name, or from a user's file."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np

from hashlearn.datasets._files import Folder, check_file, check_finite
from hashlearn.datasets._matrices import MATRIX_SUFFIXES, map_matrix
from hashlearn.datasets.base import DATASETS, Dataset, check_labels
from hashlearn.items import NpzItems

SUFFIXES = (".npz", *MATRIX_SUFFIXES)


def load_dataset(name: str | os.PathLike[str], data_home: Folder | None = None) -> Dataset:
    """Load a data set.

    Parameters
    ----------
    name : str or path-like
        A registered name (see :func:`list_datasets`), or the path of an ``.npz`` file with `x`
        (one item per row) and perhaps `y` (a label per item, or a 0/1 indicator), or of a matrix
        of features: ``.npy``, ``.mat``, ``.fvecs`` or ``.bvecs``, mapped into memory.
    data_home : str or path-like, optional
        The folder that is searched first for the files of a registered set; then the folder that
        the environment variable ``HASHLEARN_DATA`` names, then scikit-learn's data home.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from hashlearn.datasets import load_dataset
    >>> load_dataset("digits")
    Dataset('digits': 1,797 items, 64 features, 10 classes, images 8 x 8)
    >>> load_dataset("digit")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: name must be one of ..., or the path of a .npz, ... or .mat file; got 'digit'.
    """
    if name in DATASETS.names():
        return DATASETS.get(os.fspath(name))(data_home=data_home)
    path = Path(name).expanduser()
    if path.suffix.lower() in SUFFIXES:
        return _load_file(path)
    known = ", ".join(map(repr, DATASETS.names()))
    suffixes = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
    raise ValueError(
        f"name must be one of {known}, or the path of a {suffixes} file; got {os.fspath(name)!r}."
    )


def list_datasets() -> dict[str, str]:
    """Return the name of every registered data set with one line about it.

    Returns
    -------
    lines : dict of str to str

    Examples
    --------
    >>> from hashlearn.datasets import list_datasets
    >>> print(list_datasets()["mnist"])
    70,000 handwritten digits of 28 x 28 pixels in 10 classes.
    """
    return {name: _line(DATASETS.get(name).__doc__ or "") for name in DATASETS.names()}


def _line(docstring: str) -> str:
    """Return the rest of the first line after ``Load NAME:``."""
    return docstring.strip().partition("\n")[0].partition(": ")[2]


def _load_file(path: Path) -> Dataset:
    """Load an archive with `x` and `y`, or a matrix of features."""
    check_file(path)
    if path.suffix.lower() == ".npz":
        return _read_archive(path, path.stem)
    return Dataset(path.stem, map_matrix(path))


def _read_archive(path: Path, name: str) -> Dataset:
    """Read an ``.npz``: `x` as float32, or bytes, which may be pixels, and `y` if it exists."""
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
    y = check_labels(items.column("y"), len(X), f"'y' of {called}") if has_labels else None
    return Dataset(name, X, y)
