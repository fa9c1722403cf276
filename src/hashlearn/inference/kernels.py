"""Compiled loops over all pairs: table look-ups instead of formulas."""

from __future__ import annotations

import numpy as np
from numba import njit, prange


@njit(cache=True, parallel=True)
def fill_matrix(
    S: np.ndarray,
    Y: np.ndarray,
    z: np.ndarray,
    steps: np.ndarray,
    weights: np.ndarray,
    A: np.ndarray,
) -> None:
    """Set A_ij = w_i w_j a(s_ij, y_ij), s over the bits other than z; the diagonal to 0."""
    shift = steps.shape[1] // 2
    for i in prange(S.shape[0]):
        for j in range(S.shape[1]):
            s = S[i, j] - z[i] * z[j]
            A[i, j] = weights[i] * weights[j] * steps[Y[i, j] + 1, s + shift]
        A[i, i] = 0


@njit(cache=True, parallel=True)
def total_loss(
    S: np.ndarray, Y: np.ndarray, table: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return per row the weighted sum of losses; rows are summed in order, whatever threads."""
    shift = table.shape[1] // 2
    sums = np.empty(S.shape[0])
    for i in prange(S.shape[0]):
        total = 0.0
        for j in range(S.shape[1]):
            total += weights[j] * table[Y[i, j] + 1, S[i, j] + shift]
        sums[i] = weights[i] * total
    return sums


@njit(cache=True, parallel=True)
def update_affinities(S: np.ndarray, new: np.ndarray, old: np.ndarray) -> None:
    """Replace one bit's products in the Hamming affinities S."""
    for i in prange(S.shape[0]):
        for j in range(S.shape[1]):
            S[i, j] += new[i] * new[j] - old[i] * old[j]
