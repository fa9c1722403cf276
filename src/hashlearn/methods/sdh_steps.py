"""The steps of SDH: discrete coordinate descent over bits, and ridge regression in blocks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from hashlearn._numerics.row_blocks import RowBlocks

MAX_SWEEPS = 10  # over all bits in one B step; it mostly ends after three


def improve_bits(B: np.ndarray, W: np.ndarray, Q: np.ndarray) -> None:
    r"""Minimise :math:`\|B W\|^2 - 2\,\mathrm{tr}(B^T Q)` over signs, one bit at a time, in place.

    With the other bits fixed, the best bit k of all items is
    :math:`\mathrm{sign}(q_k - B' W' w_k)`, the primes leaving bit k out; where that is 0 either
    value is best and the bit stays. Sweeps end when no bit changes.

    Parameters
    ----------
    B : ndarray of shape (n, n_bits)
        Signs, overwritten.
    W : ndarray of shape (n_bits, n_labels)
        The weights, one row :math:`w_k` per bit.
    Q : ndarray of shape (n, n_bits)
        The linear term.

    Examples
    --------
    >>> B = np.array([[1.0, 1.0]])
    >>> improve_bits(B, np.eye(2), np.array([[0.5, -0.5]]))
    >>> B
    array([[ 1., -1.]])
    """
    WW = W @ W.T
    for _ in range(MAX_SWEEPS):
        changed = [_improve_bit(B, k, WW, Q[:, k]) for k in range(B.shape[1])]
        if not any(changed):
            break


def _improve_bit(B: np.ndarray, k: int, WW: np.ndarray, q: np.ndarray) -> bool:
    pull = q - B @ WW[:, k] + WW[k, k] * B[:, k]
    wrong = pull * B[:, k] < 0
    B[wrong, k] *= -1
    return bool(wrong.any())


class BlockRegression:
    r"""Ridge regression of many targets on features that are read in blocks.

    Minimises :math:`\|T - [\Phi\;1] P\|^2 + \lambda \|P\|^2`, the constant penalised as well.
    Sums are in float64: the ridge is small beside the features' squares.

    Parameters
    ----------
    features : RowBlocks
        The features :math:`\Phi`, dense.
    ridge : float
        The penalty :math:`\lambda`.

    Examples
    --------
    >>> regression = BlockRegression(RowBlocks(np.array([[0.0], [1.0]])), ridge=1e-9)
    >>> regression.fit(np.array([[1.0], [3.0]])).round(3)
    array([[2.],
           [1.]])
    """

    def __init__(self, features: RowBlocks, ridge: float) -> None:
        self.features = features
        self.ridge = ridge
        gram = ridge * np.eye(features.shape[1] + 1)
        for _, block in self._blocks():
            gram += block.T @ block
        self.factor = cho_factor(gram, overwrite_a=True)

    def fit(self, targets: np.ndarray) -> np.ndarray:
        """Return P, (n_features + 1, n_targets), the constant's row last."""
        products = np.zeros((self.features.shape[1] + 1, targets.shape[1]))
        for rows, block in self._blocks():
            products += block.T @ targets[rows]
        return cho_solve(self.factor, products)

    def predict(self, P: np.ndarray) -> np.ndarray:
        """Return the predictions for all items, (n, n_targets)."""
        predicted = np.empty((self.features.shape[0], P.shape[1]))
        for rows, block in self._blocks():
            predicted[rows] = block @ P
        return predicted

    def _blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        for rows, block in self.features:
            yield rows, np.hstack([block, np.ones((len(block), 1))], dtype=np.float64)
