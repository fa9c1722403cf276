"""Checks of whole files and large arrays before they are used."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

BLOCK_BYTES = 2**23
MARKUP = (b"<!doctype", b"<html", b"<?xml")


def check_file(path: Path) -> None:
    """Raise unless a path is a file that is neither empty nor a web page.

    A failed download often leaves a page with an error message under the name of the file.
    """
    if not path.exists():
        raise FileNotFoundError(f"{os.fspath(path)!r} does not exist.")
    if not path.is_file():
        raise ValueError(f"{os.fspath(path)!r} is not a file.")
    with path.open("rb") as file:
        start = file.read(64)
    if not start:
        raise ValueError(f"{os.fspath(path)!r} is empty.")
    if start.lstrip().lower().startswith(MARKUP):
        raise ValueError(f"{os.fspath(path)!r} is a web page, not data; download it again.")


def check_md5(content: bytes | memoryview, expected: str, called: str) -> None:
    """Raise unless content has the expected md5."""
    found = hashlib.md5(content, usedforsecurity=False).hexdigest()
    if found != expected:
        raise ValueError(
            f"{called} is damaged or another file: its md5 must be {expected}; got {found}."
        )


def warn_unlike(
    dataset: str, shape: tuple[int, ...], n_items: int, n_features: range, called: str
) -> None:
    """Warn if a file of features does not have the usual size of the set.

    Features are computed in several ways, and parts of sets are useful too: nothing is refused.
    """
    if shape[0] == n_items and shape[1] in n_features:
        return
    known = f"{n_features.start} to {n_features[-1]}" if len(n_features) > 1 else n_features[0]
    warnings.warn(
        f"{called} has {shape[0]:,} items of {shape[1]:,} features; {dataset} usually has "
        f"{n_items:,} items of {known} features.",
        stacklevel=4,
    )


def row_blocks(X: Any) -> Iterator[slice]:
    """Yield slices of rows that together make the array, each of a few megabytes."""
    step = max(1, BLOCK_BYTES // max(1, X.shape[1] * X.dtype.itemsize))
    for start in range(0, X.shape[0], step):
        yield slice(start, min(start + step, X.shape[0]))


def check_finite(X: np.ndarray | sparse.csr_array, called: str) -> None:
    """Raise if there are NaN or infinite values, reading block by block."""
    if X.dtype.kind != "f":
        return
    for rows in row_blocks(X):
        block: Any = X[rows]
        right = np.isfinite(block.toarray() if sparse.issparse(block) else block).all(axis=1)
        if not right.all():
            row = rows.start + int(np.argmin(right))
            raise ValueError(
                f"{called} has NaN or infinite values, first in row {row:,}; features must be "
                f"finite."
            )
