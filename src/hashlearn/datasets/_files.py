"""Files of data sets: found in folders or fetched from OpenML, and checked before they are used."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.datasets
from scipy import sparse

BLOCK_BYTES = 2**23
MARKUP = (b"<!doctype", b"<html", b"<?xml")

Folder = str | os.PathLike[str]


def data_folders(data_home: Folder | None = None) -> list[Path]:
    """Return the folders to search: `data_home`, ``HASHLEARN_DATA``, scikit-learn's data home."""
    # Not sklearn.datasets.get_data_home, which creates the folder.
    scikit_learn = os.environ.get("SCIKIT_LEARN_DATA") or "~/scikit_learn_data"
    folders = [data_home, os.environ.get("HASHLEARN_DATA") or None, scikit_learn]
    paths = [Path(folder).expanduser() for folder in folders if folder is not None]
    return list(dict.fromkeys(paths))


def find_file(
    names: Sequence[str], subfolders: Sequence[str], data_home: Folder | None
) -> Path | None:
    """Return the first file of one of these names, in a data folder or a subfolder of it."""
    for folder in data_folders(data_home):
        for place in (folder, *(folder / subfolder for subfolder in subfolders)):
            for name in names:
                if (place / name).exists():
                    return place / name
    return None


def the_file(
    dataset: str, names: Sequence[str], subfolders: Sequence[str], data_home: Folder | None
) -> Path:
    """Return what `find_file` finds, or raise an error that says where to put the file."""
    path = find_file(names, subfolders, data_home)
    if path is None:
        raise missing(dataset, [" or ".join(names)], data_home)
    return path


def missing(
    dataset: str, files: Sequence[str], data_home: Folder | None, *, why: str = ""
) -> FileNotFoundError:
    """Return the error that says which files to put where; `why` is a sentence to add."""
    folders = " or ".join(f"{os.fspath(folder)!r}" for folder in data_folders(data_home))
    message = (
        f"{dataset} was not found: put {', '.join(files)} into {folders}, or into the folder that "
        f"data_home= or HASHLEARN_DATA names."
    )
    return FileNotFoundError(f"{message} {why}".rstrip())


def download(
    openml_name: str,
    shape: tuple[int, int],
    *,
    dataset: str,
    files: Sequence[str],
    data_home: Folder | None,
    allowed: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Fetch version 1 of a set from OpenML: its pixels, uint8 of this `shape`, and int64 labels.

    If that fails, the error says which `files` of the `dataset` to put where.
    """
    if not allowed:
        raise missing(dataset, files, data_home, why="(download_if_missing=False.)")
    try:
        with warnings.catch_warnings():
            # The error that follows is enough.
            warnings.filterwarnings("ignore", "A network error occurred", UserWarning)
            X, y = sklearn.datasets.fetch_openml(
                openml_name, version=1, data_home=data_home, as_frame=False, return_X_y=True
            )
    except Exception as error:  # whatever stops a download, the user needs the alternative
        reason = f"Downloading it from OpenML failed: {type(error).__name__}: {error}"
        raise missing(dataset, files, data_home, why=reason) from error
    pixels = np.asarray(X).astype(np.uint8)
    if pixels.shape != shape or not np.array_equal(pixels, X):
        raise ValueError(
            f"{openml_name} of OpenML is an array of shape {pixels.shape}; it must be {shape}, "
            f"with integers from 0 to 255."
        )
    return pixels, np.asarray(y).astype(np.int64)


def check_file(path: Path) -> None:
    """Raise unless a path is a file, and not empty or a web page, as failed downloads are."""
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
    """Warn of an unusual size; features are of several kinds, and parts of sets are useful."""
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
