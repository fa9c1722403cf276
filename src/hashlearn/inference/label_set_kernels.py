"""Compiled sweeps over items with label sets."""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.integer_products import add_packed_row
from hashlearn.inference.kernels import bit_sums, row_dot


@compiled
def sweep_packed_sets(
    z: np.ndarray,
    weights: np.ndarray,
    near: np.ndarray,
    own: np.ndarray,
    of_item: np.ndarray,
    Z: np.ndarray,
    counted: np.ndarray,
    tolerance: float,
    max_sweeps: int,
    words: np.ndarray,
) -> None:
    """Flip items of z, in order, while z^T W (Z Z^T - m Y) W z falls, Y = 2 S - 1 among sets.

    `near` is S times the sums of w z per label set and is kept so, as are Z^T W z and the total;
    `own` is the diagonal of Y among sets; `words` is S as in `PackedPairs`.
    """
    agreement, n_counted = counted * bit_sums(Z, weights * z, 0, z.size), counted.sum()
    total = (weights * z).sum()
    for _ in range(max_sweeps):
        flipped = False
        for i in range(z.size):
            part, label_set = weights[i] * z[i], of_item[i]
            affinity = 2 * near[label_set] - total - own[label_set] * part
            product = row_dot(Z[i], agreement) - n_counted * part - Z.shape[1] * affinity
            if part * product > tolerance:
                for k in range(Z.shape[1]):
                    agreement[k] -= 2 * part * Z[i, k] * counted[k]
                total -= 2 * part
                add_packed_row(words, label_set, -2 * part, near)
                z[i] = -z[i]
                flipped = True
        if not flipped:
            return


@compiled
def sweep_listed_sets(
    z: np.ndarray,
    weights: np.ndarray,
    near: np.ndarray,
    own: np.ndarray,
    of_item: np.ndarray,
    Z: np.ndarray,
    counted: np.ndarray,
    tolerance: float,
    max_sweeps: int,
    indptr: np.ndarray,
    indices: np.ndarray,
) -> None:
    """Do what `sweep_packed_sets` does, with S as in `ListedPairs`."""
    agreement, n_counted = counted * bit_sums(Z, weights * z, 0, z.size), counted.sum()
    total = (weights * z).sum()
    for _ in range(max_sweeps):
        flipped = False
        for i in range(z.size):
            part, label_set = weights[i] * z[i], of_item[i]
            affinity = 2 * near[label_set] - total - own[label_set] * part
            product = row_dot(Z[i], agreement) - n_counted * part - Z.shape[1] * affinity
            if part * product > tolerance:
                for k in range(Z.shape[1]):
                    agreement[k] -= 2 * part * Z[i, k] * counted[k]
                total -= 2 * part
                for entry in range(indptr[label_set], indptr[label_set + 1]):
                    near[indices[entry]] -= 2 * part
                z[i] = -z[i]
                flipped = True
        if not flipped:
            return
