"""Large sets of features without official files: one matrix, mapped into memory."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from hashlearn.datasets.base import Dataset, as_labels
from hashlearn.datasets.files import check_file, warn_unlike
from hashlearn.datasets.folders import Folder, find_file, missing
from hashlearn.datasets.matrices import SUFFIXES, map_matrix
from hashlearn.items import NpyItems

GIST_SIZES = range(320, 385)


def load_large(name: str, n_items: int, data_home: Folder | None) -> Dataset:
    """Load the features ``name.npy`` (or ``.fvecs``, ``.bvecs``, ``.mat``), mapped into memory.

    Labels are read from ``name_labels.npy`` beside it, where that is there.

    Parameters
    ----------
    name : str
        The name of the set, of its files and of its subfolder.
    n_items : int
        The number of items that the set is known with.
    data_home : str or path-like, optional
        The folder to look at first.
    """
    path = find_file([name + suffix for suffix in SUFFIXES], [name], data_home)
    if path is None:
        raise missing(name, [" or ".join(name + suffix for suffix in SUFFIXES)], data_home)
    X = map_matrix(path)
    if X.shape[1] == n_items:  # MATLAB users often keep items as columns
        X = X.T
    warn_unlike(name, X.shape, n_items, GIST_SIZES, repr(os.fspath(path)))
    labels = path.with_name(f"{name}_labels.npy")
    return Dataset(name, X, _read_labels(labels, len(X)) if labels.exists() else None)


def _read_labels(path: Path, n_items: int) -> np.ndarray:
    check_file(path)
    return as_labels(NpyItems(path).column(), n_items, repr(os.fspath(path)))
