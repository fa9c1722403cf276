"""Exact search of float queries by a scan over all codes, on threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hashlearn._numerics.selection import empty_heaps, in_order, push_nearest
from hashlearn._numerics.threads import map_blocks, n_threads
from hashlearn._numerics.words import from_words
from hashlearn.search._scan import Hits
from hashlearn.search.float_queries import FloatQueries

MAX_QUERIES = 32  # queries and
BLOCK = 1 << 13  # codes at once: 2 MiB of distances per thread


def _write(distances: np.ndarray, positions: np.ndarray, *found: np.ndarray) -> None:
    found[0][:], found[1][:] = distances, positions


def nearest(
    queries: FloatQueries,
    words: np.ndarray,
    levels: np.ndarray | None,
    k: int,
    write: Callable[..., Any] = _write,
) -> tuple[np.ndarray, np.ndarray]:
    """Find distances, float64, and positions of the k nearest codes, ties by position.

    Codes are (n_words, n) words, and have the levels of the queries' terms, if any. `write` gets
    the nearest codes of some queries, k or all, and where to write k of each.
    """
    n_queries, n = len(queries), words.shape[1]
    distances = np.empty((n_queries, k))
    positions = np.empty((n_queries, k), dtype=np.int64)

    def of_shard(first: int, last: int, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        heaps = empty_heaps(last - first, min(k, stop - start))
        for i in range(start, stop, BLOCK):
            push_nearest(_block(queries[first:last], words, levels, i, stop), i, *heaps)
        return heaps

    def of_queries(first: int, last: int) -> None:
        near = in_order(*of_shard(first, last, 0, n), k)
        write(*near, distances[first:last], positions[first:last])

    if n_queries < n_threads():  # a shard of the codes for each thread
        parts = map_blocks(lambda i, j: of_shard(0, n_queries, i, j), _code_bounds(n))
        found, places = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
        write(*in_order(found, places, k), distances, positions)
    else:
        map_blocks(of_queries, _query_bounds(n_queries))
    return distances, positions


def within(
    queries: FloatQueries, words: np.ndarray, levels: np.ndarray | None, radius: float
) -> Hits:
    """Find all codes within a radius of each query; the arguments are those of `nearest`."""
    n_queries, n = len(queries), words.shape[1]

    def of_queries(first: int, last: int) -> tuple[np.ndarray, ...]:
        parts = [_NO_HITS]
        for i in range(0, n, BLOCK):
            block = _block(queries[first:last], words, levels, i, n)
            rows, columns = np.nonzero(block <= radius)
            parts.append((rows + first, block[rows, columns], columns + i))
        rows, distances, positions = map(np.concatenate, zip(*parts, strict=True))
        order = np.lexsort((positions, distances, rows))
        return rows[order], distances[order], positions[order]

    blocks = map_blocks(of_queries, _query_bounds(n_queries))
    rows, distances, positions = map(np.concatenate, zip(*blocks, strict=True))
    return Hits(np.searchsorted(rows, np.arange(n_queries + 1)), distances, positions)


_NO_HITS = (np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int64))


def _block(
    queries: FloatQueries, words: np.ndarray, levels: np.ndarray | None, start: int, stop: int
) -> np.ndarray:
    """Return the distances of queries to a block of codes."""
    stop = min(start + BLOCK, stop)
    codes = from_words(words[:, start:stop], queries.n_bits)
    own = None if levels is None else levels[start:stop]
    return queries.of_costs(queries.costs(codes), own)


def _query_bounds(n_queries: int) -> list[int]:
    """Return the bounds of blocks of queries, so small that every thread gets some."""
    step = max(1, min(MAX_QUERIES, -(-n_queries // n_threads())))
    return [*range(0, max(1, n_queries), step), n_queries]


def _code_bounds(n: int) -> list[int]:
    """Return the bounds of one shard of whole blocks per thread, fewer if there are few codes."""
    step = max(1, -(-n // (n_threads() * BLOCK))) * BLOCK
    return [*range(0, max(1, n), step), n]
