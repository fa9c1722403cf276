"""Items and relevant items per distance: all that most measures need of a ranking.

A distance is Hamming's, or the number of a step of another distance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hashlearn.compiled import compiled


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
