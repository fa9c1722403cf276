"""Tiny-580K and Flickr1M: large sets of features without official files, mapped into memory."""

from __future__ import annotations

import os

from hashlearn.datasets._files import Folder, check_file, the_file, warn_unlike
from hashlearn.datasets._matrices import MATRIX_SUFFIXES, map_matrix
from hashlearn.datasets.base import Dataset, check_labels, register
from hashlearn.items import NpyItems

N_ITEMS = {"tiny580k": 580_000, "flickr1m": 1_000_000}
GIST_SIZES = range(320, 385)


@register("tiny580k")
def load_tiny580k(data_home: Folder | None = None) -> Dataset:
    """Load Tiny-580K: GIST features of 580,000 tiny images, without labels.

    The features, one item per row, are looked for as ``tiny580k.npy``, ``.fvecs``,
    ``.bvecs`` or ``.mat`` in the data folders and in ``tiny580k/`` there. They are mapped into
    memory, not read, after a check that all are finite; a ``.mat`` file is first written as
    ``.npy``, once. Labels are read from ``tiny580k_labels.npy`` beside them, if it exists.

    Parameters
    ----------
    data_home : str or path-like, optional
        The folder to search before ``HASHLEARN_DATA`` and scikit-learn's data home.

    Returns
    -------
    Dataset
        `X` is a memory map. An unusual number of items or features is a warning.

    Examples
    --------
    >>> from hashlearn.datasets import load_tiny580k
    >>> load_tiny580k()  # doctest: +SKIP
    Dataset('tiny580k': 580,000 items, 320 features)
    """
    return _load("tiny580k", data_home)


@register("flickr1m")
def load_flickr1m(data_home: Folder | None = None) -> Dataset:
    """Load Flickr1M: GIST features of 1,000,000 thumbnails of MIRFlickr-1M, without labels.

    The files ``flickr1m.npy``, ``.fvecs``, ``.bvecs`` or ``.mat``, and ``flickr1m_labels.npy``,
    are found and used as those of :func:`load_tiny580k` are.

    Parameters
    ----------
    data_home : str or path-like, optional
        The folder to search before ``HASHLEARN_DATA`` and scikit-learn's data home.

    Returns
    -------
    Dataset
        `X` is a memory map. An unusual number of items or features is a warning.

    Examples
    --------
    >>> from hashlearn.datasets import load_flickr1m
    >>> load_flickr1m()  # doctest: +SKIP
    Dataset('flickr1m': 1,000,000 items, 320 features)
    """
    return _load("flickr1m", data_home)


def _load(name: str, data_home: Folder | None) -> Dataset:
    path = the_file(name, [name + suffix for suffix in MATRIX_SUFFIXES], [name], data_home)
    X = map_matrix(path)
    if X.shape[1] == N_ITEMS[name]:  # MATLAB users often keep items as columns
        X = X.T
    warn_unlike(name, X.shape, N_ITEMS[name], GIST_SIZES, repr(os.fspath(path)))
    labels = path.with_name(f"{name}_labels.npy")
    if not labels.exists():
        return Dataset(name, X)
    check_file(labels)
    return Dataset(name, X, check_labels(NpyItems(labels).column(), len(X), repr(str(labels))))
