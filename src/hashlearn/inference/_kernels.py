"""Compiled loops over all pairs: table look-ups instead of formulas.

`T` is an n x n matrix of int16 positions in a flat table with one row of 2m + 1 entries per
affinity: T_ij = (y_ij + 1) (2m + 1) + s_ij + m. When a bit changes, it moves by the change of s.
The loops work on a block of rows, so that threads can share them.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.integer_products import REORDER, add_packed_row, row_dot


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


@partial(compiled, fastmath=REORDER)
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
    """Flip the item of z that gains most, while z^T A z falls; `product` is A z, kept so."""
    for _ in range(max_flips):
        best, gain = 0, tolerance
        for i in range(z.size):
            if z[i] * product[i] > gain:
                best, gain = i, z[i] * product[i]
        if gain <= tolerance:
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
    counted: np.ndarray,
    n_bits: int,
    max_sweeps: int,
) -> None:
    """Flip items of z, in order, while z^T (Z Z^T - m Y) z falls, Y = 2 S - 1 off the diagonal.

    `near` is S z and is kept so, as are Z^T z and the sum of z: a product of one row then costs
    O(m). All numbers are integers, so a gain is at least 1. Only counted bits are in Z.
    """
    agreement, n_counted = np.zeros(Z.shape[1], dtype=np.int32), counted.sum()
    total = np.int64(0)
    for i in range(z.size):
        total += z[i]
        for k in range(Z.shape[1]):
            agreement[k] += z[i] * Z[i, k]
    agreement *= counted
    for _ in range(max_sweeps):
        flipped = False
        for i in range(z.size):
            affinity = 2 * near[i] - total + z[i]
            product = _integer_dot(Z[i], agreement) - n_counted * z[i] - n_bits * affinity
            if z[i] * product > 0:
                for k in range(Z.shape[1]):
                    agreement[k] -= 2 * z[i] * Z[i, k] * counted[k]
                total -= 2 * z[i]
                for entry in range(indptr[i], indptr[i + 1]):
                    near[indices[entry]] -= 2 * z[i]
                z[i] = -z[i]
                flipped = True
        if not flipped:
            return


@compiled
def _integer_dot(z: np.ndarray, agreement: np.ndarray) -> np.int32:
    total = np.int32(0)
    for k in range(z.size):
        total += np.int32(z[k]) * agreement[k]
    return total


@compiled
def bit_sums(Z: np.ndarray, v: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Return Z^T v over a block of rows of small integers."""
    sums = np.zeros(Z.shape[1])
    for i in range(start, stop):
        for k in range(Z.shape[1]):
            sums[k] += v[i] * Z[i, k]
    return sums


@compiled
def sweep_sets(
    z: np.ndarray,
    weights: np.ndarray,
    kept: np.ndarray,
    own: np.ndarray,
    of_item: np.ndarray,
    Z: np.ndarray,
    counted: np.ndarray,
    tolerance: float,
    max_sweeps: int,
    rows: tuple[np.ndarray, ...],
    factored: bool,
) -> None:
    """Flip items of z, in order, while z^T W (Z Z^T - m Y) W z falls, Y = 2 S - 1 among sets.

    Items of equal affinities are in one set: a class, a label set, or an item alone. With v the
    sums of w z per set, `kept` is S v and is kept so, as are Z^T W z and its total; `own` is the
    diagonal of Y among sets. Only counted bits are in Z Z^T. `rows` is S: the row starts, columns
    and, unless all are 1, values of a sparse matrix, or the words of packed bits alone. If S is
    `factored`, S = F F^T, `rows` is F and `kept` is F^T v.
    """
    agreement, n_counted, total = np.zeros(Z.shape[1]), counted.sum(), 0.0
    for i in range(z.size):
        part = weights[i] * z[i]
        total += part
        for k in range(Z.shape[1]):
            agreement[k] += part * Z[i, k]
    agreement *= counted
    for _ in range(max_sweeps):
        flipped = False
        for i in range(z.size):
            part, own_set = weights[i] * z[i], of_item[i]
            near = _near(rows, own_set, kept, factored)
            affinity = 2 * near - total - own[own_set] * part
            product = row_dot(Z[i], agreement) - n_counted * part - Z.shape[1] * affinity
            if part * product > tolerance:
                for k in range(Z.shape[1]):
                    agreement[k] -= 2 * part * Z[i, k] * counted[k]
                total -= 2 * part
                _add_set(rows, own_set, -2 * part, kept)
                z[i] = -z[i]
                flipped = True
        if not flipped:
            return


@compiled
def _near(rows: tuple[np.ndarray, ...], own_set: int, kept: np.ndarray, factored: bool) -> float:
    """Return an entry of S v."""
    if len(rows) == 3 and factored:  # the length is known when compiled
        near = 0.0
        for entry in range(rows[0][own_set], rows[0][own_set + 1]):
            near += rows[2][entry] * kept[rows[1][entry]]
        return near
    return kept[own_set]


@compiled
def _add_set(rows: tuple[np.ndarray, ...], own_set: int, part: float, kept: np.ndarray) -> None:
    """Add a part to the entry of v."""
    if len(rows) == 1:
        add_packed_row(rows[0], own_set, part, kept)
    else:
        for entry in range(rows[0][own_set], rows[0][own_set + 1]):
            if len(rows) == 3:
                kept[rows[1][entry]] += part * rows[2][entry]
            else:
                kept[rows[1][entry]] += part
