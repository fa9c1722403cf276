"""Matrices of features in files, mapped into memory: one item per row."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy_format
from scipy import sparse

from hashlearn.datasets.files import check_file, check_finite, row_blocks
from hashlearn.datasets.matlab import open_mat
from hashlearn.datasets.vecs import map_vecs
from hashlearn.files import atomic_writer, cache_folder
from hashlearn.items import NpyItems, map_array

SUFFIXES = (".npy", ".fvecs", ".bvecs", ".mat")


def map_matrix(path: Path) -> np.ndarray:
    """Map a file of features into memory, and check that all values are finite.

    Parameters
    ----------
    path : Path
        A file with one of `SUFFIXES`. The only matrix of a ``.mat`` file is first written as
        ``.npy``, once, beside it or in the cache folder.

    Returns
    -------
    X : memory map of shape (n, n_features)
    """
    check_file(path)
    suffix = path.suffix.lower()
    if suffix == ".npy":
        X = map_npy(path)
    elif suffix == ".mat":
        X = map_npy(convert_mat(path))
    else:
        X = map_vecs(path)
    check_finite(X, repr(os.fspath(path)))
    return X


def map_npy(path: Path) -> np.ndarray:
    """Map the 2-D array of numbers that a ``.npy`` file holds."""
    items = NpyItems(path)
    items.check()
    if not items.n_items:
        raise ValueError(f"{os.fspath(path)!r} holds no items.")
    return map_array(path)


def convert_mat(path: Path) -> Path:
    """Return the ``.npy`` file with the only matrix of a MATLAB file, writing it if need be."""
    beside, cached = _converted(path)
    for target in (beside, cached):
        if target.exists():
            return target
    target = beside if os.access(path.parent, os.W_OK) else cached
    target.parent.mkdir(parents=True, exist_ok=True)
    mat = open_mat(path)
    with mat.open(mat.only_matrix()) as matrix:
        if sparse.issparse(matrix):
            raise ValueError(f"{mat.called} holds a sparse matrix; features are dense.")
        _write_npy(target, matrix)
    return target


def _write_npy(target: Path, matrix: Any) -> None:
    """Write rows block by block; the file is whole or not there."""
    with atomic_writer(target) as file:
        header = {
            "descr": npy_format.dtype_to_descr(matrix.dtype),
            "fortran_order": False,
            "shape": matrix.shape,
        }
        npy_format.write_array_header_1_0(file, header)
        for rows in row_blocks(matrix):
            file.write(np.ascontiguousarray(matrix[rows]).data)


def _converted(path: Path) -> tuple[Path, Path]:
    """Return where the converted file may be; a changed file has another name."""
    state = path.stat()
    version = f"{state.st_size} {state.st_mtime_ns}"
    names = (
        f"{path.name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.npy"
        for key in (version, f"{path.resolve()} {version}")
    )
    return path.parent / next(names), cache_folder() / next(names)
