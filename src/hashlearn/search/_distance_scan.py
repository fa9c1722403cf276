"""Exact search by any distance: a scan of all codes in blocks of bounded memory, on threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hashlearn._numerics.selection import empty_heaps, in_order, push_nearest
from hashlearn._numerics.threads import map_blocks, n_threads
from hashlearn._numerics.words import from_words
from hashlearn.search._scan import Hits

if TYPE_CHECKING:
    from hashlearn.search.distances import Distance

MAX_QUERIES = 32  # queries and
BLOCK = 1 << 13  # codes at once: 2 MiB of distances per thread


def nearest(
    distance: Distance, queries: np.ndarray, words: np.ndarray, k: int, n_bits: int
) -> tuple[np.ndarray, np.ndarray]:
    """Find distances and positions, (n_queries, k), of the k nearest codes, ties by position.

    The distance is checked; queries are packed, the other codes (n_words, n) words.
    """
    n_queries, n = len(queries), words.shape[1]

    def of_shard(
        first_query: int, last_query: int, start: int, stop: int
    ) -> tuple[np.ndarray, np.ndarray]:
        heaps = empty_heaps(last_query - first_query, min(k, stop - start))
        for i in range(start, stop, BLOCK):
            codes = from_words(words[:, i : min(i + BLOCK, stop)], n_bits)
            block = distance.between(queries[first_query:last_query], codes, n_bits)
            push_nearest(block, i, *heaps)
        return heaps

    if n_queries < n_threads():  # a shard of the codes for each thread
        parts = map_blocks(lambda i, j: of_shard(0, n_queries, i, j), _code_bounds(n))
        distances, positions = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    else:
        parts = map_blocks(lambda i, j: of_shard(i, j, 0, n), _query_bounds(n_queries))
        distances, positions = (np.concatenate(part) for part in zip(*parts, strict=True))
    return in_order(distances, positions, k)


def within(
    distance: Distance, queries: np.ndarray, words: np.ndarray, radius: float, n_bits: int
) -> Hits:
    """Find all codes within a radius of each query; the arguments are those of `nearest`."""
    n_queries, n = len(queries), words.shape[1]

    def of_queries(first_query: int, last_query: int) -> tuple[np.ndarray, ...]:
        parts = [_NO_HITS]
        for i in range(0, n, BLOCK):
            codes = from_words(words[:, i : i + BLOCK], n_bits)
            block = distance.between(queries[first_query:last_query], codes, n_bits)
            rows, columns = np.nonzero(block <= radius)
            parts.append((rows + first_query, block[rows, columns], columns + i))
        rows, distances, positions = map(np.concatenate, zip(*parts, strict=True))
        order = np.lexsort((positions, distances, rows))
        return rows[order], distances[order], positions[order]

    blocks = map_blocks(of_queries, _query_bounds(n_queries))
    rows, distances, positions = map(np.concatenate, zip(*blocks, strict=True))
    offsets = np.searchsorted(rows, np.arange(n_queries + 1))
    return Hits(offsets, distances, positions)


_NO_HITS = (np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int64))


def _query_bounds(n_queries: int) -> list[int]:
    """Return the bounds of blocks of queries, so small that every thread gets some."""
    step = max(1, min(MAX_QUERIES, -(-n_queries // n_threads())))
    return [*range(0, max(1, n_queries), step), n_queries]


def _code_bounds(n: int) -> list[int]:
    """Return the bounds of one shard of whole blocks per thread, fewer if there are few codes."""
    step = max(1, -(-n // (n_threads() * BLOCK))) * BLOCK
    return [*range(0, max(1, n), step), n]
