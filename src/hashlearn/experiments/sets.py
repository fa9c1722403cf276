"""Data sets of the experiments: features, truth, images and a fingerprint."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn.datasets import load_dataset
from hashlearn.features import GIST, cached_transform

_BLOCK_ROWS = 2**14


@dataclass(frozen=True)
class ExperimentSet:
    """A data set of an experiment.

    Attributes
    ----------
    name : str
        Its registered name, or the path of the user's file.
    X : array of shape (n_items, n_features)
        The features.
    y : ndarray or None
        One label per item, or a 0/1 indicator.
    similar : csr_array or None
        The similar pairs, if the set comes with them.
    images : ndarray or None
        The items as images, if they are images.
    fingerprint : str
        A hash of features and truth, to which a result belongs.
    """

    name: str
    X: Any
    y: np.ndarray | None
    similar: Any
    images: np.ndarray | None
    fingerprint: str

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.X.shape[0]

    @property
    def is_labelled(self) -> bool:
        """Whether the set comes with labels or similar pairs."""
        return self.y is not None or self.similar is not None


def load_set(name: str, data_home: str | os.PathLike[str] | None = None) -> ExperimentSet:
    """Load a data set with the features of the paper: GIST for CIFAR-10, else as it comes.

    Parameters
    ----------
    name : str
        A name or file for :func:`hashlearn.datasets.load_dataset`.
    data_home : path-like, optional
        Where the files are.

    Returns
    -------
    data : ExperimentSet

    Examples
    --------
    >>> load_set("digits").X.shape
    (1797, 64)
    """
    data = load_dataset(name, data_home=data_home)
    X = cached_transform(GIST(n_jobs=-1), data.images) if name == "cifar10" else data.X
    return ExperimentSet(
        name, X, data.y, data.similar, data.images, fingerprint(X, data.y, data.similar)
    )


def fingerprint(*parts: Any) -> str:
    """Return a short hash of arrays and sparse matrices, read in blocks.

    Examples
    --------
    >>> fingerprint(np.zeros(3)) == fingerprint(np.zeros(3)) != fingerprint(np.zeros(4))
    True
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        for array in _arrays(part):
            digest.update(f"{array.shape} {array.dtype.str};".encode())
            for start in range(0, array.shape[0], _BLOCK_ROWS):
                digest.update(np.ascontiguousarray(array[start : start + _BLOCK_ROWS]).data)
    return digest.hexdigest()


def _arrays(part: Any) -> list[np.ndarray]:
    if part is None:
        return [np.empty(0)]
    return [part.data, part.indices, part.indptr] if sp.issparse(part) else [part]
