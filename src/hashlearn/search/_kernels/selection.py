"""Compiled selection by counting: Hamming distances are small integers.

Sorting is stable everywhere, so that equal distances keep the order of position.
"""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled

BLOCK = 1 << 14  # values counted in a uint16, which the compiler adds in many lanes


@compiled
def kth_smallest(values: np.ndarray, k: int, counts: np.ndarray) -> int:
    """Return the k-th smallest value, or the largest possible one if there are fewer."""
    counts[:] = 0
    for i in range(values.size):
        counts[values[i]] += 1
    n_below = 0
    for value in range(counts.size):
        n_below += counts[value]
        if n_below >= k:
            return value
    return counts.size - 1


@compiled
def _count_block(values: np.ndarray, bound: np.uint16) -> np.uint16:
    count = np.uint16(0)
    for i in range(values.size):
        count += np.uint16(values[i] <= bound)
    return count


@compiled
def count_at_most(values: np.ndarray, bound: int) -> int:
    """Return the number of uint16 values that are at most `bound`."""
    count = 0
    for start in range(0, values.size, BLOCK):
        count += int(_count_block(values[start : start + BLOCK], np.uint16(bound)))
    return count


@compiled
def kth_by_bisection(values: np.ndarray, k: int, largest: int) -> int:
    """Return the k-th smallest of many values from 0 to `largest`: a few fast counts."""
    low, high = 0, largest
    while low < high:
        middle = (low + high) // 2
        if count_at_most(values, middle) >= k:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def keep_nearest(
    distances: np.ndarray, positions: np.ndarray, size: int, k: int, counts: np.ndarray
) -> None:
    """Move the k nearest of `size` gathered codes to the front, in order; a stable counting sort.

    `distances` and `positions` have two rows: what is gathered, and room for the result.
    """
    counts[:] = 0
    for i in range(size):
        counts[distances[0, i]] += 1
    rank = 0
    for distance in range(counts.size):
        count = counts[distance]
        counts[distance] = rank
        rank += count
    for i in range(size):
        rank = counts[distances[0, i]]
        if rank < k:
            distances[1, rank] = distances[0, i]
            positions[1, rank] = positions[0, i]
            counts[distances[0, i]] = rank + 1
    kept = min(size, k)
    distances[0, :kept] = distances[1, :kept]
    positions[0, :kept] = positions[1, :kept]


@compiled
def sort_hits(hits: np.ndarray, n_queries: int, n_distances: int) -> np.ndarray:
    """Return hits by query, then by distance; equal ones keep their order. A counting sort."""
    starts = np.zeros(n_queries * n_distances + 1, dtype=np.int64)
    for i in range(hits.shape[1]):
        starts[hits[0, i] * n_distances + hits[1, i] + 1] += 1
    for key in range(1, starts.size):
        starts[key] += starts[key - 1]
    ordered = np.empty_like(hits)
    for i in range(hits.shape[1]):
        key = hits[0, i] * n_distances + hits[1, i]
        ordered[:, starts[key]] = hits[:, i]
        starts[key] += 1
    return ordered
