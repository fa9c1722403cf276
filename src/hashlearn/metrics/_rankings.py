"""Rankings: queries, database and relevance, checked once and read in blocks of queries.

Every measure starts from the counts or the order that a block gives.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_k
from hashlearn._numerics.selection import select_nearest, smallest
from hashlearn._numerics.threads import map_blocks
from hashlearn._numerics.words import by_word, check_same_width, from_words, hamming_distances
from hashlearn.metrics._counting import count_by_run
from hashlearn.metrics.counts import Denominator, RankingCounts
from hashlearn.metrics.relevance import Relevance, as_relevance
from hashlearn.search import Distance, check_packed
from hashlearn.search.distances import check_distance

Result = TypeVar("Result")

BLOCK_PAIRS = 1 << 20  # per thread: 2 MiB of distances, which stay in cache
N_STEPS = 4096  # radii of a curve by a real distance
TIE = 1e-12  # of the largest distance: what rounding may put between equal real distances


@dataclass(frozen=True)
class Rankings:
    """The rankings of a database by distance to each query, never held at once."""

    query_words: np.ndarray  # (n_words, n)
    database_words: np.ndarray
    relevance: Relevance
    n_bits: int
    exclude_self: bool  # query i is database item i, and left out of its own ranking
    distance: Distance | None = None  # Hamming's if None

    @classmethod
    def check(
        cls,
        query_codes: ArrayLike,
        database_codes: ArrayLike,
        relevance: Any,
        n_bits: int | None,
        exclude_self: bool,
        distance: Distance | None = None,
    ) -> Self:
        """Check the arguments that all measures share."""
        queries = check_packed(query_codes, n_bits, "query_codes")
        database = check_packed(database_codes, n_bits, "database_codes")
        check_same_width(queries, database, ("query_codes", "database_codes"))
        relevance = as_relevance(relevance)
        shape = (len(queries), len(database))
        if tuple(relevance.shape) != shape:
            raise ValueError(
                f"relevance must have shape {shape}, a row per query_codes and a column per "
                f"database_codes; got {tuple(relevance.shape)}."
            )
        if exclude_self and shape[0] != shape[1]:
            raise ValueError(
                "exclude_self=True needs a database against itself; got "
                f"{shape[0]} query_codes and {shape[1]} database_codes."
            )
        width = queries.shape[1]
        if distance is None:
            n_bits = n_bits or 8 * width
        else:
            n_bits = check_distance(distance, n_bits, width=width)
        return cls(by_word(queries), by_word(database), relevance, n_bits, exclude_self, distance)

    @property
    def n_ranked(self) -> int:
        """Items per ranking."""
        return max(0, self.database_words.shape[1] - self.exclude_self)

    def cutoff(self, k: int | None) -> int:
        """Return the checked cut-off; None is the whole ranking."""
        if k is None:
            return self.n_ranked
        check_k(k, self.n_ranked)
        return k

    def map(self, work: Callable[[RankingBlock], Result], *, graded: bool = False) -> list[Result]:
        """Apply `work` to every block; its relevance is bool, or float64 if graded."""

        def work_on_block(start: int, stop: int) -> Result:
            return work(self._block(start, stop, graded))

        n_queries, n = self.query_words.shape[1], self.database_words.shape[1]
        # Counts per step take more memory than the distances of a small database.
        n_held = n if self.distance is None else max(n, N_STEPS)
        return map_blocks(work_on_block, block_bounds(n_queries, n_held))

    def per_query(
        self, work: Callable[[RankingBlock], np.ndarray], *, graded: bool = False
    ) -> np.ndarray:
        """Apply `work` to every block, and join what it returns for each query."""
        return np.concatenate(self.map(work, graded=graded))

    def counts(self, n_first: int = 0) -> RankingCounts:
        """Count by Hamming distance, and keep the relevance of the first items."""
        k = min(n_first, self.n_ranked)

        def count(block: RankingBlock) -> RankingCounts:
            counts = block.by_radius()
            return replace(counts, first=block.ranked(k), n_first=n_first) if n_first else counts

        return RankingCounts.concatenated(self.map(count))

    def measured(
        self, measure: Callable[[RankingCounts], Result], k: int | None = None
    ) -> list[Result]:
        """Apply `measure`, at once or in blocks, to counts by radius, or by ties up to the k-th."""
        if self.distance is None:
            return [measure(self.counts())]
        return self.map(lambda block: measure(block.by_radius() if k is None else block.by_tie(k)))

    @cached_property
    def _database_codes(self) -> np.ndarray:
        return from_words(self.database_words, self.n_bits)

    def _block(self, start: int, stop: int, graded: bool) -> RankingBlock:
        given = np.asarray(self.relevance.block(start, stop))
        shape = (stop - start, self.database_words.shape[1])
        if given.shape != shape:
            raise ValueError(
                f"relevance.block({start}, {stop}) must have shape {shape}; got {given.shape}."
            )
        relevance = given.astype(np.float64) if graded else given > 0  # a copy in either case
        words = self.query_words[:, start:stop]
        block: RankingBlock
        if self.distance is None:
            distances = hamming_distances(words, self.database_words)
            block = HammingRankingBlock(distances, relevance, self.n_bits)
        else:
            queries = from_words(words, self.n_bits)
            distances = self.distance.between(queries, self._database_codes, self.n_bits)
            block = RealRankingBlock(distances, relevance, self.n_bits, self.distance)
        if self.exclude_self:
            block.leave_out(np.arange(start, stop))
        return block


def block_bounds(n_queries: int, n_database: int) -> list[int]:
    """Return the bounds of blocks of queries: `BLOCK_PAIRS` pairs, at least one query."""
    step = max(1, BLOCK_PAIRS // max(1, n_database))
    return [*range(0, max(1, n_queries), step), n_queries]


@dataclass(frozen=True)
class RankingBlock(ABC):
    """Distances and relevance of the database to a block of queries: a piece of the rankings.

    An item left out of its own ranking comes after all others and is not relevant.
    """

    distances: np.ndarray  # (n_queries, n)
    relevance: np.ndarray  # (n_queries, n), bool or grades
    n_bits: int

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
    def ranked(self, k: int) -> np.ndarray:
        """Return the relevance of the first k items, ties by position in the database."""

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

    def ranked(self, k: int) -> np.ndarray:
        """Return the relevance of the first k items, ties by position in the database."""
        positions = select_nearest(self.distances, k, self.n_bits + 2)
        return np.take_along_axis(self.relevance, positions, axis=1)


@dataclass(frozen=True)
class RealRankingBlock(RankingBlock):
    """Rankings by another distance, float64."""

    distance: Distance

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
        tolerance = TIE * self.distance.largest(self.n_bits)
        return RankingCounts(*count_by_run(self.distances, self.relevance, kth, tolerance))

    def by_radius(self) -> RankingCounts:
        """Count by equal steps of the distance's scale."""
        largest = self.distance.largest(self.n_bits)
        steps = np.empty(self.distances.shape, dtype=np.uint16)
        for query, row in enumerate(self.distances):  # one by one, which stay in cache
            finite = np.minimum(row, largest)
            steps[query] = as_steps(self.distance.scaled(finite, self.n_bits))
        steps[self.distances == self.beyond] = N_STEPS
        return RankingCounts.from_distances(steps, self.relevance, N_STEPS - 1)

    def ranked(self, k: int) -> np.ndarray:
        """Return the relevance of the first k items, ties by position in the database."""
        positions = smallest(self.distances, k)
        return np.take_along_axis(self.relevance, positions, axis=1)


def as_steps(scaled: np.ndarray) -> np.ndarray:
    """Return numbers from 0 to 1 as indices of `N_STEPS` equal steps, uint16."""
    return np.minimum(scaled * N_STEPS, N_STEPS - 1).astype(np.uint16)


def average_precision_of_first(
    first: np.ndarray, n_relevant: np.ndarray, denominator: Denominator
) -> np.ndarray:
    """Return average precision of rankings given as rows of bool, cut off at their length."""
    k = first.shape[1]
    hits = np.cumsum(first, axis=1)
    sums = np.where(first, hits / np.arange(1, k + 1), 0.0).sum(axis=1)
    count = {
        "all": n_relevant,
        "found": first.sum(axis=1),
        "min": np.minimum(n_relevant, k),
    }[denominator]
    return np.where(n_relevant > 0, sums / np.maximum(count, 1), np.nan)
