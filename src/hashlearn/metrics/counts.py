"""Counts of items and relevant items per distance: sufficient for most measures of a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hashlearn.metrics._counting import count_by_distance
from hashlearn.metrics._expected import expected_precision_over_found, expected_precision_sum

Ties = Literal["expected", "neutral", "insertion"]
Denominator = Literal["all", "found", "min"]


@dataclass(frozen=True, eq=False)
class RankingCounts:
    """Items and relevant items per query and distance, of a database or a shard of it.

    The counts of shards add up: ``a + b`` are the counts of the items of both, those of `b` behind
    those of `a`. :func:`count_rankings` makes them of codes. A distance is Hamming's, a step of
    another distance, or a run of equal ones.

    Parameters
    ----------
    total : ndarray of shape (n_queries, n_distances), int64
        Items at each distance.
    relevant : ndarray of shape (n_queries, n_distances)
        Relevant items at each distance; with graded relevance the sum of the grades.
    first : ndarray of shape (n_queries, min(n_first, n)), bool, optional
        The relevance of the first items, in an order of ties; what ``ties="neutral"`` and
        ``ties="insertion"`` need.
    n_first : int, default=0
        How many first items are kept.
    first_keys : ndarray of the shape of `first`, int64, optional
        What orders the first items at equal distance, if that is neutral; None for insertion.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.metrics import count_rankings
    >>> codes = np.array([[0], [1], [3], [7]], dtype=np.uint8)
    >>> first = count_rankings(codes[:1], codes[:2], [[True, False]])
    >>> counts = first + count_rankings(codes[:1], codes[2:], [[True, False]])
    >>> counts.average_precision()
    array([0.83333333])
    """

    total: np.ndarray
    relevant: np.ndarray
    first: np.ndarray | None = None
    n_first: int = 0
    first_keys: np.ndarray | None = None

    @classmethod
    def from_distances(
        cls, distances: np.ndarray, relevance: np.ndarray, n_bits: int
    ) -> RankingCounts:
        """Count by Hamming distance.

        Parameters
        ----------
        distances : ndarray of shape (n_queries, n), uint16
            At most `n_bits`, or `n_bits` + 1 for an item that does not count.
        relevance : ndarray of shape (n_queries, n), bool or float64
            Relevant or not, or grades.
        n_bits : int
            Bits per code.

        Returns
        -------
        counts : RankingCounts
        """
        return cls(*count_by_distance(distances, relevance, n_bits))

    @classmethod
    def concatenated(cls, blocks: Sequence[RankingCounts]) -> RankingCounts:
        """Return the counts of all queries, given in blocks of queries."""
        firsts = [block.first for block in blocks if block.first is not None]
        keys = [block.first_keys for block in blocks if block.first_keys is not None]
        return cls(
            np.concatenate([block.total for block in blocks]),
            np.concatenate([block.relevant for block in blocks]),
            np.concatenate(firsts) if firsts else None,
            blocks[0].n_first,
            np.concatenate(keys) if keys else None,
        )

    def __add__(self, other: RankingCounts) -> RankingCounts:
        total, relevant = self.total + other.total, self.relevant + other.relevant
        if self.first is None or other.first is None:
            return RankingCounts(total, relevant)
        first = np.concatenate([self.first, other.first], axis=1)
        distances = np.concatenate([self._first_distances, other._first_distances], axis=1)
        if self.first_keys is None or other.first_keys is None:
            order = np.argsort(distances, axis=1, kind="stable")[:, : self.n_first]
            return RankingCounts(
                total, relevant, np.take_along_axis(first, order, axis=1), self.n_first
            )
        keys = np.concatenate([self.first_keys, other.first_keys], axis=1)
        order = np.lexsort((keys, distances))[:, : self.n_first]
        kept = (np.take_along_axis(each, order, axis=1) for each in (first, keys))
        return RankingCounts(total, relevant, next(kept), self.n_first, next(kept))

    @property
    def n_ranked(self) -> int:
        """Items per ranking."""
        return int(self.total[0].sum()) if len(self.total) else 0

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
        """Return how many items of each distance are among the first k."""
        return np.clip(k - self.total_before, 0, self.total)

    def within(self, radius: float) -> tuple[np.ndarray, np.ndarray]:
        """Return per query the number of items and of relevant items within a Hamming radius."""
        stop = int(radius) + 1
        return self.total[:, :stop].sum(axis=1), self.relevant[:, :stop].sum(axis=1)

    def expected_hits(self, k: int) -> np.ndarray:
        """Return per query the expected number of relevant items among the first k.

        The mean over all orders of equally distant items.
        """
        share = self.relevant / np.maximum(self.total, 1)
        return (share * self.inside(k)).sum(axis=1)

    def average_precision(
        self, k: int | None = None, denominator: Denominator = "all"
    ) -> np.ndarray:
        """Return average precision per query, the mean over all orders of equally distant items.

        Parameters
        ----------
        k : int, optional
            Cut-off; by default the whole ranking.
        denominator : {"all", "found", "min"}, default="all"
            As in :func:`average_precision`.

        Returns
        -------
        average_precision : ndarray of shape (n_queries,)
            NaN for a query with nothing relevant.
        """
        n_relevant = self.n_relevant
        k = self.n_ranked if k is None else k
        if denominator == "found":
            values = expected_precision_over_found(self, k)
        else:
            most = n_relevant if denominator == "all" else np.minimum(n_relevant, k)
            values = expected_precision_sum(self, k).sum(axis=1) / np.maximum(most, 1)
        return np.where(n_relevant > 0, values, np.nan)

    @property
    def _first_distances(self) -> np.ndarray:
        """The distances of the first items, which follow from the counts."""
        assert self.first is not None
        n_queries, n_distances = self.total.shape
        each = np.tile(np.arange(n_distances, dtype=np.uint16), n_queries)
        return np.repeat(each, self.inside(self.first.shape[1]).ravel()).reshape(self.first.shape)
