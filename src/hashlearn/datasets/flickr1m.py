"""Flickr1M: GIST features of 1,000,000 thumbnails of MIRFlickr-1M."""

from __future__ import annotations

from hashlearn.datasets.base import Dataset, register
from hashlearn.datasets.folders import Folder
from hashlearn.datasets.large import load_large

N_ITEMS = 1_000_000


@register("flickr1m")
def load_flickr1m(data_home: Folder | None = None) -> Dataset:
    """Load Flickr1M: GIST features of 1,000,000 thumbnails of MIRFlickr-1M, without labels.

    The features, one item per row, are looked for as ``flickr1m.npy``, ``.fvecs``,
    ``.bvecs`` or ``.mat`` in the data folders and in ``flickr1m/`` there. They are mapped into
    memory, not read, after a check that all are finite; a ``.mat`` file is first written as
    ``.npy``, once. Labels are taken from ``flickr1m_labels.npy`` where that stands beside them.

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
    >>> load_flickr1m()  # doctest: +SKIP
    Dataset('flickr1m': 1,000,000 items, 320 features)
    """
    return load_large("flickr1m", N_ITEMS, data_home)
