"""Bases of methods on anchors: kernel expansions, and weights of items to their nearest ones."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_scalar

from hashlearn._numerics.arrays import check_magnitude
from hashlearn._numerics.checks import check_positive
from hashlearn._numerics.padded_blocks import map_padded_blocks
from hashlearn._numerics.rbf import (
    GaussianKernel,
    SquaredDistances,
    center_of,
    expansion_margins,
    kept_kernel,
    pairwise_squared_distances,
)
from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn.base import BaseHasher
from hashlearn.hash_functions import choose_anchors
from hashlearn.methods._parts.checks import at_most

_SIGMA_ITEMS = 2000  # items whose distances give the bandwidth; more would change its third digit
_BLOCK_ENTRIES = 2**20  # distances to anchors held at a time


class KernelHasher(BaseHasher):
    r"""A hasher with margins :math:`\sum_p c_{pk}\, k(x, a_p) + b_k`, k the Gaussian kernel.

    A subclass sets the kernel with `_fit_kernel`, and the coefficients c and offsets b in `fit`.
    """

    anchors_: Any  # a, in the type of the training items, sparse if these are
    center_: np.ndarray  # subtracted from dense rows before distances are computed, for accuracy
    sigma_: float  # in k(x, a) = exp(-|x - a|^2 / (2 sigma^2))
    coef_: np.ndarray  # c, (n_anchors, n_bits), float64
    intercept_: np.ndarray  # b, (n_bits,), float64

    def _fit_kernel(
        self, X: Any, n_anchors: int, how: str, sigma: float | str, random_state: Any
    ) -> None:
        """Set anchors, at most one per item, and sigma; "auto": 2 sigma^2 is their mean d^2."""
        check_magnitude(X)
        n_anchors = at_most(n_anchors, X.shape[0], "n_anchors", "items")
        self.anchors_ = choose_anchors(X, n_anchors, how, random_state)
        self.center_ = center_of(X)
        if sigma == "auto":
            n = min(X.shape[0], _SIGMA_ITEMS)
            items = np.sort(random_state.choice(X.shape[0], n, replace=False))
            squared = pairwise_squared_distances(X[items], self.anchors_)
            sigma = float(np.sqrt(squared.mean(dtype=np.float64) / 2)) or 1.0
        self.sigma_ = float(sigma)

    def _kernel(self) -> GaussianKernel:
        return GaussianKernel(self.anchors_, self.sigma_, self.center_)

    def _margins(self, X: Any) -> np.ndarray:
        parts = (self.anchors_, self.center_, self.sigma_)
        kernel = kept_kernel(self, parts, self._kernel)
        return expansion_margins(X, kernel, self.coef_, self.intercept_)


class AnchorGraphHasher(BaseHasher):
    r"""A hasher that represents an item by its s nearest anchors.

    The weights of an item are a truncated, normalised Gaussian,

    .. math:: z_j(x) = \exp(-\|x - a_j\|^2 / \sigma^2) \Big/
              \sum_{l \in N(x)} \exp(-\|x - a_l\|^2 / \sigma^2), \qquad j \in N(x),

    0 for anchors outside the s nearest N(x), and its embedding is :math:`z(x)^T W`. A subclass
    sets W in `fit`; the embeddings are the margins unless it overrides them.
    """

    n_anchors: int
    n_neighbors: int  # s
    sigma: float | str
    anchors_: np.ndarray  # a, centres of k-means, each once
    center_: np.ndarray  # subtracted from rows before distances are computed, for accuracy
    n_neighbors_: int  # at most the number of anchors
    sigma_: float
    embedding_: np.ndarray  # W, (n_anchors, n_dimensions)

    def _check_anchor_parameters(self) -> None:
        check_scalar(self.n_anchors, "n_anchors", Integral, min_val=2)
        check_scalar(self.n_neighbors, "n_neighbors", Integral, min_val=1)
        check_positive("sigma", self.sigma)

    def _fit_anchors(self, X: Any, random_state: np.random.RandomState) -> sp.csr_array:
        """Choose anchors and bandwidth; return the (n, n_anchors) weights Z of the items."""
        check_magnitude(X)
        n_anchors = at_most(self.n_anchors, X.shape[0], "n_anchors", "items")
        anchors = choose_anchors(X, n_anchors, "kmeans", random_state)
        self.anchors_ = np.unique(anchors, axis=0)  # with equal items, k-means repeats centres
        self.center_ = center_of(self.anchors_)
        n_anchors = self.anchors_.shape[0]
        self.n_neighbors_ = at_most(self.n_neighbors, n_anchors, "n_neighbors", "anchors")
        distances = self._distances()
        rows = RowBlocks(X, block_rows=max(1, _BLOCK_ENTRIES // max(self.anchors_.shape)))
        found = [nearest_anchors(distances(block), self.n_neighbors_) for _, block in rows]
        indices, squared = (np.concatenate(parts) for parts in zip(*found, strict=True))
        # "auto": the mean distance to the s-th anchor
        auto = float(np.sqrt(squared.max(axis=1)).mean(dtype=np.float64)) or 1.0
        self.sigma_ = auto if self.sigma == "auto" else float(self.sigma)
        return anchor_weights(indices, squared, self.sigma_, n_anchors)

    def _margins(self, X: Any) -> np.ndarray:
        """Return the embeddings of items; a row's depends on that row alone."""
        distances = self._distances()
        n_anchors, n_dimensions = self.embedding_.shape

        def block_embedding(block: Any) -> np.ndarray:
            indices, squared = nearest_anchors(distances(block), self.n_neighbors_)
            return anchor_weights(indices, squared, self.sigma_, n_anchors) @ self.embedding_

        dtype = self.anchors_.dtype
        return map_padded_blocks(
            block_embedding, X, n_dimensions, dtype=dtype, result_dtype=np.float64
        )

    def _distances(self) -> SquaredDistances:
        return SquaredDistances(self.anchors_, self.center_)


def nearest_anchors(squared: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and squared distances of each row's nearest anchors, in any order."""
    indices = np.argpartition(squared, count - 1, axis=1)[:, :count]
    return indices, np.take_along_axis(squared, indices, axis=1)


def anchor_weights(
    indices: np.ndarray, squared: np.ndarray, sigma: float, n_anchors: int
) -> sp.csr_array:
    """Return the (n, n_anchors) normalised Gaussian weights of rows to their nearest anchors."""
    nearest = squared.min(axis=1, keepdims=True)  # subtracted: far items would get weights of 0
    Z = np.exp((nearest - squared).astype(np.float64) / sigma**2)
    Z /= Z.sum(axis=1, keepdims=True)
    indptr = np.arange(0, Z.size + 1, Z.shape[1])
    return sp.csr_array((Z.ravel(), indices.ravel(), indptr), shape=(Z.shape[0], n_anchors))
