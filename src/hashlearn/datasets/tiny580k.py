"""Tiny-580K: GIST features of 580,000 tiny images."""

from __future__ import annotations

from hashlearn.datasets.base import Dataset, register
from hashlearn.datasets.folders import Folder
from hashlearn.datasets.large import load_large

N_ITEMS = 580_000


@register("tiny580k")
def load_tiny580k(data_home: Folder | None = None) -> Dataset:
    """Load Tiny-580K: GIST features of 580,000 tiny images, without labels.

    The features, one item per row, are looked for as ``tiny580k.npy``, ``.fvecs``,
    ``.bvecs`` or ``.mat`` in the data folders and in ``tiny580k/`` there. They are mapped into
    memory, not read, after a check that all are finite; a ``.mat`` file is first written as
    ``.npy``, once. Labels are taken from ``tiny580k_labels.npy`` where that stands beside them.

    Parameters
    ----------
    data_home : str or path-like, optional
        The folder to look at before ``HASHLEARN_DATA`` and scikit-learn's data home.

    Returns
    -------
    Dataset
        `X` is a memory map. Another number of items or features than is usual is a warning.

    Examples
    --------
    >>> load_tiny580k()  # doctest: +SKIP
    Dataset('tiny580k': 580,000 items, 320 features)
    """
    return load_large("tiny580k", N_ITEMS, data_home)
