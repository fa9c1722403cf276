"""Compiled loops of binary reconstructive embeddings: one coefficient at a time, exactly.

The sampled pairs are the entries of a symmetric CSR matrix (`indptr`, `indices`), each pair
stored twice. Of one bit only `price` matters: what a pair costs more when its items differ.
"""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled


@compiled
def pair_prices(
    indptr: np.ndarray, indices: np.ndarray, residual: np.ndarray, z: np.ndarray, n_bits: int
) -> np.ndarray:
    """Return (r - 1/m)^2 - r^2 per pair, r its residual d - d_Hamming / m over the other bits."""
    price = np.empty(residual.size)
    for i in range(z.size):
        for e in range(indptr[i], indptr[i + 1]):
            r = residual[e] + (1.0 / n_bits if z[i] != z[indices[e]] else 0.0)
            price[e] = (1.0 / n_bits - 2.0 * r) / n_bits
    return price


@compiled
def move_residuals(
    indptr: np.ndarray,
    indices: np.ndarray,
    residual: np.ndarray,
    old: np.ndarray,
    new: np.ndarray,
    n_bits: int,
) -> None:
    """Bring the residuals from the old signs of a bit to the new ones, in place."""
    for i in range(old.size):
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            change = (old[i] != old[j]) * 1.0 - (new[i] != new[j]) * 1.0
            residual[e] += change / n_bits


@compiled
def descend_bit(
    indptr: np.ndarray,
    indices: np.ndarray,
    price: np.ndarray,
    K: np.ndarray,
    w: np.ndarray,
    f: np.ndarray,
) -> None:
    """Minimise the cost of one bit over each of its coefficients in turn, in place.

    K holds the kernel values of the anchors, (n_anchors, n); w the coefficients; f = w K the
    margins of the items.
    """
    z = f > 0
    for q in range(w.size):
        step = best_step(indptr, indices, price, K[q], f)
        if step == 0.0:
            continue
        moved = f + step * K[q]
        # the sweep knows the cost up to rounding at the borders: never worse is checked
        if _change(indptr, indices, price, z, moved > 0) < 0.0:
            w[q] += step
            f[:] = moved
            z = f > 0


@compiled
def best_step(
    indptr: np.ndarray, indices: np.ndarray, price: np.ndarray, k: np.ndarray, f: np.ndarray
) -> float:
    """Return the t for which the signs of f + t k cost least, 0 if none cost less.

    The cost is constant between the borders -f_i / k_i, at each of which one item changes sides:
    it is followed from t = 0 to the right, then to the left.
    """
    best, best_step = 0.0, 0.0
    for direction in (1.0, -1.0):
        t = np.full(f.size, np.inf)
        for i in range(f.size):
            slope = direction * k[i]
            if (slope > 0.0 and f[i] <= 0.0) or (slope < 0.0 and f[i] > 0.0):
                t[i] = -f[i] / slope
        order = np.argsort(t)
        z = f > 0
        cost = 0.0
        for place in range(f.size):
            i = order[place]
            if t[i] == np.inf:
                break
            for e in range(indptr[i], indptr[i + 1]):
                cost += price[e] if z[i] == z[indices[e]] else -price[e]
            z[i] = not z[i]
            after = t[order[place + 1]] if place + 1 < f.size else np.inf
            if cost < best and after > t[i]:
                best = cost
                best_step = direction * ((t[i] + after) / 2 if after < np.inf else 2 * t[i] + 1)
    return best_step if best < -1e-12 else 0.0


@compiled
def _change(
    indptr: np.ndarray, indices: np.ndarray, price: np.ndarray, old: np.ndarray, new: np.ndarray
) -> float:
    """Return how much the cost changes from old signs to new ones."""
    change = 0.0
    for i in range(old.size):
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            change += price[e] * ((new[i] != new[j]) * 1.0 - (old[i] != old[j]) * 1.0)
    return change / 2
