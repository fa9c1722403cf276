"""fvecs and bvecs: every row is its length (a 32-bit integer) and then its values."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from hashlearn.datasets.files import row_blocks

VALUES: dict[str, np.dtype[Any]] = {".fvecs": np.dtype("<f4"), ".bvecs": np.dtype(np.uint8)}
HEAD = np.dtype("<i4")


def map_vecs(path: Path) -> np.ndarray:
    """Map a ``.fvecs`` or ``.bvecs`` file into memory; rows are a strided view, nothing is copied.

    Parameters
    ----------
    path : Path
        The file. Its size and the length of every row are checked.

    Returns
    -------
    X : memory map of shape (n, n_features), float32 or uint8
    """
    called, dtype = repr(os.fspath(path)), VALUES[path.suffix.lower()]
    with path.open("rb") as file:
        head, n_bytes = file.read(HEAD.itemsize), os.fstat(file.fileno()).st_size
    n_features = int(np.frombuffer(head, HEAD)[0]) if len(head) == HEAD.itemsize else 0
    row_bytes = HEAD.itemsize + n_features * dtype.itemsize
    if n_features < 1 or n_bytes % row_bytes:
        raise ValueError(
            f"{called} is cut short or no {path.suffix} file: it starts with the length "
            f"{n_features:,}, and {n_bytes:,} bytes are not rows of that length."
        )
    table = np.memmap(path, np.uint8, mode="r", shape=(n_bytes // row_bytes, row_bytes))
    _check_heads(table, n_features, called)
    return table[:, HEAD.itemsize :].view(dtype)


def _check_heads(table: np.ndarray, n_features: int, called: str) -> None:
    heads = table[:, : HEAD.itemsize].view(HEAD)[:, 0]
    for rows in row_blocks(table):
        wrong = heads[rows] != n_features
        if wrong.any():
            row = rows.start + int(np.argmax(wrong))
            raise ValueError(
                f"{called} has rows of different length: {n_features:,} values in row 0 and "
                f"{int(heads[row]):,} in row {row:,}."
            )
