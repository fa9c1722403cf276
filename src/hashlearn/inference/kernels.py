"""Compiled loops over all pairs: table look-ups instead of formulas.

`T` is an n x n matrix of int16 positions in a flat table with one row of 2m + 1 entries per
affinity: T_ij = (y_ij + 1) (2m + 1) + s_ij + m. When a bit changes, it moves by the change of s.
The loops work on a range of rows, so that threads can share them.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from hashlearn.compiled import compiled

# sums may be reordered for vector units: the same order in every run of one build
_REORDER = {"reassoc", "contract"}


@compiled
def fill_rows(
    T: np.ndarray,
    z: np.ndarray,
    steps: np.ndarray,
    weights: np.ndarray,
    A: np.ndarray,
    start: int,
    stop: int,
) -> None:
    """Set A_ij = w_i w_j a(s_ij, y_ij), s over the bits other than z; the diagonal to 0."""
    for i in range(start, stop):
        _fill_row(T[i], z[i], z, steps, weights[i], weights, A[i])
        A[i, i] = 0


@compiled
def _fill_row(
    positions: np.ndarray,
    z_i: np.int16,
    z: np.ndarray,
    steps: np.ndarray,
    weight: np.floating,
    weights: np.ndarray,
    row: np.ndarray,
) -> None:
    for j in range(row.size):
        row[j] = weight * weights[j] * steps[positions[j] - z_i * z[j]]


@compiled
def sum_rows(
    T: np.ndarray,
    table: np.ndarray,
    weights: np.ndarray,
    sums: np.ndarray,
    start: int,
    stop: int,
) -> None:
    """Set per row the weighted sum of its losses; the diagonal does not count."""
    for i in range(start, stop):
        own = weights[i] * table[T[i, i]]
        sums[i] = weights[i] * (_row_loss(T[i], table, weights) - own)


@partial(compiled, fastmath=_REORDER)
def _row_loss(positions: np.ndarray, table: np.ndarray, weights: np.ndarray) -> float:
    total = 0.0
    for j in range(positions.size):
        total += weights[j] * table[positions[j]]
    return total


@compiled
def move_rows(T: np.ndarray, new: np.ndarray, old: np.ndarray, start: int, stop: int) -> None:
    """Replace one bit's products in the Hamming affinities."""
    for i in range(start, stop):
        _move_row(T[i], new[i], new, old[i], old)


@compiled
def _move_row(
    positions: np.ndarray, new_i: np.int16, new: np.ndarray, old_i: np.int16, old: np.ndarray
) -> None:
    for j in range(positions.size):
        positions[j] += np.int16(new_i * new[j]) - np.int16(old_i * old[j])


@compiled
def flip_dense(
    z: np.ndarray, product: np.ndarray, A: np.ndarray, tolerance: float, max_flips: int
) -> None:
    """Flip the item of z that gains most, while z^T A z falls; `product` is A z, kept so.

    A gain below the `tolerance`, relative to the largest product, is rounding.
    """
    least = tolerance * np.abs(product).max()
    for _ in range(max_flips):
        best, gain = 0, least
        for i in range(z.size):
            if z[i] * product[i] > gain:
                best, gain = i, z[i] * product[i]
        if gain <= least:
            return
        for j in range(z.size):
            product[j] -= 2 * z[best] * A[best, j]
        z[best] = -z[best]


@compiled
def sweep_sparse(
    z: np.ndarray,
    product: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    tolerance: float,
    max_sweeps: int,
) -> None:
    """Flip items of z, in order, while z^T A z falls; `product` is A z and is kept so."""
    for _ in range(max_sweeps):
        flipped = False
        for i in range(z.size):
            if z[i] * product[i] > tolerance:
                for entry in range(indptr[i], indptr[i + 1]):
                    product[indices[entry]] -= 2 * z[i] * data[entry]
                z[i] = -z[i]
                flipped = True
        if not flipped:
            return


@compiled
def sweep_graph(
    z: np.ndarray,
    near: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    Z: np.ndarray,
    n_bits: int,
    max_sweeps: int,
) -> None:
    """Flip items of z, in order, while z^T (Z Z^T - m Y) z falls, Y = 2 S - 1 off the diagonal.

    `near` is S z and is kept so, as are Z^T z and the sum of z: a product of one row then costs
    O(m). All numbers are integers, so a gain is at least 1.
    """
    agreement, total = Z.T @ z, z.sum()
    for _ in range(max_sweeps):
        flipped = False
        for i in range(z.size):
            affinity = 2 * near[i] - total + z[i]
            product = (Z[i] * agreement).sum() - Z.shape[1] * z[i] - n_bits * affinity
            if z[i] * product > 0.5:
                agreement -= 2 * z[i] * Z[i]
                total -= 2 * z[i]
                for entry in range(indptr[i], indptr[i + 1]):
                    near[indices[entry]] -= 2 * z[i]
                z[i] = -z[i]
                flipped = True
        if not flipped:
            return
