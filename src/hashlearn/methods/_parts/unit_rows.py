"""Centred rows of length 1, dense or sparse."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import row_norms

from hashlearn._numerics.arrays import is_sparse


class UnitRows:
    r"""The items :math:`\tilde x = (x - \mu) / \|x - \mu\|`.

    Sparse rows stay sparse: they are scaled, and the mean is subtracted after each product. An
    item that equals the mean, up to rounding, has no direction and counts as 0. Products are
    computed in the type of X. The mean may be that of more items.
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
