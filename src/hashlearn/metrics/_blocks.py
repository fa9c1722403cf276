"""A block of rankings: distances and relevance of the database to some queries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hashlearn._numerics.selection import select_nearest, smallest
from hashlearn.metrics._counting import count_by_run
from hashlearn.metrics.counts import RankingCounts

N_STEPS = 4096  # radii of a curve by a real distance


@dataclass(frozen=True)
class RankingBlock(ABC):
    """Distances and relevance of the database to a block of queries: a piece of the rankings.

    An item left out of its own ranking comes after all others and is not relevant.
    """

    distances: np.ndarray  # (n_queries, n)
    relevance: np.ndarray  # (n_queries, n), bool or grades
    n_bits: int
    order: np.ndarray | None  # of equally distant items; None: by position

    @property
    @abstractmethod
    def beyond(self) -> float:
        """The distance of an item left out."""

    @abstractmethod
    def by_tie(self, k: int) -> RankingCounts:
        """Count by groups of equally distant items; those behind the k-th item may be one."""

    @abstractmethod
    def by_radius(self) -> RankingCounts:
        """Count by the radii of a curve, each item at the first that holds it."""

    @abstractmethod
    def nearest(self, distances: np.ndarray, k: int) -> np.ndarray:
        """Return per row the columns of the k smallest distances, ties by column."""

    def first(self, k: int) -> np.ndarray:
        """Return the first k items."""
        if self.order is None:
            return self.nearest(self.distances, k)
        return self.order[self.nearest(self.distances[:, self.order], k)]

    def at(self, items: np.ndarray) -> np.ndarray:
        """Return the relevance of some items of each query."""
        return np.take_along_axis(self.relevance, items, axis=1)

    def ranked(self, k: int) -> np.ndarray:
        """Return the relevance of the first k items."""
        return self.at(self.first(k))

    def within(self, radius: float) -> tuple[np.ndarray, np.ndarray]:
        """Return per query the number of items and of relevant items within a radius."""
        near = (self.distances <= radius) & (self.distances < self.beyond)
        return near.sum(axis=1), (near & self.relevance).sum(axis=1)

    def leave_out(self, items: np.ndarray) -> None:
        """Leave one item out of the ranking of each query."""
        rows = np.arange(items.size)
        self.distances[rows, items] = self.beyond
        self.relevance[rows, items] = 0


@dataclass(frozen=True)
class HammingRankingBlock(RankingBlock):
    """Rankings by Hamming distance, uint16: every distance is a tie and a radius."""

    @property
    def beyond(self) -> float:
        """The distance of an item left out."""
        return self.n_bits + 1

    def by_tie(self, k: int) -> RankingCounts:
        """Count by distance."""
        return self.by_radius()

    def by_radius(self) -> RankingCounts:
        """Count by distance."""
        return RankingCounts.from_distances(self.distances, self.relevance, self.n_bits)

    def nearest(self, distances: np.ndarray, k: int) -> np.ndarray:
        """Return per row the columns of the k smallest distances, ties by column."""
        return select_nearest(distances, k, self.n_bits + 2)


@dataclass(frozen=True)
class RealRankingBlock(RankingBlock):
    """Rankings by a real distance, float64."""

    tolerance: float | np.ndarray  # what rounding may put between equal distances, of each query
    largest: float  # no distance exceeds it
    scaled: Callable[[np.ndarray], np.ndarray]  # from 0 to 1, in the order of the distances

    @property
    def beyond(self) -> float:
        """The distance of an item left out."""
        return np.inf

    def by_tie(self, k: int) -> RankingCounts:
        """Count by distance, nearest first; those behind the k-th item are one group."""
        if k:
            kth = np.partition(self.distances, k - 1, axis=1)[:, k - 1]
        else:
            kth = np.full(len(self.distances), -np.inf)
        return RankingCounts(*count_by_run(self.distances, self.relevance, kth, self.tolerance))

    def by_radius(self) -> RankingCounts:
        """Count by equal steps of the distance's scale."""
        steps = np.empty(self.distances.shape, dtype=np.uint16)
        for query, row in enumerate(self.distances):  # one by one, which stay in cache
            steps[query] = as_steps(self.scaled(np.minimum(row, self.largest)))
        steps[self.distances == self.beyond] = N_STEPS
        return RankingCounts.from_distances(steps, self.relevance, N_STEPS - 1)

    def nearest(self, distances: np.ndarray, k: int) -> np.ndarray:
        """Return per row the columns of the k smallest distances, ties by column."""
        return smallest(distances, k)


def as_steps(scaled: np.ndarray) -> np.ndarray:
    """Return numbers from 0 to 1 as indices of `N_STEPS` equal steps, uint16."""
    return np.minimum(scaled * N_STEPS, N_STEPS - 1).astype(np.uint16)
