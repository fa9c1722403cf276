"""Compiled loss-adjusted inference of minimal loss hashing, pair by pair."""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled


@compiled
def adjust_pairs(
    A: np.ndarray, B: np.ndarray, losses: np.ndarray, kinds: np.ndarray
) -> tuple[float, float]:
    """Turn the margins of pairs into descent directions of the bound; return bound and loss.

    The (n_pairs, n_bits) margins A and B of the first and second items are overwritten by the
    differences of their signs and their loss-adjusted signs: -2, 0 or 2. `losses` holds the loss
    at each Hamming distance, for dissimilar pairs (kind 0) and similar ones (kind 1). Bound and
    loss are summed over the pairs.
    """
    n_bits = A.shape[1]
    g, h = np.empty(n_bits), np.empty(n_bits)
    bound, loss = 0.0, 0.0
    for pair in range(A.shape[0]):
        # the bound is a difference of large sums: in float32 it could fall below the loss
        a, b = A[pair].astype(np.float64), B[pair].astype(np.float64)
        table = losses[kinds[pair]]
        bound += loss_adjusted(a, b, table, g, h)
        distance = 0
        for k in range(n_bits):
            distance += (a[k] > 0) != (b[k] > 0)
            bound -= abs(a[k]) + abs(b[k])
            A[pair, k] = (1.0 if a[k] > 0 else -1.0) - g[k]
            B[pair, k] = (1.0 if b[k] > 0 else -1.0) - h[k]
        loss += table[distance]
    return bound, loss


@compiled
def loss_adjusted(
    a: np.ndarray, b: np.ndarray, table: np.ndarray, g: np.ndarray, h: np.ndarray
) -> float:
    """Fill signs g, h that maximise table[distance(g, h)] + g a + h b; return the maximum.

    A bit in which g and h agree contributes abs(a + b), one in which they differ abs(a - b). If r
    bits differ, they are those that lose least: bits are sorted once and r runs over 0..m.
    """
    gain = np.abs(a - b) - np.abs(a + b)
    order = np.argsort(-gain)
    value = np.abs(a + b).sum()
    best, n_differ = value + table[0], 0
    for r in range(a.size):
        value += gain[order[r]]
        if value + table[r + 1] > best:
            best, n_differ = value + table[r + 1], r + 1
    for r in range(a.size):
        k = order[r]
        if r < n_differ:
            g[k] = 1.0 if a[k] > b[k] else -1.0
            h[k] = -g[k]
        else:
            g[k] = 1.0 if a[k] + b[k] > 0 else -1.0
            h[k] = g[k]
    return best
