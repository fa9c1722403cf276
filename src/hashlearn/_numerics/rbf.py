r"""The Gaussian kernel in blocks, :math:`k(x, p) = \exp(-\|x - p\|^2 / (2 \sigma^2))`.

Squared distances are expanded, :math:`\|x\|^2 + \|p\|^2 - 2 x \cdot p`, so that a matrix product
does the work. In float32 the expansion loses digits when rows lie far from the origin, so dense
rows are centred first. Sparse rows are not: centring would fill every zero, and sparse data
(counts, tf-idf) lies near the origin already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms

from hashlearn._numerics.arrays import as_rows, float_type, is_sparse
from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.padded_blocks import map_padded_blocks, padded_columns, rows_alike

_BLOCK_ENTRIES = 2**22  # distances held at a time
_NEIGHBOR_ENTRIES = 3 * 10**7  # distances computed for the mean neighbour distance
_NEIGHBOR_ROWS = 2000


def center_of(X: Any) -> np.ndarray:
    """Return the mean row of dense X, zeros for sparse X, in the type of X."""
    if is_sparse(X):
        return np.zeros(X.shape[1], dtype=X.dtype)
    return X.mean(axis=0, dtype=np.float64).astype(X.dtype)


class SquaredDistances:
    """Squared distances of rows to fixed points, (n_points, n_features), in the type of the points.

    Sparse points keep the work sparse, dense points make it dense, whatever the rows are. `center`,
    by default the mean of the points, is subtracted from dense rows and points.
    """

    def __init__(self, points: Any, center: np.ndarray | None = None) -> None:
        points = as_rows(points)
        self.dtype = points.dtype
        self.sparse = is_sparse(points)
        self.center = center_of(points) if center is None else center.astype(self.dtype)
        self.n_points = points.shape[0]
        points = points if self.sparse else points - self.center
        factors = -2 * points.T
        self._factors = factors.tocsr() if self.sparse else padded_columns(factors)
        self._norms = np.zeros(self._factors.shape[1], dtype=self.dtype)
        self._norms[: self.n_points] = row_norms(points, squared=True)

    def __call__(self, X: Any, factor: float = 1.0) -> np.ndarray:
        """Return the (n, n_points) squared distances, never negative, times a factor."""
        rows = self._prepare(X)
        D = rows @ self._factors
        D = D.toarray() if is_sparse(D) else D
        norms = row_norms(rows, squared=True).astype(self.dtype, copy=False)
        finish_distances(D, norms, self._norms, self.dtype.type(factor))
        return D[:, : self.n_points]

    def _prepare(self, X: Any) -> Any:
        if self.sparse:
            return sp.csr_array(X, dtype=self.dtype)
        dense = X.toarray() if is_sparse(X) else X
        return np.subtract(dense, self.center, dtype=self.dtype)


class GaussianKernel:
    """The kernel values of rows against fixed points; `center` is that of `SquaredDistances`."""

    def __init__(self, points: Any, sigma: float, center: np.ndarray | None = None) -> None:
        self.distances = SquaredDistances(points, center)
        self.sigma = sigma

    def __call__(self, X: Any) -> np.ndarray:
        """Return the (n, n_points) kernel values."""
        exponents = self.distances(X, _exponent(self.sigma))
        return np.exp(exponents, out=exponents if exponents.flags.c_contiguous else None)


def gaussian(squared: np.ndarray, sigma: float, *, overwrite: bool = False) -> np.ndarray:
    """Return exp(-squared / (2 sigma^2)), in place if `overwrite`."""
    out = squared if overwrite else np.empty_like(squared)
    np.multiply(squared, _exponent(sigma), out=out)
    return np.exp(out, out=out)


def _exponent(sigma: float) -> float:
    return -0.5 / sigma**2


def expansion_margins(
    X: Any, kernel: GaussianKernel, coef: np.ndarray, intercept: np.ndarray
) -> np.ndarray:
    """Return the margins k(X, points) @ coef + intercept, each row's from that row alone.

    One distance product, one exp and one product with all machines' coefficients per block.
    The last is float64: large coefficients of either sign cancel, and it is the cheap one.
    """
    n_machines, C = coef.shape[1], padded_columns(coef)
    dtype = kernel.distances.dtype
    values = np.empty((rows_alike(dtype), coef.shape[0]))

    def block_margins(block: Any) -> np.ndarray:
        values[:] = kernel(block)
        return values @ C

    margins = map_padded_blocks(block_margins, X, n_machines, dtype=dtype, result_dtype=np.float64)
    margins += intercept
    return margins


_kept: WeakKeyDictionary[Any, tuple[tuple[Any, ...], GaussianKernel]] = WeakKeyDictionary()


def kept_kernel(
    owner: Any, parts: tuple[Any, ...], make: Callable[[], GaussianKernel]
) -> GaussianKernel:
    """Return the owner's kernel, made again only if one of its parts is another object.

    Preparing the points takes as long as encoding a few blocks; a single item should not wait for
    it.
    """
    known = _kept.get(owner)
    if known is not None and all(old is new for old, new in zip(known[0], parts, strict=True)):
        return known[1]
    kernel = make()
    _kept[owner] = (parts, kernel)
    return kernel


def pairwise_squared_distances(X: Any, points: Any, *, dtype: Any = None) -> np.ndarray:
    """Return all (n, n_points) squared distances, in float64 if `dtype` says so."""
    X, points = as_rows(X, dtype), as_rows(points, dtype)
    distances = SquaredDistances(points)
    D = np.empty((X.shape[0], points.shape[0]), dtype=distances.dtype)
    step = max(1, _BLOCK_ENTRIES // max(points.shape))
    for start in range(0, X.shape[0], step):
        D[start : start + step] = distances(X[start : start + step])
    return D


def mean_neighbor_distance(
    X: Any, k: int = 100, random_state: Any = None, weight: np.ndarray | None = None
) -> float:
    """Return the mean distance to the k nearest other rows, the paper's scale; 1 if it is 0.

    The neighbours of a row come from all rows, but only those of a random sample are looked for: at
    most 2,000 rows, and fewer for large n. Weights are those of the rows in the mean.
    """
    X = X.tocsr() if is_sparse(X) else np.asarray(X)
    n = X.shape[0]
    k = min(k, n - 1)
    if k < 1:
        return 1.0
    n_drawn = min(n, _NEIGHBOR_ROWS, max(200, _NEIGHBOR_ENTRIES // n))
    drawn = check_random_state(random_state).choice(n, n_drawn, replace=False)
    distances = SquaredDistances(as_rows(X[drawn], float_type(X)))
    nearest = np.full((n_drawn, k), np.inf, dtype=distances.dtype)
    step = max(1, _BLOCK_ENTRIES // max(n_drawn, X.shape[1]))
    for start in range(0, n, step):
        block = as_rows(X[start : start + step], distances.dtype)
        D = distances(block).T
        own = np.flatnonzero((drawn >= start) & (drawn < start + step))
        D[own, drawn[own] - start] = np.inf  # a row is not its own neighbour
        nearest = _k_smallest(np.hstack([nearest, D]), k)
    distance = np.sqrt(nearest)
    if weight is None or np.ptp(weight) == 0:
        return float(distance.mean(dtype=np.float64)) or 1.0
    return float(np.average(distance.mean(axis=1), weights=weight[drawn])) or 1.0


def _k_smallest(D: np.ndarray, k: int) -> np.ndarray:
    return D if D.shape[1] == k else np.partition(D, k - 1, axis=1)[:, :k]


@compiled
def finish_distances(
    D: np.ndarray, row_norms: np.ndarray, point_norms: np.ndarray, factor: float
) -> None:
    """Turn products -2 x.p into squared distances, never negative, times `factor`.

    D, (n, n_points), is overwritten; the norms are squared; `factor` is of the type of D.
    """
    zero = D.dtype.type(0)
    for i in range(D.shape[0]):
        row = D[i]
        norm = row_norms[i]
        for j in range(row.size):
            squared = row[j] + norm + point_norms[j]
            row[j] = factor * (squared if squared > zero else zero)
