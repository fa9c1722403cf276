"""What methods with linear hash functions share: bits are signs of projections."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn._numerics.arrays import is_sparse
from hashlearn._numerics.padded_blocks import linear_margins
from hashlearn.base import BaseHasher


class LinearHasher(BaseHasher):
    r"""A hasher with margins :math:`(x - \mu)^T W`.

    A subclass sets `mean_` and `projections_` in `fit`.

    Attributes
    ----------
    projections_ : ndarray of shape (n_features, n_bits)
        The projections :math:`W`.
    mean_ : ndarray of shape (n_features,)
        What is subtracted from each item, :math:`\mu`.
    """

    projections_: np.ndarray
    mean_: np.ndarray

    def _margins(self, X: Any) -> np.ndarray:
        return linear_margins(X, self.projections_, self.mean_, dtype=X.dtype)


def mean_of(X: Any) -> np.ndarray:
    """Return the mean row of an array or sparse matrix, in float64.

    Examples
    --------
    >>> mean_of(np.array([[1.0, 0.0], [3.0, 0.0]]))
    array([2., 0.])
    """
    if is_sparse(X):  # scipy's mean sums float32 in float32
        return np.bincount(X.indices, weights=X.data, minlength=X.shape[1]) / X.shape[0]
    return X.mean(axis=0, dtype=np.float64)
