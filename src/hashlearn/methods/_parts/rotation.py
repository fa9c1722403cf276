"""Rotation of directions towards the corners of the cube, for ITQ and ITQ-CCA."""

from __future__ import annotations

import numpy as np
from scipy.linalg import svd

from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn._progress import track


def fit_rotation(
    V: np.ndarray,
    n_bits: int,
    n_iter: int,
    random_state: np.random.RandomState,
    *,
    verbose: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Minimise :math:`\|B - V R\|^2` over codes B in {-1, +1} and R with orthonormal rows.

    Starting from a random rotation, B = sign(V R) and the best R for that B alternate for at most
    `n_iter` rounds; a round without improvement is the last. V holds the centred projections of
    the items, at most one column per bit; with fewer columns, R is the matching part of a square
    rotation. Returns R, in float64, and the mean error per item, from the first rotation to the
    last.
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
