"""Affinity from a full matrix: +1, -1, 0 for undefined, or graded values between."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.integer_products import blocked_dot
from hashlearn.affinity._shared import Groups, check_square, exchangeable_rows
from hashlearn.affinity.base import Affinity

SYMMETRY_TOLERANCE = 1e-6  # a kernel matrix of floats is symmetric up to rounding
RANGE_TOLERANCE = 1e-5  # cosines of equal float32 vectors exceed 1 by rounding; they are clipped


class DenseAffinity(Affinity):
    """A symmetric matrix of affinities; 0 is undefined, the diagonal is ignored.

    Parameters
    ----------
    matrix : array-like of shape (n_items, n_items)
        Values in [-1, 1], up to rounding: what exceeds them by at most 1e-5 is clipped. Other
        values than -1, 0 and +1 are graded affinities (a Gaussian affinity, scaled distances),
        for the losses that accept them.

    Examples
    --------
    >>> from hashlearn.affinity import DenseAffinity
    >>> DenseAffinity([[0, 1, 0], [1, 0, -1], [0, -1, 0]])
    DenseAffinity(3 items, 1 similar and 1 dissimilar pairs)
    """

    cheap_products = False

    def __init__(self, matrix: ArrayLike) -> None:
        Y = _checked(matrix)
        self.graded = not np.isin(Y, (-1, 0, 1)).all()
        self.matrix = Y if self.graded else Y.astype(np.int8)
        self.complete = 2 * self.n_defined == self.n_items * (self.n_items - 1)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.matrix.shape[0]

    @property
    def n_similar(self) -> int:
        """Number of similar pairs {i, j}."""
        return int((self.matrix > 0).sum()) // 2

    @property
    def n_dissimilar(self) -> int:
        """Number of dissimilar pairs {i, j}."""
        return int((self.matrix < 0).sum()) // 2

    def _take(self, items: np.ndarray) -> Self:
        return type(self)(self.matrix[np.ix_(items, items)])

    def block(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return rows of Y as a dense array, the diagonal 0."""
        return self.matrix[rows].copy()

    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return y_ij for positions in two arrays of one shape, 0 where i = j."""
        return self.matrix[i, j]

    def dot(self, V: np.ndarray) -> np.ndarray:
        """Return the product Y V."""
        return blocked_dot(self.matrix, V)

    def has_pairs(self) -> np.ndarray:
        """Return which items have a defined pair."""
        return (self.matrix != 0).any(axis=1)

    def copies_are_similar(self) -> np.ndarray:
        """Return all False: the matrix says nothing about an item and itself."""
        return np.zeros(self.n_items, dtype=bool)

    def similar_dot(self, V: np.ndarray) -> np.ndarray:
        """Return S V, S the similar pairs alone."""
        return blocked_dot(np.maximum(self.matrix, 0), V)

    def groups(self) -> Groups | None:
        """Return groups of items whose affinities to all others are equal; None if graded."""
        if self.graded:
            return None
        row = np.empty(self.n_items, dtype=np.int8)

        def key(i: int, diagonal: int) -> bytes:
            row[:] = self.matrix[i]
            row[i] = diagonal
            return row.tobytes()

        return exchangeable_rows(self.n_items, key)


def _checked(matrix: ArrayLike) -> np.ndarray:
    """Return the matrix with its diagonal 0; raise if it is not an affinity."""
    Y = np.array(matrix)
    check_square(Y.shape, "DenseAffinity")
    if Y.dtype.kind not in "biuf":
        raise ValueError(f"affinity must hold numbers; got dtype {Y.dtype}.")
    if Y.dtype.kind != "f":
        Y = Y.astype(np.int8) if np.isin(Y, (-1, 0, 1)).all() else Y.astype(np.float64)
    np.fill_diagonal(Y, 0)
    if not np.isfinite(Y).all():
        raise ValueError("affinity must be finite; got NaN or infinity.")
    largest = np.abs(Y).max(initial=0)
    if largest > 1 + RANGE_TOLERANCE:
        worst = Y.flat[np.abs(Y).argmax()]
        raise ValueError(f"affinity must have values in [-1, 1]; got {worst}.")
    if largest > 1:
        np.clip(Y, -1, 1, out=Y)
    if not np.allclose(Y, Y.T, rtol=0, atol=SYMMETRY_TOLERANCE):
        raise ValueError("affinity is not symmetric: y_ij must equal y_ji.")
    return (Y + Y.T) / 2 if Y.dtype.kind == "f" else Y
