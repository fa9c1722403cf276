"""Matrices of features in files, mapped into memory: one item per row."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy_format
from scipy import sparse

from hashlearn.datasets._files import check_file, check_finite, row_blocks
from hashlearn.datasets._matlab import open_mat
from hashlearn.files import atomic_writer, cache_folder
from hashlearn.items import NpyItems, map_array

VECS: dict[str, np.dtype[Any]] = {".fvecs": np.dtype("<f4"), ".bvecs": np.dtype(np.uint8)}
VECS_HEAD = np.dtype("<i4")  # every row is its length and then its values
MATRIX_SUFFIXES = (".npy", *VECS, ".mat")


def map_matrix(path: Path) -> np.ndarray:
    """Map a file of features into memory, a converted copy of ``.mat``; all must be finite."""
    check_file(path)
    suffix = path.suffix.lower()
    if suffix in VECS:
        X = map_vecs(path)
    else:
        X = _map_npy(path if suffix == ".npy" else convert_mat(path))
    check_finite(X, repr(os.fspath(path)))
    return X


def _map_npy(path: Path) -> np.ndarray:
    items = NpyItems(path)
    items.check()
    if not items.n_items:
        raise ValueError(f"{os.fspath(path)!r} holds no items.")
    return map_array(path)


def map_vecs(path: Path) -> np.ndarray:
    """Map a ``.fvecs`` or ``.bvecs`` file, whose rows are checked to be equally long; no copy."""
    called, dtype = repr(os.fspath(path)), VECS[path.suffix.lower()]
    with path.open("rb") as file:
        head, n_bytes = file.read(VECS_HEAD.itemsize), os.fstat(file.fileno()).st_size
    n_features = int(np.frombuffer(head, VECS_HEAD)[0]) if len(head) == VECS_HEAD.itemsize else 0
    row_bytes = VECS_HEAD.itemsize + n_features * dtype.itemsize
    if n_features < 1 or n_bytes % row_bytes:
        raise ValueError(
            f"{called} is truncated or not a {path.suffix} file: it starts with the length "
            f"{n_features:,}, and {n_bytes:,} bytes are not rows of that length."
        )
    table = np.memmap(path, np.uint8, mode="r", shape=(n_bytes // row_bytes, row_bytes))
    heads = table[:, : VECS_HEAD.itemsize].view(VECS_HEAD)[:, 0]
    for rows in row_blocks(table):
        wrong = heads[rows] != n_features
        if wrong.any():
            row = rows.start + int(np.argmax(wrong))
            raise ValueError(
                f"{called} has rows of different length: {n_features:,} values in row 0 and "
                f"{int(heads[row]):,} in row {row:,}."
            )
    return table[:, VECS_HEAD.itemsize :].view(dtype)


def convert_mat(path: Path) -> Path:
    """Return the ``.npy`` file with the only matrix of a MATLAB file, which is written once."""
    beside, cached = _converted(path)
    for target in (beside, cached):
        if target.exists():
            return target
    target = beside if os.access(path.parent, os.W_OK) else cached
    target.parent.mkdir(parents=True, exist_ok=True)
    mat = open_mat(path)
    with mat.open(mat.only_matrix()) as matrix:
        if sparse.issparse(matrix):
            raise ValueError(f"{mat.called} holds a sparse matrix; features must be dense.")
        _write_npy(target, matrix)
    return target


def _write_npy(target: Path, matrix: Any) -> None:
    """Write rows block by block, atomically."""
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
    """Return the two possible places of the converted file; a changed file has another name."""
    state = path.stat()
    version = f"{state.st_size} {state.st_mtime_ns}"
    names = (
        f"{path.name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.npy"
        for key in (version, f"{path.resolve()} {version}")
    )
    return path.parent / next(names), cache_folder() / next(names)
