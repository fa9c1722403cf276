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
    """A data set of an experiment: a registered name or a file's path, and its arrays."""

    name: str
    X: Any  # features, (n_items, n_features)
    y: np.ndarray | None  # one label per item, or a 0/1 indicator
    similar: Any  # the similar pairs (csr_array), if the set comes with them
    images: np.ndarray | None
    fingerprint: str  # a hash of features and truth, which identifies results

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.X.shape[0]

    @property
    def is_labelled(self) -> bool:
        """Whether the set comes with labels or similar pairs."""
        return self.y is not None or self.similar is not None


def load_set(name: str, data_home: str | os.PathLike[str] | None = None) -> ExperimentSet:
    """Load a data set with the paper's features: GIST for CIFAR-10, otherwise unchanged."""
    data = load_dataset(name, data_home=data_home)
    X = cached_transform(GIST(n_jobs=-1), data.images) if name == "cifar10" else data.X
    return ExperimentSet(
        name, X, data.y, data.similar, data.images, fingerprint(X, data.y, data.similar)
    )


def fingerprint(*parts: Any) -> str:
    """Return a short hash of arrays and sparse matrices, read in blocks."""
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
