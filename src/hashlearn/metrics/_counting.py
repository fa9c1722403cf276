"""Compiled counting of items and relevant items, by distance or by runs of equal distances."""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.selection import increasing


def count_by_distance(
    distances: np.ndarray, relevance: np.ndarray, n_bits: int
) -> tuple[np.ndarray, np.ndarray]:
    """Count items and relevance per distance, (n_queries, n_bits + 1) each.

    Items at distance `n_bits + 1` do not count.
    """
    shape = (distances.shape[0], n_bits + 2)
    total = np.zeros(shape, dtype=np.int64)
    relevant = np.zeros(shape, dtype=np.int64 if relevance.dtype == bool else np.float64)
    _add_by_distance(distances, np.ascontiguousarray(relevance), total, relevant)
    return total[:, :-1], relevant[:, :-1]


@compiled
def _add_by_distance(
    distances: np.ndarray, relevance: np.ndarray, total: np.ndarray, relevant: np.ndarray
) -> None:
    for q in range(distances.shape[0]):
        for i in range(distances.shape[1]):
            d = distances[q, i]
            total[q, d] += 1
            relevant[q, d] += relevance[q, i]


def count_by_run(
    distances: np.ndarray, relevance: np.ndarray, last: np.ndarray, tolerance: float | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Count items and relevance per run of equal real distances, the nearest first.

    A run holds all distances within the query's tolerance of its smallest. All items behind the
    run of `last` are one more run; infinitely distant items do not count.
    """
    tolerance = np.full(len(distances), tolerance, dtype=np.float64)
    near = distances <= (last + tolerance)[:, None]  # the whole run of the last
    shape = (len(distances), int(near.sum(axis=1).max(initial=0)) + 1)
    total = np.zeros(shape, dtype=np.int64)
    relevant = np.zeros(shape, dtype=np.int64 if relevance.dtype == bool else np.float64)
    n_runs = _add_by_run(distances, relevance, near, tolerance, total, relevant)
    return total[:, :n_runs], relevant[:, :n_runs]


@compiled
def _add_by_run(
    distances: np.ndarray,
    relevance: np.ndarray,
    near: np.ndarray,
    tolerance: np.ndarray,
    total: np.ndarray,
    relevant: np.ndarray,
) -> int:
    """Add near items to their runs, the others to one behind; return the most runs of a query."""
    most = 0
    for q in range(distances.shape[0]):
        run, smallest = -1, -np.inf
        items = np.flatnonzero(near[q])
        for i in items[increasing(distances[q][items])]:
            if distances[q, i] > smallest + tolerance[q]:
                run, smallest = run + 1, distances[q, i]
            total[q, run] += 1
            relevant[q, run] += relevance[q, i]
        for i in range(distances.shape[1]):
            if not near[q, i] and distances[q, i] < np.inf:
                total[q, run + 1] += 1
                relevant[q, run + 1] += relevance[q, i]
        most = max(most, run + 2)
    return most
