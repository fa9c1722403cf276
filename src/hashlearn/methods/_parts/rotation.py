"""What ITQ and ITQ-CCA share: directions are rotated so that signs lose little of them."""

from __future__ import annotations

import numpy as np
from scipy.linalg import svd

from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn._progress import track
from hashlearn.methods.linear import LinearHasher


class RotatedHasher(LinearHasher):
    r"""A linear hasher whose projections are rotated towards the corners of the cube.

    A subclass sets `mean_` and `projections_`, at most one direction per bit, and then calls
    `_rotate` with the projected items.

    Attributes
    ----------
    rotation_ : ndarray of shape (n_directions, n_bits)
        The rotation :math:`R`, with orthonormal rows.
    quantization_error_ : ndarray of shape (n_rounds + 1,)
        :math:`\|B - V R\|^2 / n` from the first rotation to the last; it never rises.
    """

    n_iter: int
    verbose: int
    rotation_: np.ndarray
    quantization_error_: np.ndarray

    def _rotate(self, V: np.ndarray, random_state: np.random.RandomState) -> None:
        """Find the rotation for the projected items V, and put it into `projections_`."""
        self.rotation_, self.quantization_error_ = fit_rotation(
            V, self.n_bits, self.n_iter, random_state, verbose=self.verbose
        )
        self.projections_ = self.projections_ @ self.rotation_


def fit_rotation(
    V: np.ndarray,
    n_bits: int,
    n_iter: int,
    random_state: np.random.RandomState,
    *,
    verbose: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Minimise :math:`\|B - V R\|^2` over codes B in {-1, +1} and R with orthonormal rows.

    From a random rotation, B = sign(V R) and the best R for that B take turns. A round without
    progress is the last one. With fewer columns than bits, R is what is left of a square rotation
    when V is filled up with zeros.

    Parameters
    ----------
    V : ndarray of shape (n, n_directions)
        Centred projections of the items.
    n_bits : int
        The number of bits, at least `n_directions`.
    n_iter : int
        The most rounds.
    random_state : RandomState
        Draws the first rotation.
    verbose : int, default=0
        Above 0, a bar.

    Returns
    -------
    rotation : ndarray of shape (n_directions, n_bits), float64
        The rotation R.
    errors : ndarray of shape (n_rounds + 1,)
        The mean error per item, from the first rotation to the last.

    Examples
    --------
    >>> V = np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 2.0], [0.0, -2.0]])
    >>> R, errors = fit_rotation(V, 2, 50, np.random.RandomState(0))
    >>> abs(V @ R).round(2)  # a turn by 45 degrees is the best
    array([[1.41, 1.41],
           [1.41, 1.41],
           [1.41, 1.41],
           [1.41, 1.41]])
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
    """Return the mean error of B = sign(V R), and V^T B, from which the next R comes."""
    absolute, squares = 0.0, 0.0
    product = np.zeros(R.shape)
    R = R.astype(V.dtype)
    for _, block in RowBlocks(V):
        P = block @ R
        absolute += np.abs(P).sum(dtype=np.float64)
        squares += np.square(block).sum(dtype=np.float64)
        product += block.T @ np.where(P > 0, P.dtype.type(1), P.dtype.type(-1))
    return R.shape[1] + (squares - 2 * absolute) / V.shape[0], product
