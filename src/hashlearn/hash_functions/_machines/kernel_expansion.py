"""Base class of kernel hash functions: points, margins and bandwidth."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.arrays import is_sparse
from hashlearn._numerics.checks import check_positive
from hashlearn._numerics.cross_validation import (
    BANDWIDTH_FACTORS,
    Features,
    Margins,
    Sample,
    item_weights,
    loss_weights,
    select,
)
from hashlearn._numerics.rbf import (
    GaussianKernel,
    center_of,
    expansion_margins,
    kept_kernel,
    mean_neighbor_distance,
)
from hashlearn.hash_functions.base import HashFunction


class KernelExpansion(HashFunction):
    r"""A hash function with margins :math:`\sum_p c_p\, k(x, p) + b`, k the Gaussian kernel.

    `center_` is subtracted from dense rows before distances are computed. Sparse points are kept
    as the arrays of CSR, so that a model file needs no pickle.
    """

    C: float | str
    sigma: float | str
    random_state: Any
    n_jobs: int | None

    def check(self, n_samples: int) -> None:
        """Raise if a parameter is invalid."""
        check_positive("C", self.C)
        check_positive("sigma", self.sigma)

    def _select(
        self,
        X: Any,
        weight: np.ndarray | None,
        sample: Sample,
        random: np.random.RandomState,
        features: Features,
        margins: Margins,
    ) -> tuple[float, float]:
        """Return C and sigma, from the parameters or by cross-validation on the sample."""
        if self.sigma == "auto":
            unit = mean_neighbor_distance(X, random_state=random, weight=item_weights(weight))
            sigmas = tuple(t * unit for t in BANDWIDTH_FACTORS)
        else:
            sigmas = (float(self.sigma),)
        Cs = loss_weights(sample) if self.C == "auto" else (float(self.C),)
        sigma, C = select(sample, features, margins, sigmas, Cs, self.n_jobs)
        return C, sigma

    def _keep_expansion(self, X: Any, points: Any, coef: np.ndarray, intercept: np.ndarray) -> None:
        self.center_ = center_of(X)
        self.coef_, self.intercept_ = coef.astype(np.float64), intercept.astype(np.float64)
        if is_sparse(points):
            self.points_, self.points_indices_ = points.data, points.indices
            self.points_indptr_ = points.indptr
        else:
            self.points_ = points
            self.points_indices_ = self.points_indptr_ = np.empty(0, dtype=np.int32)

    def _points(self) -> Any:
        if not self.points_indptr_.size:
            return self.points_
        shape = (self.coef_.shape[0], self.center_.size)
        return sp.csr_array((self.points_, self.points_indices_, self.points_indptr_), shape)

    def _kernel(self) -> GaussianKernel:
        return GaussianKernel(self._points(), self.sigma_, self.center_)

    def _machine_margins(self, X: Any) -> np.ndarray:
        parts = (self.points_, self.center_, self.sigma_)
        kernel = kept_kernel(self, parts, self._kernel)
        return expansion_margins(X, kernel, self.coef_, self.intercept_)


def stacked(points: Any, X: Any) -> Any:
    """Return points and rows in one array, or CSR matrix if the points are one."""
    if is_sparse(points):
        return sp.csr_array(sp.vstack([points, sp.csr_array(X)]))
    return np.concatenate([points, X.toarray() if is_sparse(X) else X])
