"""Rankings: queries, database and relevance, checked once and read in blocks of queries.

Every measure starts from the counts or the order that a block gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_k, check_option
from hashlearn._numerics.ids import as_ids, tie_keys
from hashlearn._numerics.threads import map_blocks
from hashlearn._numerics.tie_order import tie_order
from hashlearn.metrics._blocks import RankingBlock
from hashlearn.metrics._pairs import Pairs, as_pairs
from hashlearn.metrics.counts import Denominator, RankingCounts, Ties
from hashlearn.metrics.relevance import Relevance, as_relevance
from hashlearn.search import Distance, FloatQueries, joint_model

Result = TypeVar("Result")

BLOCK_PAIRS = 1 << 20  # per thread: 2 MiB of distances, which stay in cache


@dataclass(frozen=True)
class Rankings:
    """The rankings of a database by distance to each query, never held at once."""

    pairs: Pairs
    relevance: Relevance
    exclude_self: bool  # query i is database item i, and left out of its own ranking
    keys: np.ndarray | None = None  # that order equally distant items; None: by position

    @classmethod
    def check(
        cls,
        query_codes: ArrayLike | FloatQueries,
        database_codes: ArrayLike,
        relevance: Any,
        n_bits: int | None,
        exclude_self: bool,
        distance: Distance | None = None,
        ties: Ties = "expected",
        ids: Any = None,
    ) -> Self:
        """Check the arguments that all measures share."""
        check_option("ties", ties, Ties)
        joint_model(query_codes=query_codes, database_codes=database_codes)
        pairs = as_pairs(query_codes, database_codes, n_bits, distance)
        relevance = as_relevance(relevance)
        shape = (pairs.n_queries, pairs.n_database)
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
        keys = _tie_keys(ids, pairs.n_database) if ties == "neutral" else None
        return cls(pairs, relevance, exclude_self, keys)

    @property
    def n_ranked(self) -> int:
        """Items per ranking."""
        return max(0, self.pairs.n_database - self.exclude_self)

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

        return map_blocks(work_on_block, block_bounds(self.pairs.n_queries, self.pairs.n_held))

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
            if not n_first:
                return counts
            items = block.first(k)
            keys = None if self.keys is None else self.keys[items]
            return replace(counts, first=block.at(items), n_first=n_first, first_keys=keys)

        return RankingCounts.concatenated(self.map(count))

    def measured(
        self, measure: Callable[[RankingCounts], Result], k: int | None = None
    ) -> list[Result]:
        """Apply `measure`, at once or in blocks, to counts by radius, or by ties up to the k-th."""
        if self.pairs.counted_at_once:
            return [measure(self.counts())]
        return self.map(lambda block: measure(block.by_radius() if k is None else block.by_tie(k)))

    @cached_property
    def order(self) -> np.ndarray | None:
        """The items in the order of ties; None if that is their position."""
        return None if self.keys is None else tie_order(self.keys)

    def _block(self, start: int, stop: int, graded: bool) -> RankingBlock:
        given = np.asarray(self.relevance.block(start, stop))
        shape = (stop - start, self.pairs.n_database)
        if given.shape != shape:
            raise ValueError(
                f"relevance.block({start}, {stop}) must have shape {shape}; got {given.shape}."
            )
        relevance = given.astype(np.float64) if graded else given > 0  # a copy in either case
        block = self.pairs.block(start, stop, relevance, self.order)
        if self.exclude_self:
            block.leave_out(np.arange(start, stop))
        return block


def _tie_keys(ids: Any, n: int) -> np.ndarray:
    """Return what orders n equally distant items, from their ids."""
    if ids is None:
        return tie_keys(np.arange(n))
    ids = as_ids(ids)
    if ids.shape != (n,):
        raise ValueError(f"ids must have {n} entries, one per database_codes; got {ids.size}.")
    return tie_keys(ids)


def block_bounds(n_queries: int, n_database: int) -> list[int]:
    """Return the bounds of blocks of queries: `BLOCK_PAIRS` pairs, at least one query."""
    step = max(1, BLOCK_PAIRS // max(1, n_database))
    return [*range(0, max(1, n_queries), step), n_queries]


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
