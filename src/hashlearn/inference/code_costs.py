"""Compiled costs of the code of one class, where all classes are dissimilar.

See `code_kernels`: a code z costs z^T R z + 2 m r^T z, R and r over the other classes. They are
kept for all classes; what the class itself adds is left out where they are read.
"""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn.inference.kernels import row_dot


@compiled
def set_product(
    Z: np.ndarray, weights: np.ndarray, g: int, R: np.ndarray, r: np.ndarray, product: np.ndarray
) -> None:
    """Set R z + m r for the code z of one class, R and r over the other classes."""
    n, m = Z.shape
    own = Z[g].astype(np.float64)
    if n < m:  # then codes are shorter to read than R
        product[:] = 0
        for h in range(n):
            _add_multiple(Z[h], weights[h] * row_dot(Z[h], own), product)
    else:
        product[:] = R @ own
    for k in range(m):
        product[k] += m * r[k] - 2 * m * weights[g] * own[k]


@compiled
def gain_of(z: np.ndarray, product: np.ndarray, total: float, k: int) -> float:
    """Return a quarter of what flipping bit k saves; `product` is R z + m r, `total` R_kk."""
    return z[k] * product[k] - total


@compiled
def flip_bit(
    z: np.ndarray,
    word: np.ndarray,
    product: np.ndarray,
    R: np.ndarray,
    own: np.ndarray,
    weight: float,
    k: int,
) -> float:
    """Flip bit k; return the change of the cost. R holds the class's `own` code too."""
    change = -4 * gain_of(z, product, R[k, k] - weight, k)
    of_own = weight * own[k]
    for j in range(z.size):
        product[j] -= 2 * z[k] * (R[k, j] - of_own * own[j])
    z[k] = -z[k]
    word[k // 64] ^= np.uint64(1) << np.uint64(k % 64)
    return change


@compiled
def replace_code(
    own: np.ndarray, z: np.ndarray, weight: float, R: np.ndarray, r: np.ndarray
) -> None:
    """Give a class another code, also in R and r."""
    for k in range(z.size):
        if own[k] != z[k]:
            r[k] += 2 * weight * z[k]
            own[k] = -own[k]
            _add_multiple(own, 2 * weight * z[k], R[k])
            R[k, k] -= 2 * weight
            R[:, k] = R[k]


@compiled
def _add_multiple(z: np.ndarray, factor: float, out: np.ndarray) -> None:
    for k in range(out.size):
        out[k] += factor * z[k]
