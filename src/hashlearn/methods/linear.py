"""What methods with linear hash functions share: bits are signs of projections."""

from __future__ import annotations

from typing import Any

import numpy as np

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
