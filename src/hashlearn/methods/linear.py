"""Base of methods whose bits are signs of linear projections."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn._numerics.arrays import check_magnitude
from hashlearn._numerics.padded_blocks import linear_margins
from hashlearn.base import BaseHasher
from hashlearn.methods._parts.centred import mean_of


class LinearHasher(BaseHasher):
    r"""Base class of methods with margins :math:`(x - \mu)^T W`.

    A subclass sets `mean_`, `projections_` and `codes_` in `fit`. Its inherited ``_begin(X)``
    checks parameters and items and returns the items and a random state; ``_keep_codes(X)`` sets
    `codes_`.

    Attributes
    ----------
    projections_ : ndarray of shape (n_features, n_bits)
        The projections :math:`W`.
    mean_ : ndarray of shape (n_features,)
        The vector :math:`\mu` subtracted from each item.

    Examples
    --------
    Bits that compare single features with their means:

    >>> import numpy as np
    >>> from hashlearn.methods import LinearHasher
    >>> class FeatureHasher(LinearHasher):
    ...     def fit(self, X, y=None):
    ...         X, random_state = self._begin(X)
    ...         self.mean_ = X.mean(axis=0)
    ...         self.projections_ = np.eye(X.shape[1])[:, : self.n_bits]
    ...         self._keep_codes(X)
    ...         return self
    >>> FeatureHasher(n_bits=2).fit_transform([[0.0, 1.0, 7.0], [5.0, 0.0, 9.0]])
    array([[0, 1],
           [1, 0]], dtype=uint8)
    """

    projections_: np.ndarray
    mean_: np.ndarray

    def _centre(self, X: Any) -> None:
        """Check that squares of X do not overflow, and set `mean_` to the mean of the items."""
        check_magnitude(X)
        self.mean_ = mean_of(X)

    def _margins(self, X: Any) -> np.ndarray:
        return linear_margins(X, self.projections_, self.mean_, dtype=X.dtype)
