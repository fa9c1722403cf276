"""Queries and a database, which give rankings in blocks of queries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_number_radius, check_radius
from hashlearn._numerics.words import by_word, check_same_width, hamming_distances
from hashlearn.metrics._blocks import (
    N_STEPS,
    HammingRankingBlock,
    RankingBlock,
    RealRankingBlock,
)
from hashlearn.search import Distance, FloatQueries, as_float_queries, check_packed
from hashlearn.search.code_terms import N_LEVELS
from hashlearn.search.distances import check_distance

TIE = 1e-12  # of the largest distance: what rounding may put between equal real distances


class Pairs(ABC):
    """The distances of all pairs of a query and a database item, never held at once."""

    n_queries: int
    n_database: int
    n_bits: int
    counted_at_once = False  # whether the counts of all queries are small: one per bit
    default_radius: float | None = 2

    @property
    def n_held(self) -> int:
        """Numbers per query of a block: counts per step may be more than distances."""
        return max(self.n_database, N_STEPS)

    @abstractmethod
    def block(
        self, start: int, stop: int, relevance: np.ndarray, order: np.ndarray | None
    ) -> RankingBlock:
        """Return the rankings of some queries, of given relevance and order of ties."""

    @abstractmethod
    def check_radius(self, radius: Any) -> None:
        """Raise if `radius` is not a distance."""


class HammingPairs(Pairs):
    """Pairs of codes by Hamming distance."""

    counted_at_once = True

    def __init__(self, queries: np.ndarray, database: np.ndarray, n_bits: int) -> None:
        self.n_queries, self.n_database, self.n_bits = len(queries), len(database), n_bits
        self._queries, self._database = by_word(queries), by_word(database)

    @property
    def n_held(self) -> int:
        """Distances per query of a block."""
        return self.n_database

    def block(
        self, start: int, stop: int, relevance: np.ndarray, order: np.ndarray | None
    ) -> RankingBlock:
        """Return the rankings of some queries."""
        distances = hamming_distances(self._queries[:, start:stop], self._database)
        return HammingRankingBlock(distances, relevance, self.n_bits, order)

    def check_radius(self, radius: Any) -> None:
        """Raise if `radius` is not a number of bits."""
        check_radius(radius)


class DistancePairs(Pairs):
    """Pairs of codes by another distance."""

    def __init__(
        self, queries: np.ndarray, database: np.ndarray, n_bits: int, distance: Distance
    ) -> None:
        self.n_queries, self.n_database, self.n_bits = len(queries), len(database), n_bits
        self._queries, self._database, self._distance = queries, database, distance

    def block(
        self, start: int, stop: int, relevance: np.ndarray, order: np.ndarray | None
    ) -> RankingBlock:
        """Return the rankings of some queries."""
        largest = self._distance.largest(self.n_bits)
        return RealRankingBlock(
            self._distance.between(self._queries[start:stop], self._database, self.n_bits),
            relevance,
            self.n_bits,
            order,
            tolerance=TIE * largest,
            largest=largest,
            scaled=partial(self._distance.scaled, n_bits=self.n_bits),
        )

    def check_radius(self, radius: Any) -> None:
        """Raise if `radius` is not a distance."""
        check_radius(radius, self._distance)


class FloatPairs(Pairs):
    """Pairs of float queries and codes, whose equal distances are equal to the last digit."""

    default_radius = None  # every method has distances of its own size

    def __init__(self, queries: FloatQueries, database: np.ndarray) -> None:
        self.n_queries, self.n_database, self.n_bits = len(queries), len(database), queries.n_bits
        self._queries, self._database = queries, database
        self._levels = None if queries.terms is None else queries.terms.levels(database)

    def block(
        self, start: int, stop: int, relevance: np.ndarray, order: np.ndarray | None
    ) -> RankingBlock:
        """Return the rankings of some queries."""
        queries = self._queries[start:stop]
        return RealRankingBlock(
            queries.of_costs(queries.costs(self._database), self._levels),
            relevance,
            self.n_bits,
            order,
            tolerance=0.0,
            largest=self._range[1],
            scaled=self._scaled,
        )

    def check_radius(self, radius: Any) -> None:
        """Raise if `radius` is not a number; a distance may be negative."""
        check_number_radius(radius)

    @cached_property
    def _range(self) -> tuple[float, float]:
        """Bounds of all distances: they grow or fall with the cost and with the level."""
        queries = self._queries
        costs = np.column_stack([np.zeros(len(queries)), queries.weights.sum(axis=1)])
        ends = [
            queries.of_costs(costs, np.full(2, level, dtype=np.uint8))
            for level in (0, N_LEVELS - 1)
        ]
        return float(np.min(ends, initial=0.0)), float(np.max(ends, initial=0.0))

    def _scaled(self, distances: np.ndarray) -> np.ndarray:
        """Return distances on a scale from 0 to 1."""
        low, high = self._range
        return (distances - low) / ((high - low) or 1.0)


def as_pairs(
    query_codes: Any,
    database_codes: ArrayLike,
    n_bits: int | None,
    distance: Distance | None,
) -> Pairs:
    """Return the pairs of queries, packed or float, and packed codes; or of vectors."""
    if hasattr(query_codes, "pairs_with"):
        return query_codes.pairs_with(database_codes)
    queries = as_float_queries(query_codes)
    if queries is not None:
        queries.check(n_bits, distance)
        return FloatPairs(queries, check_packed(database_codes, queries.n_bits, "database_codes"))
    packed = check_packed(query_codes, n_bits, "query_codes")
    database = check_packed(database_codes, n_bits, "database_codes")
    check_same_width(packed, database, ("query_codes", "database_codes"))
    width = packed.shape[1]
    if distance is None:
        return HammingPairs(packed, database, n_bits or 8 * width)
    return DistancePairs(packed, database, check_distance(distance, n_bits, width=width), distance)
