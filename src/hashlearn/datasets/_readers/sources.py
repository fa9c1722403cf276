"""Where data sets come from: folders of the user's, and OpenML."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import sklearn.datasets

Folder = str | os.PathLike[str]


def data_folders(data_home: Folder | None = None) -> list[Path]:
    """Return the folders of data sets in the order in which they are searched.

    First `data_home`, then ``HASHLEARN_DATA``, then scikit-learn's data home.
    """
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
    """Fetch version 1 of a set of pixels from OpenML, or raise an error with the alternative.

    The set must have this `shape`. The arguments `dataset`, `files` and `data_home` are for the
    error that says which files to put where. Returns the pixels, uint8, and the labels, int64.
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
