"""Queries, database and relevance together: checked once, read in blocks.

Every measure starts here. A block holds the distances and the relevance of some queries to the
whole database; from it come counts per distance, or relevance in the order of the ranking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.metrics.counts import Counts, count_by_distance
from hashlearn.metrics.relevance import Relevance, as_relevance
from hashlearn.search.blocks import map_blocks
from hashlearn.search.kernels import hamming_distances
from hashlearn.search.nearest import check_code_pair, check_k
from hashlearn.search.selection_kernels import select_nearest

Result = TypeVar("Result")


class Block(NamedTuple):
    """Distances and relevance of some queries to every database item.

    An item left out of its own ranking stands behind all others, at distance `n_bits + 1`,
    and is not relevant.
    """

    distances: np.ndarray
    relevance: np.ndarray
    n_bits: int

    def counts(self) -> Counts:
        """Count items, and add up relevance, per distance 0 to `n_bits`."""
        return count_by_distance(self.distances, self.relevance, self.n_bits)

    def ranked(self, k: int) -> np.ndarray:
        """Return the relevance of the first k items, ties by position in the database."""
        positions = select_nearest(self.distances, k, self.n_bits + 2)
        return np.take_along_axis(self.relevance, positions, axis=1)


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
    """

    query_words: np.ndarray
    database_words: np.ndarray
    relevance: Relevance
    n_bits: int
    exclude_self: bool

    @classmethod
    def check(
        cls,
        query_codes: ArrayLike,
        database_codes: ArrayLike,
        relevance: Any,
        n_bits: int | None,
        exclude_self: bool,
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
        n_bits = n_bits or 8 * np.shape(query_codes)[1]
        return cls(queries, database, relevance, n_bits, exclude_self)

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

        return map_blocks(work_on_block, self.query_words.shape[1], self.database_words.shape[1])

    def per_query(self, work: Callable[[Block], np.ndarray], *, graded: bool = False) -> np.ndarray:
        """Apply `work` to every block, and join what it returns for each query."""
        return np.concatenate(self.map(work, graded=graded))

    def counts(self) -> Counts:
        """Count items and relevant items per query and distance: one pass over all pairs."""
        total, relevant = zip(*self.map(Block.counts), strict=True)
        return Counts(np.concatenate(total), np.concatenate(relevant))

    def _block(self, start: int, stop: int, graded: bool) -> Block:
        distances = hamming_distances(self.query_words[:, start:stop], self.database_words)
        given = np.asarray(self.relevance.block(start, stop))
        if given.shape != distances.shape:
            raise ValueError(
                f"relevance.block({start}, {stop}) has shape {given.shape}: "
                f"it takes {distances.shape}."
            )
        relevance = given.astype(np.float64) if graded else given > 0  # a copy in either case
        if self.exclude_self:
            rows, items = np.arange(stop - start), np.arange(start, stop)
            distances[rows, items] = self.n_bits + 1
            relevance[rows, items] = 0
        return Block(distances, relevance, self.n_bits)
