"""Compiled selection of the smallest real distances, ties by position.

A heap per query holds the k nearest so far, the farthest on top. Codes come in the order of
position, so a code as far as the farthest loses the tie, and one comparison passes most of them.
"""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled


@compiled
def _is_behind(distance: float, position: int, other: float, other_position: int) -> bool:
    return distance > other or (distance == other and position > other_position)


@compiled
def _replace_top(
    distances: np.ndarray, positions: np.ndarray, distance: float, position: int
) -> None:
    """Put a nearer code into a heap in place of the farthest."""
    i, child = 0, 1
    while child < distances.size:
        if child + 1 < distances.size and _is_behind(
            distances[child + 1], positions[child + 1], distances[child], positions[child]
        ):
            child += 1
        if not _is_behind(distances[child], positions[child], distance, position):
            break
        distances[i], positions[i] = distances[child], positions[child]
        i, child = child, 2 * child + 1
    distances[i], positions[i] = distance, position


@compiled
def _push_row(row: np.ndarray, first: int, distances: np.ndarray, positions: np.ndarray) -> None:
    for i in range(row.size):
        if row[i] < distances[0]:
            _replace_top(distances, positions, row[i], first + i)


@compiled
def push_nearest(
    block: np.ndarray, first: int, distances: np.ndarray, positions: np.ndarray
) -> None:
    """Take a block of distances into the heaps.

    Parameters
    ----------
    block : ndarray of shape (n_queries, n_block), float64
        Finite, or infinite for a code that is never taken.
    first : int
        The position of the block's first code, after all codes so far.
    distances, positions : ndarray of shape (n_queries, k), float64 and int64
        Heaps; infinity where there is no code yet.
    """
    for q in range(block.shape[0]):
        _push_row(block[q], first, distances[q], positions[q])
