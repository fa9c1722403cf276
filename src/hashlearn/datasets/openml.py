"""Sets that OpenML has, through scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import sklearn.datasets

from hashlearn.datasets.folders import Folder, missing


def download(
    openml_name: str,
    shape: tuple[int, int],
    *,
    dataset: str,
    files: Sequence[str],
    data_home: Folder | None,
    allowed: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Fetch version 1 of a set of pixels from OpenML, or raise what the user can do instead.

    Parameters
    ----------
    openml_name : str
        Its name there.
    shape : tuple of int
        The number of items and of pixels that it must have.
    dataset, files, data_home
        For the error that says which files to put where.
    allowed : bool
        Whether to download at all.

    Returns
    -------
    pixels : ndarray of shape (n, n_pixels), uint8
    labels : ndarray of shape (n,), int64
    """
    if not allowed:
        raise missing(dataset, files, data_home, why="(download_if_missing=False.)")
    try:
        with warnings.catch_warnings():
            # The error that follows says it all.
            warnings.filterwarnings("ignore", "A network error occurred", UserWarning)
            X, y = sklearn.datasets.fetch_openml(
                openml_name, version=1, data_home=data_home, as_frame=False, return_X_y=True
            )
    except Exception as error:  # whatever stops a download, the user needs to know the other way
        reason = f"Downloading it from OpenML failed: {type(error).__name__}: {error}"
        raise missing(dataset, files, data_home, why=reason) from error
    pixels = np.asarray(X).astype(np.uint8)
    if pixels.shape != shape or not np.array_equal(pixels, X):
        raise ValueError(
            f"{openml_name} of OpenML is an array of shape {pixels.shape}; it should be {shape}, "
            f"with whole numbers from 0 to 255."
        )
    return pixels, np.asarray(y).astype(np.int64)
