"""Centred items, dense or sparse, without filling zeros of the sparse ones.

Their mean, scatter matrix, principal directions and ITQ's rotation of these; rows of length 1.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh, svd
from scipy.sparse.linalg import LinearOperator
from sklearn.utils.extmath import row_norms

from hashlearn._numerics.arrays import is_sparse
from hashlearn._numerics.eigenvectors import lanczos
from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn._progress import track

DENSE_FEATURES = 3000  # above, a covariance matrix costs more than products with the items
_BLOCK_ROWS = 1000  # of a scatter matrix that sparse items are added to at a time


def principal_directions(X: Any, mean: np.ndarray, n_directions: int) -> np.ndarray:
    """Return the directions of largest variance as orthonormal columns, largest entry positive."""
    d = X.shape[1]
    if d > max(DENSE_FEATURES, 2 * n_directions):
        directions = _iterated_directions(X, mean, n_directions)
    else:
        directions = eigh(scatter(X, mean), subset_by_index=(d - n_directions, d - 1))[1][:, ::-1]
    largest = np.abs(directions).argmax(axis=0)
    return directions * np.where(directions[largest, np.arange(n_directions)] < 0, -1.0, 1.0)


def scatter(X: Any, mean: np.ndarray) -> np.ndarray:
    """Return the sum of (x - mean)(x - mean)^T over the items, in float64."""
    total = np.zeros((X.shape[1], X.shape[1]))
    for _, block in RowBlocks(X):
        block = block.astype(np.float64)
        if is_sparse(block):
            columns = block.T.tocsr()
            for start in range(0, len(total), _BLOCK_ROWS):  # the whole product may not be sparse
                rows = slice(start, start + _BLOCK_ROWS)
                total[rows] += (columns[rows] @ block).toarray()
        else:
            block -= mean
            total += block.T @ block
    if is_sparse(X):
        total -= np.outer(X.shape[0] * mean, mean)
    return total


def _iterated_directions(X: Any, mean: np.ndarray, n_directions: int) -> np.ndarray:
    """Return the leading eigenvectors of the scatter matrix without forming it."""
    d = X.shape[1]

    def scatter_times(v: np.ndarray) -> np.ndarray:
        v = v.ravel()
        total = np.zeros(d)
        for _, block in RowBlocks(X):  # cast block by block, never all of X
            block = block.astype(np.float64, copy=False)
            along = block @ v - mean @ v
            total += block.T @ along - mean * along.sum()
        return total

    operator = LinearOperator((d, d), matvec=scatter_times, dtype=np.float64)
    start = np.random.RandomState(0).normal(size=d)  # the result does not depend on it
    return lanczos(operator, n_directions, start)[1][:, ::-1]


def mean_of(X: Any) -> np.ndarray:
    """Return the mean row of an array or sparse matrix, in float64."""
    if is_sparse(X):  # scipy's mean sums float32 in float32
        return np.bincount(X.indices, weights=X.data, minlength=X.shape[1]) / X.shape[0]
    return X.mean(axis=0, dtype=np.float64)


def leading_eigenvector(M: np.ndarray) -> np.ndarray:
    """Return the leading eigenvector of a symmetric matrix, its largest entry positive."""
    last = len(M) - 1
    vector = eigh(M, subset_by_index=[last, last])[1][:, 0]
    return vector if vector[np.argmax(np.abs(vector))] > 0 else -vector


def fit_rotation(
    V: np.ndarray,
    n_bits: int,
    n_iter: int,
    random_state: np.random.RandomState,
    *,
    verbose: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Minimise :math:`\|B - V R\|^2` over codes B in {-1, +1} and R with orthonormal rows.

    From a random rotation, B = sign(V R) and the best R for that B alternate for `n_iter` rounds
    or until one does not improve. V has at most one column per bit; with fewer, R is the matching
    part of a square rotation. Returns R and the mean errors per item, from first to last.
    """
    square, _ = np.linalg.qr(random_state.normal(size=(n_bits, n_bits)))
    R = square[: V.shape[1]]
    error, product = _quantize(V, R)
    errors = [error]
    for _ in track(range(n_iter), "rotation", total=n_iter, verbose=verbose):
        left, _, right = svd(product, full_matrices=False)  # Procrustes
        error, product = _quantize(V, left @ right)
        if error >= errors[-1]:
            break
        R = left @ right
        errors.append(error)
    return R, np.array(errors)


def _quantize(V: np.ndarray, R: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the mean error of B = sign(V R), and V^T B, which determines the next R."""
    absolute, squares = 0.0, 0.0
    product = np.zeros(R.shape)
    R = R.astype(V.dtype)
    for _, block in RowBlocks(V):
        P = block @ R
        absolute += np.abs(P).sum(dtype=np.float64)
        squares += np.square(block).sum(dtype=np.float64)
        product += block.T @ np.where(P > 0, P.dtype.type(1), P.dtype.type(-1))
    return R.shape[1] + (squares - 2 * absolute) / V.shape[0], product


class UnitRows:
    r"""The items :math:`\tilde x = (x - \mu) / \|x - \mu\|`.

    Sparse rows stay sparse: they are scaled, and the mean is subtracted after each product. An
    item that equals the mean, up to rounding, counts as 0. The mean may be that of more items.
    """

    def __init__(self, X: Any, mean: np.ndarray) -> None:
        self.mean = mean.astype(X.dtype)
        if is_sparse(X):
            squared = row_norms(X, squared=True) - 2 * (X @ self.mean) + self.mean @ self.mean
            # a difference of squares keeps half the digits
            lengths = np.sqrt(np.maximum(squared, 0))
            self.scale = _inverse(lengths, X, self.mean, digits=0.5)
            self.rows = sp.diags_array(self.scale).astype(X.dtype) @ sp.csr_array(X)
        else:
            self.rows = X - self.mean
            self.scale = _inverse(row_norms(self.rows), X, self.mean, digits=1.0)
            self.rows *= self.scale[:, None]
        if not self.scale.any():
            warnings.warn(
                "All items of X are equal: no bit tells them apart.", UserWarning, stacklevel=3
            )

    def __len__(self) -> int:
        return self.scale.size

    def __getitem__(self, items: Any) -> Self:
        """Return some of the items."""
        taken = self.__class__.__new__(self.__class__)
        taken.mean, taken.scale, taken.rows = self.mean, self.scale[items], self.rows[items]
        return taken

    def products(self, W: np.ndarray) -> np.ndarray:
        """Return the products of the items with the columns of W, (n, n_columns)."""
        if is_sparse(self.rows):
            return self.rows @ W - np.outer(self.scale, self.mean @ W)
        return self.rows @ W

    def sums(self, C: np.ndarray) -> np.ndarray:
        """Return the sums of the items weighted by the columns of C, (n_features, n_columns)."""
        if is_sparse(self.rows):
            return self.rows.T @ C - np.outer(self.mean, self.scale @ C)
        return self.rows.T @ C

    def gram(self, others: UnitRows) -> np.ndarray:
        """Return the cosines with other items, in float64."""
        A, B = self.rows.astype(np.float64), others.rows.astype(np.float64)
        if not is_sparse(A):
            return A @ B.T
        mean = self.mean.astype(np.float64)
        s, t = self.scale.astype(np.float64), others.scale.astype(np.float64)
        crossed = np.outer(A @ mean, t) + np.outer(s, B @ mean)
        return (A @ B.T).toarray() - crossed + mean @ mean * np.outer(s, t)


def _inverse(lengths: np.ndarray, X: Any, mean: np.ndarray, digits: float) -> np.ndarray:
    """Return 1 / lengths, 0 where a length is rounding; `digits` is their share of X's digits."""
    size = np.hypot(row_norms(X), np.linalg.norm(mean))
    noise = 4 * float(np.finfo(X.dtype).eps) ** digits * size
    return np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > noise)
