"""Items and relevant items per distance: all that most measures need of a ranking.

A distance is Hamming's, the number of a step of another distance, or that of a run of equal ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hashlearn._numerics.compiled import compiled


class Counts(NamedTuple):
    """Per query and distance how many items there are, and how many (how much) relevant.

    Attributes
    ----------
    total : ndarray of shape (n_queries, n_bits + 1), int64
        Items at each distance.
    relevant : ndarray of shape (n_queries, n_bits + 1)
        Relevant items at each distance; with graded relevance the sum of the grades.
    """

    total: np.ndarray
    relevant: np.ndarray

    @property
    def n_relevant(self) -> np.ndarray:
        """Relevant items per query."""
        return self.relevant.sum(axis=1)

    @property
    def total_before(self) -> np.ndarray:
        """Items nearer than each distance: the rank after which the distance begins."""
        return np.cumsum(self.total, axis=1) - self.total

    @property
    def relevant_before(self) -> np.ndarray:
        """Relevant items nearer than each distance."""
        return np.cumsum(self.relevant, axis=1) - self.relevant

    def inside(self, k: int) -> np.ndarray:
        """Return how many items of each distance fall among the first k."""
        return np.clip(k - self.total_before, 0, self.total)


def count_by_distance(distances: np.ndarray, relevance: np.ndarray, n_bits: int) -> Counts:
    """Count by distance, 0 to `n_bits`; items further away do not count.

    Parameters
    ----------
    distances : ndarray of shape (n_queries, n), uint16
        Hamming distances, or steps of another distance, at most `n_bits + 1`.
    relevance : ndarray of shape (n_queries, n), bool or float64
        Added up per distance.
    n_bits : int
        The largest distance: bits per code, or the last step.

    Returns
    -------
    counts : Counts

    Examples
    --------
    >>> distances = np.array([[2, 0, 2, 1]], dtype=np.uint16)
    >>> counts = count_by_distance(distances, np.array([[True, True, False, False]]), n_bits=2)
    >>> counts.total, counts.relevant
    (array([[1, 1, 2]]), array([[1, 0, 1]]))
    """
    shape = (distances.shape[0], n_bits + 2)
    total = np.zeros(shape, dtype=np.int64)
    relevant = np.zeros(shape, dtype=np.int64 if relevance.dtype == bool else np.float64)
    _add_by_distance(distances, relevance, total, relevant)
    return Counts(total[:, :-1], relevant[:, :-1])


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
    distances: np.ndarray, relevance: np.ndarray, last: np.ndarray, tolerance: float
) -> Counts:
    """Count by runs of equal real distances, the nearest first.

    A run holds all distances within the tolerance of its smallest.

    Parameters
    ----------
    distances : ndarray of shape (n_queries, n), float64
        Infinite where an item does not count.
    relevance : ndarray of shape (n_queries, n), bool or float64
        Added up per run.
    last : ndarray of shape (n_queries,), float64
        The distance whose run is the last that is told apart; what lies behind is one more.
    tolerance : float
        What may lie between equal distances.

    Returns
    -------
    counts : Counts
        Of as many runs as the query with most has; the others end with empty ones.

    Examples
    --------
    >>> distances = np.array([[0.7, 0.3, 0.1 + 0.2, 0.9, 0.8]])
    >>> relevance = np.array([[True, True, False, True, True]])
    >>> count_by_run(distances, relevance, last=np.array([0.7]), tolerance=1e-12)
    Counts(total=array([[2, 1, 2]]), relevant=array([[1, 1, 2]]))
    """
    near = distances <= last[:, None] + tolerance  # the whole run of the last
    shape = (len(distances), int(near.sum(axis=1).max(initial=0)) + 1)
    total = np.zeros(shape, dtype=np.int64)
    relevant = np.zeros(shape, dtype=np.int64 if relevance.dtype == bool else np.float64)
    n_runs = _add_by_run(distances, relevance, near, tolerance, total, relevant)
    return Counts(total[:, :n_runs], relevant[:, :n_runs])


@compiled
def _add_by_run(
    distances: np.ndarray,
    relevance: np.ndarray,
    near: np.ndarray,
    tolerance: float,
    total: np.ndarray,
    relevant: np.ndarray,
) -> int:
    """Add near items to their runs, the others to one behind; return the most runs of a query."""
    most = 0
    for q in range(distances.shape[0]):
        items = np.flatnonzero(near[q])
        run, smallest = -1, -np.inf
        for i in items[np.argsort(distances[q][items])]:
            if distances[q, i] > smallest + tolerance:
                run, smallest = run + 1, distances[q, i]
            total[q, run] += 1
            relevant[q, run] += relevance[q, i]
        for i in range(distances.shape[1]):
            if not near[q, i] and distances[q, i] < np.inf:
                total[q, run + 1] += 1
                relevant[q, run + 1] += relevance[q, i]
        most = max(most, run + 2)
    return most
