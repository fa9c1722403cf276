"""Queries, database and relevance together: checked once, read in blocks.

Every measure starts here. A block holds the distances and the relevance of some queries to the
whole database; from it come counts per distance, or relevance in the order of the ranking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.metrics.counts import Counts, count_by_distance
from hashlearn.metrics.relevance import Relevance, as_relevance
from hashlearn.search.blocks import map_blocks
from hashlearn.search.distances import Distance, bits_of_distance
from hashlearn.search.distances.scan import smallest
from hashlearn.search.kernels import hamming_distances
from hashlearn.search.nearest import check_code_pair, check_k
from hashlearn.search.packing import from_words
from hashlearn.search.selection_kernels import select_nearest

Result = TypeVar("Result")

N_STEPS = 4096  # of a real distance: equally distant items share a step


class Block(NamedTuple):
    """Distances and relevance of some queries to every database item.

    An item left out of its own ranking stands behind all others and is not relevant.

    Attributes
    ----------
    distances : ndarray of shape (n_queries, n), uint16 or float64
        Hamming's, `n_bits + 1` for an item left out; or another's, infinite for it.
    steps : ndarray of shape (n_queries, n), uint16
        Equally distant items have the same one; `last_step + 1` for an item left out.
    last_step : int
    relevance : ndarray of shape (n_queries, n), bool or float64
    """

    distances: np.ndarray
    steps: np.ndarray
    last_step: int
    relevance: np.ndarray

    def counts(self) -> Counts:
        """Count items, and add up relevance, per step 0 to `last_step`."""
        return count_by_distance(self.steps, self.relevance, self.last_step)

    def ranked(self, k: int) -> np.ndarray:
        """Return the relevance of the first k items, ties by position in the database."""
        if self.distances.dtype == np.uint16:
            positions = select_nearest(self.distances, k, self.last_step + 2)
        else:
            positions = smallest(self.distances, k)
        return np.take_along_axis(self.relevance, positions, axis=1)

    def within(self, radius: float) -> tuple[np.ndarray, np.ndarray]:
        """Return per query how many items, and how many relevant ones, lie within a radius."""
        near = (self.distances <= radius) & (self.steps <= self.last_step)
        return near.sum(axis=1), (near & self.relevance).sum(axis=1)


@dataclass(frozen=True)
class Rankings:
    """The rankings of a database by distance to each query, never held at once.

    Attributes
    ----------
    query_words, database_words : ndarray of shape (n_words, n), uint64
        Codes as the kernels read them.
    relevance : Relevance
        What should be found.
    n_bits : int
        Bits per code.
    exclude_self : bool
        Whether query i is database item i and left out of its own ranking.
    distance : Distance, optional
        What the rankings are by; Hamming's unless given.
    """

    query_words: np.ndarray
    database_words: np.ndarray
    relevance: Relevance
    n_bits: int
    exclude_self: bool
    distance: Distance | None = None

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
        queries, database = check_code_pair(query_codes, database_codes, n_bits)
        relevance = as_relevance(relevance)
        shape = (queries.shape[1], database.shape[1])
        if tuple(relevance.shape) != shape:
            raise ValueError(
                f"relevance has shape {tuple(relevance.shape)}: with {shape[0]} query_codes and "
                f"{shape[1]} database_codes it takes {shape}."
            )
        if exclude_self and shape[0] != shape[1]:
            raise ValueError(
                f"exclude_self=True with {shape[0]} query_codes and {shape[1]} database_codes: "
                "it takes a database against itself."
            )
        width = np.shape(query_codes)[1]
        if distance is None:
            n_bits = n_bits or 8 * width
        else:
            n_bits = bits_of_distance(distance, width, n_bits)
        return cls(queries, database, relevance, n_bits, exclude_self, distance)

    @property
    def n_ranked(self) -> int:
        """How many items each ranking holds."""
        return max(0, self.database_words.shape[1] - self.exclude_self)

    def cutoff(self, k: int | None) -> int:
        """Return the checked cut-off; None is the whole ranking."""
        if k is None:
            return self.n_ranked
        check_k(k, self.n_ranked)
        return k

    def map(self, work: Callable[[Block], Result], *, graded: bool = False) -> list[Result]:
        """Apply `work` to every block; its relevance is bool, or float64 if graded."""

        def work_on_block(start: int, stop: int) -> Result:
            return work(self._block(start, stop, graded))

        n_queries, n = self.query_words.shape[1], self.database_words.shape[1]
        # Counts per step take more memory than the distances of a small database.
        n_held = n if self.distance is None else max(n, N_STEPS)
        return map_blocks(work_on_block, n_queries, n_held)

    def per_query(self, work: Callable[[Block], np.ndarray], *, graded: bool = False) -> np.ndarray:
        """Apply `work` to every block, and join what it returns for each query."""
        return np.concatenate(self.map(work, graded=graded))

    def counts(self) -> Counts:
        """Count items and relevant items per query and distance: one pass over all pairs."""
        total, relevant = zip(*self.map(Block.counts), strict=True)
        return Counts(np.concatenate(total), np.concatenate(relevant))

    def counted(self, measure: Callable[[Counts], Result]) -> list[Result]:
        """Apply `measure` to counts: of all queries, or of a block each where steps are many."""
        if self.distance is None:
            return [measure(self.counts())]
        return self.map(lambda block: measure(block.counts()))

    def _distances(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray, int]:
        """Return the distances of some queries, their steps, and the last step that there is."""
        words = self.query_words[:, start:stop]
        if self.distance is None:
            distances = hamming_distances(words, self.database_words)
            return distances, distances, self.n_bits
        queries = from_words(words, self.n_bits)
        distances = self.distance.between(queries, self._database_codes, self.n_bits)
        return distances, as_steps(distances, self.distance.largest(self.n_bits)), N_STEPS - 1

    @cached_property
    def _database_codes(self) -> np.ndarray:
        return from_words(self.database_words, self.n_bits)

    def _block(self, start: int, stop: int, graded: bool) -> Block:
        distances, steps, last_step = self._distances(start, stop)
        given = np.asarray(self.relevance.block(start, stop))
        if given.shape != distances.shape:
            raise ValueError(
                f"relevance.block({start}, {stop}) has shape {given.shape}: "
                f"it takes {distances.shape}."
            )
        relevance = given.astype(np.float64) if graded else given > 0  # a copy in either case
        if self.exclude_self:
            rows, items = np.arange(stop - start), np.arange(start, stop)
            distances[rows, items] = self.n_bits + 1 if self.distance is None else np.inf
            steps[rows, items] = last_step + 1
            relevance[rows, items] = 0
        return Block(distances, steps, last_step, relevance)


def as_steps(distances: np.ndarray, largest: float) -> np.ndarray:
    """Return real distances as the numbers of equal steps from 0 to the largest.

    Examples
    --------
    >>> as_steps(np.array([0.0, 0.25, 1.0]), largest=1.0)
    array([   0, 1024, 4095], dtype=uint16)
    """
    scale = N_STEPS / largest if largest > 0 else 0.0
    return np.minimum(distances * scale, N_STEPS - 1).astype(np.uint16)
