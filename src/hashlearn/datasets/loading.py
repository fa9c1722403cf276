"""Data sets by name, or out of a user's file."""

from __future__ import annotations

import os
from pathlib import Path

from hashlearn.datasets.base import DATASETS, Dataset
from hashlearn.datasets.folders import Folder
from hashlearn.datasets.own import SUFFIXES, load_file


def load_dataset(name: str | os.PathLike[str], data_home: Folder | None = None) -> Dataset:
    """Load a data set.

    Parameters
    ----------
    name : str or path-like
        A registered name (see :func:`list_datasets`), or the path of an ``.npz`` file with `x`
        (one item per row) and perhaps `y` (a label per item, or a 0/1 indicator), or of a matrix
        of features: ``.npy``, ``.mat``, ``.fvecs`` or ``.bvecs``, mapped into memory.
    data_home : str or path-like, optional
        Where the files of a registered set are looked for first; then in the folder that the
        environment variable ``HASHLEARN_DATA`` names, then in scikit-learn's data home.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> load_dataset("digits")
    Dataset('digits': 1,797 items, 64 features, 10 classes, images 8 x 8)
    >>> load_dataset("digit")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: name='digit' is neither one of ... nor the path of a .npz, ... or .mat file.
    """
    if name in DATASETS.names():
        return DATASETS.get(os.fspath(name))(data_home=data_home)
    path = Path(name).expanduser()
    if path.suffix.lower() in SUFFIXES:
        return load_file(path)
    known = ", ".join(map(repr, DATASETS.names()))
    suffixes = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
    raise ValueError(
        f"name={os.fspath(name)!r} is neither one of {known} nor the path of a {suffixes} file."
    )


def list_datasets() -> dict[str, str]:
    """Return the name of every registered data set with one line about it.

    Examples
    --------
    >>> print(list_datasets()["mnist"])
    70,000 handwritten digits of 28 x 28 pixels in 10 classes.
    """
    return {name: _line(DATASETS.get(name).__doc__ or "") for name in DATASETS.names()}


def _line(docstring: str) -> str:
    """Return what the first line says after ``Load NAME:``."""
    return docstring.strip().partition("\n")[0].partition(": ")[2]
