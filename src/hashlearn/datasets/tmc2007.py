"""TMC2007: aviation safety reports with several labels each."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from hashlearn.datasets._files import Folder, check_file, the_file
from hashlearn.datasets.base import Dataset, register
from hashlearn.datasets.loading import _read_archive

FILE = "tmc2007_500.npz"
SHAPE, N_LABELS = (28596, 500), 22


@register("tmc2007")
def load_tmc2007(data_home: Folder | None = None) -> Dataset:
    """Load TMC2007-500: 28,596 aviation safety reports, 500 words, 22 labels, several per report.

    The file ``tmc2007_500.npz`` with `x` (28,596 x 500) and `y` (28,596 x 22), both 0/1, is
    looked for in the data folders and in ``tmc2007/`` there. It is not downloaded.

    Parameters
    ----------
    data_home : str or path-like, optional
        The folder to search before ``HASHLEARN_DATA`` and scikit-learn's data home.

    Returns
    -------
    Dataset
        `X` is float32 of 0/1 (does the report have the word?), `y` a uint8 indicator.

    Examples
    --------
    >>> from hashlearn.datasets import load_tmc2007
    >>> load_tmc2007()  # doctest: +SKIP
    Dataset('tmc2007': 28,596 items, 500 features, 22 labels)
    """
    path = the_file("tmc2007", [FILE], ["tmc2007"], data_home)
    check_file(path)
    dataset = _read_archive(path, "tmc2007")
    labels_shape = None if dataset.y is None else dataset.y.shape
    if dataset.X.shape != SHAPE or labels_shape != (SHAPE[0], N_LABELS):
        raise ValueError(
            f"{os.fspath(path)!r} must have x of shape {SHAPE} and y of shape "
            f"{(SHAPE[0], N_LABELS)}; got {dataset.X.shape} and {labels_shape}."
        )
    if not np.isin(dataset.X, (0, 1)).all():
        raise ValueError(f"{os.fspath(path)!r} must have 0 and 1 only in x.")
    return replace(dataset, X=dataset.X.astype(np.float32))
