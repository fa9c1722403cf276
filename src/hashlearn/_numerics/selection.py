"""Compiled selection of the smallest distances of each row, ties by position.

Hamming distances are small integers, which are counted. Real distances go through a heap per row,
the farthest on top: items come in the order of position, so an item as far as the farthest loses
the tie, and one comparison passes most of them.
"""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled

MAX_INSERTED = 32  # values that are sorted by insertion; more are merged


@compiled
def _select_row(distances: np.ndarray, starts: np.ndarray, positions: np.ndarray) -> None:
    for i in range(distances.size):
        starts[np.int64(distances[i]) + 1] += 1
    for d in range(1, starts.size):
        starts[d] += starts[d - 1]
    # starts[d] is now the rank of the next item at distance d; a rank of k and more is not kept.
    for i in range(distances.size):
        rank = starts[distances[i]]
        if rank < positions.size:
            positions[rank] = i
            starts[distances[i]] = rank + 1


@compiled
def select_nearest(distances: np.ndarray, k: int, n_distances: int) -> np.ndarray:
    """Return per row the positions of its k smallest distances, ties by position.

    A counting sort that keeps the first k: distances must lie in 0, ..., n_distances - 1.
    """
    positions = np.empty((distances.shape[0], k), dtype=np.int64)
    for q in range(distances.shape[0]):
        starts = np.zeros(n_distances + 1, dtype=np.int64)
        _select_row(distances[q], starts, positions[q])
    return positions


@compiled
def is_behind(distance: float, position: int, other: float, other_position: int) -> bool:
    """Return whether a code comes after another: by distance, then by position."""
    return distance > other or (distance == other and position > other_position)


@compiled
def replace_top(
    distances: np.ndarray, positions: np.ndarray, distance: float, position: int
) -> None:
    """Put a nearer code into a heap in place of the farthest."""
    i, child = 0, 1
    while child < distances.size:
        if child + 1 < distances.size and is_behind(
            distances[child + 1], positions[child + 1], distances[child], positions[child]
        ):
            child += 1
        if not is_behind(distances[child], positions[child], distance, position):
            break
        distances[i], positions[i] = distances[child], positions[child]
        i, child = child, 2 * child + 1
    distances[i], positions[i] = distance, position


@compiled
def _push_row(row: np.ndarray, first: int, distances: np.ndarray, positions: np.ndarray) -> None:
    for i in range(row.size):
        if row[i] < distances[0]:
            replace_top(distances, positions, row[i], first + i)


@compiled
def push_nearest(
    block: np.ndarray, first: int, distances: np.ndarray, positions: np.ndarray
) -> None:
    """Add a block of distances, infinite for codes that are never chosen, to the heaps of its rows.

    Its first code has the position `first`, after all codes so far. Heaps are (n_queries, k), with
    infinity where there is no code yet.
    """
    for q in range(block.shape[0]):
        _push_row(block[q], first, distances[q], positions[q])


def smallest(distances: np.ndarray, k: int) -> np.ndarray:
    """Return per row the positions of its k smallest float64 distances, ties by position.

    At least k distances of each row must be finite.
    """
    if 4 * k > distances.shape[1]:  # a heap of most items is slower than a sort of all
        ordered = [increasing(row)[:k] for row in distances]
        return np.array(ordered, dtype=np.int64).reshape(len(distances), k)
    heaps = empty_heaps(len(distances), k)
    push_nearest(distances, 0, *heaps)
    return in_order(*heaps, k)[1]


@compiled
def increasing(values: np.ndarray) -> np.ndarray:
    """Return the positions of float64 values, -inf and NaN excepted, in increasing order, stable.

    Values are put into as many equal steps as there are values, and ordered within each. This is
    several times faster than a sort, unless nearly all are in few steps.
    """
    n = values.size
    low, high = np.inf, -np.inf
    for value in values:
        if value < np.inf:
            low, high = min(low, value), max(high, value)
    scale = (n - 1) / (high - low) if high > low else 0.0
    starts = np.zeros(n + 2, dtype=np.int64)  # one more step for infinity
    steps = np.empty(n, dtype=np.int32)
    for i in range(n):
        steps[i] = min(int((values[i] - low) * scale), n - 1) if values[i] < np.inf else n
        starts[steps[i] + 1] += 1
    for step in range(1, n + 2):
        starts[step] += starts[step - 1]
    positions = np.empty(n, dtype=np.int64)
    for i in range(n):
        positions[starts[steps[i]]] = i
        starts[steps[i]] += 1  # in the end, where the next step begins
    first = 0
    for step in range(n):
        if starts[step] - first > 1:
            _order_part(values, positions[first : starts[step]])
        first = starts[step]
    return positions


@compiled
def _order_part(values: np.ndarray, positions: np.ndarray) -> None:
    """Put a few positions into the order of their values, stable."""
    if positions.size > MAX_INSERTED:
        positions[:] = positions[np.argsort(values[positions], kind="mergesort")]
        return
    for i in range(1, positions.size):
        position, j = positions[i], i - 1
        while j >= 0 and values[positions[j]] > values[position]:
            positions[j + 1] = positions[j]
            j -= 1
        positions[j + 1] = position


def empty_heaps(n_queries: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return heaps of distances and positions that any code enters."""
    positions = np.broadcast_to(np.arange(k), (n_queries, k)).copy()
    return np.full((n_queries, k), np.inf), positions


def in_order(distances: np.ndarray, positions: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k first by distance, then by position."""
    order = np.lexsort((positions, distances), axis=-1)[:, :k]
    return (
        np.take_along_axis(distances, order, axis=1),
        np.take_along_axis(positions, order, axis=1),
    )
