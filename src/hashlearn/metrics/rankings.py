"""Queries, database and relevance together: checked once, read in blocks.

Every measure starts here, and goes on with the counts or the order that a block gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_k
from hashlearn._numerics.hamming import hamming_distances
from hashlearn._numerics.threads import map_blocks
from hashlearn._numerics.words import by_word, check_same_width, from_words
from hashlearn.metrics.blocks import N_STEPS, Block, HammingBlock, RealBlock
from hashlearn.metrics.counts import Counts
from hashlearn.metrics.relevance import Relevance, as_relevance
from hashlearn.search.distances import Distance, check_distance
from hashlearn.search.packing import check_packed

Result = TypeVar("Result")

BLOCK_PAIRS = 1 << 20  # per thread: 2 MiB of distances, which stay in cache


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
        queries = check_packed(query_codes, n_bits, "query_codes")
        database = check_packed(database_codes, n_bits, "database_codes")
        check_same_width(queries, database, ("query_codes", "database_codes"))
        relevance = as_relevance(relevance)
        shape = (len(queries), len(database))
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
        width = queries.shape[1]
        if distance is None:
            n_bits = n_bits or 8 * width
        else:
            n_bits = check_distance(distance, n_bits, width=width)
        return cls(by_word(queries), by_word(database), relevance, n_bits, exclude_self, distance)

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
        return map_blocks(work_on_block, block_bounds(n_queries, n_held))

    def per_query(self, work: Callable[[Block], np.ndarray], *, graded: bool = False) -> np.ndarray:
        """Apply `work` to every block, and join what it returns for each query."""
        return np.concatenate(self.map(work, graded=graded))

    def counts(self) -> Counts:
        """Count items and relevant items per query and Hamming distance, in one pass."""
        total, relevant = zip(*self.map(lambda block: block.by_radius()), strict=True)
        return Counts(np.concatenate(total), np.concatenate(relevant))

    def tied(self, measure: Callable[[Counts], Result], k: int) -> list[Result]:
        """Apply `measure` to counts by ties, exact for the first k: of all queries, or in parts."""
        if self.distance is None:
            return [measure(self.counts())]
        return self.map(lambda block: measure(block.by_tie(k)))

    def at_radii(self, measure: Callable[[Counts], Result]) -> list[Result]:
        """Apply `measure` to counts by radius: of all queries, or in parts."""
        if self.distance is None:
            return [measure(self.counts())]
        return self.map(lambda block: measure(block.by_radius()))

    @cached_property
    def _database_codes(self) -> np.ndarray:
        return from_words(self.database_words, self.n_bits)

    def _block(self, start: int, stop: int, graded: bool) -> Block:
        given = np.asarray(self.relevance.block(start, stop))
        shape = (stop - start, self.database_words.shape[1])
        if given.shape != shape:
            raise ValueError(
                f"relevance.block({start}, {stop}) has shape {given.shape}: it takes {shape}."
            )
        relevance = given.astype(np.float64) if graded else given > 0  # a copy in either case
        words = self.query_words[:, start:stop]
        block: Block
        if self.distance is None:
            distances = hamming_distances(words, self.database_words)
            block = HammingBlock(distances, relevance, self.n_bits)
        else:
            queries = from_words(words, self.n_bits)
            distances = self.distance.between(queries, self._database_codes, self.n_bits)
            block = RealBlock(distances, relevance, self.n_bits, self.distance)
        if self.exclude_self:
            block.leave_out(np.arange(start, stop))
        return block


def block_bounds(n_queries: int, n_database: int) -> list[int]:
    """Return where blocks of queries begin and end: `BLOCK_PAIRS` pairs, at least one query.

    Examples
    --------
    >>> block_bounds(n_queries=5, n_database=500_000)
    [0, 2, 4, 5]
    """
    step = max(1, BLOCK_PAIRS // max(1, n_database))
    return [*range(0, max(1, n_queries), step), n_queries]
