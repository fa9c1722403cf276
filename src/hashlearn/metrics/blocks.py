"""Distances and relevance of some queries to the whole database.

From a block come counts of items by distance, and relevance in the order of the ranking.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from hashlearn._numerics.selection import select_nearest, smallest
from hashlearn.metrics.counts import Counts, count_by_distance, count_by_run
from hashlearn.search.distances import Distance

N_STEPS = 4096  # radii of a curve by a real distance
TIE = 1e-12  # of the largest distance: what rounding may put between equal real distances


@dataclass(frozen=True)
class Block(ABC):
    """What the measures ask of some queries.

    An item left out of its own ranking stands behind all others and is not relevant.

    Attributes
    ----------
    distances : ndarray of shape (n_queries, n)
        Beyond all others for an item left out.
    relevance : ndarray of shape (n_queries, n), bool or float64
    n_bits : int
        Bits per code.
    """

    distances: np.ndarray
    relevance: np.ndarray
    n_bits: int

    @property
    @abstractmethod
    def beyond(self) -> float:
        """The distance of an item left out."""

    @abstractmethod
    def by_tie(self, k: int) -> Counts:
        """Count by groups of equally distant items; those behind the k-th item's may be one."""

    @abstractmethod
    def by_radius(self) -> Counts:
        """Count by the radius, of those that a curve goes through, at which items are found."""

    @abstractmethod
    def ranked(self, k: int) -> np.ndarray:
        """Return the relevance of the first k items, ties by position in the database."""

    def within(self, radius: float) -> tuple[np.ndarray, np.ndarray]:
        """Return per query how many items, and how many relevant ones, lie within a radius."""
        near = (self.distances <= radius) & (self.distances < self.beyond)
        return near.sum(axis=1), (near & self.relevance).sum(axis=1)

    def leave_out(self, items: np.ndarray) -> None:
        """Leave one item out of the ranking of each query."""
        rows = np.arange(items.size)
        self.distances[rows, items] = self.beyond
        self.relevance[rows, items] = 0


@dataclass(frozen=True)
class HammingBlock(Block):
    """A block of Hamming distances, uint16: every distance is a tie and a radius."""

    @property
    def beyond(self) -> float:
        """The distance of an item left out."""
        return self.n_bits + 1

    def by_tie(self, k: int) -> Counts:
        """Count by distance."""
        return self.by_radius()

    def by_radius(self) -> Counts:
        """Count by distance."""
        return count_by_distance(self.distances, self.relevance, self.n_bits)

    def ranked(self, k: int) -> np.ndarray:
        """Return the relevance of the first k items, ties by position in the database."""
        positions = select_nearest(self.distances, k, self.n_bits + 2)
        return np.take_along_axis(self.relevance, positions, axis=1)


@dataclass(frozen=True)
class RealBlock(Block):
    """A block of another distance, float64.

    Attributes
    ----------
    distance : Distance
        Whose distances they are.
    """

    distance: Distance

    @property
    def beyond(self) -> float:
        """The distance of an item left out."""
        return np.inf

    def by_tie(self, k: int) -> Counts:
        """Count by distance, nearest first; those behind the k-th item's are one group."""
        if k:
            kth = np.partition(self.distances, k - 1, axis=1)[:, k - 1]
        else:
            kth = np.full(len(self.distances), -np.inf)
        tolerance = TIE * self.distance.largest(self.n_bits)
        return count_by_run(self.distances, self.relevance, kth, tolerance)

    def by_radius(self) -> Counts:
        """Count by equal steps of the distance's scale."""
        largest = self.distance.largest(self.n_bits)
        steps = np.empty(self.distances.shape, dtype=np.uint16)
        for query, row in enumerate(self.distances):  # one by one, which stay in cache
            finite = np.minimum(row, largest)
            steps[query] = as_steps(self.distance.scaled(finite, self.n_bits))
        steps[self.distances == self.beyond] = N_STEPS
        return count_by_distance(steps, self.relevance, N_STEPS - 1)

    def ranked(self, k: int) -> np.ndarray:
        """Return the relevance of the first k items, ties by position in the database."""
        positions = smallest(self.distances, k)
        return np.take_along_axis(self.relevance, positions, axis=1)


def as_steps(scaled: np.ndarray) -> np.ndarray:
    """Return numbers from 0 to 1 as those of equal steps.

    Examples
    --------
    >>> as_steps(np.array([0.0, 0.25, 1.0]))
    array([   0, 1024, 4095], dtype=uint16)
    """
    return np.minimum(scaled * N_STEPS, N_STEPS - 1).astype(np.uint16)
