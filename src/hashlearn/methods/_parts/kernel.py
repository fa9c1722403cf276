"""Base of methods whose margins are kernel expansions over anchors."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn._numerics.arrays import check_magnitude
from hashlearn._numerics.rbf import (
    GaussianKernel,
    center_of,
    expansion_margins,
    kept_kernel,
    pairwise_squared_distances,
)
from hashlearn.base import BaseHasher
from hashlearn.hash_functions import choose_anchors
from hashlearn.methods._parts.checks import at_most


class KernelHasher(BaseHasher):
    r"""A hasher with margins :math:`\sum_p c_{pk}\, k(x, a_p) + b_k`, k the Gaussian kernel.

    A subclass sets these attributes in `fit`, with the methods below.

    Attributes
    ----------
    anchors_ : ndarray or CSR matrix of shape (n_anchors, n_features)
        The anchors a, in the type of the training items.
    center_ : ndarray of shape (n_features,)
        Subtracted from dense rows before distances are computed, for accuracy.
    sigma_ : float
        The bandwidth in :math:`k(x, a) = \exp(-\|x - a\|^2 / (2 \sigma^2))`.
    coef_ : ndarray of shape (n_anchors, n_bits), float64
        The coefficients c.
    intercept_ : ndarray of shape (n_bits,), float64
        The offsets b.
    """

    anchors_: Any
    center_: np.ndarray
    sigma_: float
    coef_: np.ndarray
    intercept_: np.ndarray

    def _choose_anchors(self, X: Any, n_anchors: int, how: str, random_state: Any) -> None:
        """Set `anchors_`, at most one per item, and `center_`."""
        check_magnitude(X)
        n_anchors = at_most(n_anchors, X.shape[0], "n_anchors", "items")
        self.anchors_ = choose_anchors(X, n_anchors, how, random_state)
        self.center_ = center_of(X)

    def _choose_sigma(self, X: Any, sigma: float | str, random_state: Any) -> None:
        """Set `sigma_`: as given, or from the mean squared distance to the anchors."""
        self.sigma_ = (
            mean_squared_bandwidth(X, self.anchors_, random_state)
            if sigma == "auto"
            else float(sigma)
        )

    def _kernel(self) -> GaussianKernel:
        return GaussianKernel(self.anchors_, self.sigma_, self.center_)

    def _margins(self, X: Any) -> np.ndarray:
        parts = (self.anchors_, self.center_, self.sigma_)
        kernel = kept_kernel(self, parts, self._kernel)
        return expansion_margins(X, kernel, self.coef_, self.intercept_)


_SIGMA_ITEMS = 2000  # items whose distances give the bandwidth; more would change its third digit


def mean_squared_bandwidth(X: Any, anchors: Any, random_state: np.random.RandomState) -> float:
    r"""Return sigma with :math:`2 \sigma^2` = the mean squared distance of items to anchors."""
    n = min(X.shape[0], _SIGMA_ITEMS)
    items = np.sort(random_state.choice(X.shape[0], n, replace=False))
    squared = pairwise_squared_distances(X[items], anchors)
    return float(np.sqrt(squared.mean(dtype=np.float64) / 2)) or 1.0
