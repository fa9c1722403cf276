r"""The Gaussian kernel in blocks, :math:`k(x, p) = \exp(-\|x - p\|^2 / (2 \sigma^2))`.

Squared distances are expanded, :math:`\|x\|^2 + \|p\|^2 - 2 x \cdot p`, so that a matrix product
does the work. In float32 the expansion loses digits when rows lie far from the origin, so dense
rows are centred first. Sparse rows are not: centring would fill every zero, and sparse data
(counts, tf-idf) lies near the origin already.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms

from hashlearn.hash_functions.blocks import as_rows, is_sparse, map_rows

_BLOCK_ENTRIES = 2**22  # distances held at a time
_NEIGHBOR_ENTRIES = 3 * 10**7  # distances looked at for the mean neighbour distance
_NEIGHBOR_ROWS = 2000


def center_of(X: Any) -> np.ndarray:
    """Return the mean row of dense X, zeros for sparse X, in the type of X."""
    if is_sparse(X):
        return np.zeros(X.shape[1], dtype=X.dtype)
    return X.mean(axis=0, dtype=np.float64).astype(X.dtype)


class SquaredDistances:
    """Squared distances of rows to fixed points.

    Parameters
    ----------
    points : array or CSR matrix of shape (n_points, n_features)
        The points. Sparse points keep the work sparse, dense points make it dense, whatever
        the rows are.
    center : ndarray of shape (n_features,), optional
        What is taken off dense rows and points; the mean of the points if not given.

    Examples
    --------
    >>> SquaredDistances(np.array([[0.0, 0.0], [3.0, 4.0]]))(np.zeros((1, 2)))
    array([[ 0., 25.]])
    """

    def __init__(self, points: Any, center: np.ndarray | None = None) -> None:
        points = as_rows(points)
        self.dtype = points.dtype
        self.sparse = is_sparse(points)
        self.center = center_of(points) if center is None else center.astype(self.dtype)
        self.points = points if self.sparse else points - self.center
        self.norms = row_norms(self.points, squared=True).astype(self.dtype)

    def __call__(self, X: Any) -> np.ndarray:
        """Return the (n, n_points) squared distances, never negative."""
        rows = self._prepare(X)
        D = rows @ self.points.T
        D = D.toarray() if is_sparse(D) else D
        D *= -2
        D += row_norms(rows, squared=True)[:, None]
        D += self.norms
        return np.maximum(D, 0, out=D)

    def _prepare(self, X: Any) -> Any:
        if self.sparse:
            return sp.csr_array(X, dtype=self.dtype)
        dense = X.toarray() if is_sparse(X) else X
        return np.subtract(dense, self.center, dtype=self.dtype)


class GaussianKernel:
    """The kernel values of rows against fixed points.

    Parameters
    ----------
    points : array or CSR matrix of shape (n_points, n_features)
        The points; the kernel is computed in their type.
    sigma : float
        The bandwidth.
    center : ndarray of shape (n_features,), optional
        As in `SquaredDistances`.

    Examples
    --------
    >>> GaussianKernel(np.array([[0.0], [1.0]]), sigma=1.0)(np.array([[0.0]])).round(3)
    array([[1.   , 0.607]])
    """

    def __init__(self, points: Any, sigma: float, center: np.ndarray | None = None) -> None:
        self.distances = SquaredDistances(points, center)
        self.sigma = sigma

    def __call__(self, X: Any) -> np.ndarray:
        """Return the (n, n_points) kernel values."""
        return gaussian(self.distances(X), self.sigma, overwrite=True)


def gaussian(squared: np.ndarray, sigma: float, *, overwrite: bool = False) -> np.ndarray:
    """Return exp(-squared / (2 sigma^2)), in place if `overwrite`."""
    out = squared if overwrite else np.empty_like(squared)
    np.multiply(squared, -0.5 / sigma**2, out=out)
    return np.exp(out, out=out)


def expansion_margins(
    X: Any, kernel: GaussianKernel, coef: np.ndarray, intercept: np.ndarray
) -> np.ndarray:
    """Return the margins k(X, points) @ coef + intercept, each row's from that row alone.

    One distance product, one exp and one product with all machines' coefficients per block.
    The last is float64: large coefficients of either sign cancel, and it is the cheap one.
    """

    def block_margins(block: Any) -> np.ndarray:
        return kernel(block).astype(np.float64, copy=False) @ coef + intercept

    dtype = kernel.distances.dtype
    return map_rows(block_margins, X, coef.shape[1], dtype=dtype, result_dtype=np.float64)


def pairwise_squared_distances(X: Any, points: Any, *, dtype: Any = None) -> np.ndarray:
    """Return all (n, n_points) squared distances, in float64 if `dtype` says so.

    Examples
    --------
    >>> pairwise_squared_distances(np.array([[0.0], [2.0]]), np.array([[0.0]])).ravel()
    array([0., 4.])
    """
    X, points = as_rows(X, dtype), as_rows(points, dtype)
    distances = SquaredDistances(points)
    D = np.empty((X.shape[0], points.shape[0]), dtype=distances.dtype)
    step = max(1, _BLOCK_ENTRIES // max(points.shape))
    for start in range(0, X.shape[0], step):
        D[start : start + step] = distances(X[start : start + step])
    return D


def mean_neighbor_distance(X: Any, k: int = 100, random_state: Any = None) -> float:
    """Return the mean distance to the k nearest other rows: the paper's scale of X.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, n_features)
        The rows, at least one.
    k : int
        How many neighbours; at most n - 1 are taken.
    random_state : int, RandomState or None
        Chooses the rows that are asked for their neighbours, at most 2,000 and fewer for
        large n. Their neighbours come from all rows.

    Returns
    -------
    float
        1.0 if all of X is one point, so that the result always serves as a unit of length.

    Examples
    --------
    >>> mean_neighbor_distance(np.array([[0.0], [3.0]]))
    3.0
    """
    X = as_rows(X)
    n = X.shape[0]
    k = min(k, n - 1)
    if k < 1:
        return 1.0
    n_asked = min(n, _NEIGHBOR_ROWS, max(200, _NEIGHBOR_ENTRIES // n))
    asked = check_random_state(random_state).choice(n, n_asked, replace=False)
    distances = SquaredDistances(X)
    step = max(1, _BLOCK_ENTRIES // n)
    total = 0.0
    for start in range(0, n_asked, step):
        rows = asked[start : start + step]
        D = distances(X[rows])
        D[np.arange(len(rows)), rows] = np.inf  # a row is not its own neighbour
        nearest = np.partition(D, k - 1, axis=1)[:, :k]
        total += float(np.sqrt(nearest).sum(dtype=np.float64))
    return total / (n_asked * k) or 1.0
