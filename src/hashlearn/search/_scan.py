"""Exact search by a scan over all codes, on threads.

Many queries are split into blocks, each against all codes; for few queries, every thread scans a
shard of the codes. Positions and ties are the same either way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hashlearn._numerics.selection import select_nearest
from hashlearn._numerics.threads import map_blocks, n_threads
from hashlearn._numerics.words import read_only
from hashlearn.search._kernels.scan import BLOCK, count_nearest, scan_nearest, scan_within
from hashlearn.search._kernels.selection import sort_hits

MAX_QUERIES = 128  # that share one pass over the codes
MAX_MINIMA_BYTES = 1 << 24  # of block minima, per thread
MIN_SHARD = 1 << 17  # words that are worth another thread


class Hits(NamedTuple):
    """All codes within a radius, by distance, then by position.

    Those of query i are at ``offsets[i]:offsets[i + 1]``.
    """

    offsets: np.ndarray
    distances: np.ndarray
    positions: np.ndarray


def write_found(distances: np.ndarray, positions: np.ndarray, *found: np.ndarray) -> None:
    """Write the nearest codes of some queries."""
    found[0][:], found[1][:] = distances, positions


def nearest(
    queries: np.ndarray, words: np.ndarray, k: int, write: Callable[..., Any] = write_found
) -> tuple[np.ndarray, np.ndarray]:
    """Find distances and positions, (n_queries, k) int64, of the k nearest codes, ties by position.

    Queries come as (n_queries, n_words) and codes as (n_words, n) uint64. `write` gets the nearest
    codes of some queries, k or all, and where to write k distances and positions for each.
    """
    queries, words = read_only(queries), read_only(words)
    (n_queries, n_words), n = queries.shape, words.shape[1]
    distances = np.empty((n_queries, k), dtype=np.int64)
    positions = np.empty((n_queries, k), dtype=np.int64)

    def of_queries(start: int, stop: int) -> None:
        near = _nearest(queries[start:stop], words, k, 0, n)
        write(*near, distances[start:stop], positions[start:stop])

    if splits_codes(len(queries), words):
        parts = map_blocks(partial(_nearest, queries, words, k), code_bounds(words))
        near = [np.concatenate(part, axis=1) for part in zip(*parts, strict=True)]
        if len(parts) > 1:
            best = select_nearest(near[0], min(k, n), 64 * n_words + 1)
            near = [np.take_along_axis(part, best, axis=1) for part in near]
        write(*near, distances, positions)
    else:
        map_blocks(of_queries, query_bounds(n_queries, n))
    return distances, positions


def within(queries: np.ndarray, words: np.ndarray, radius: int) -> Hits:
    """Find all codes within a radius of each query, by distance, then by position."""
    queries, words = read_only(queries), read_only(words)
    n_queries, n = len(queries), words.shape[1]
    radius = min(radius, 64 * words.shape[0])

    def of_queries(start: int, stop: int) -> np.ndarray:
        found = scan_within(queries[start:stop], words, 0, n, radius)
        found = sort_hits(found, stop - start, radius + 1)
        found[0] += start
        return found

    if splits_codes(len(queries), words):
        parts = map_blocks(
            lambda start, stop: scan_within(queries, words, start, stop, radius),
            code_bounds(words),
        )
        found = sort_hits(np.concatenate(parts, axis=1), n_queries, radius + 1)
    else:
        found = np.concatenate(map_blocks(of_queries, query_bounds(n_queries, n)), axis=1)
    return hits_of_queries(found, n_queries)


def hits_of_queries(found: np.ndarray, n_queries: int) -> Hits:
    """Return sorted hits, (3, n_hits) of query, distance and position, by query."""
    offsets = np.zeros(n_queries + 1, dtype=np.int64)
    np.cumsum(np.bincount(found[0], minlength=n_queries), out=offsets[1:])
    return Hits(offsets, found[1], found[2])


def _nearest(
    queries: np.ndarray, words: np.ndarray, k: int, start: int, stop: int
) -> tuple[np.ndarray, np.ndarray]:
    """Find the k nearest codes of a shard, or all if it has fewer, by the faster kernel."""
    k = min(k, stop - start)
    kernel = scan_nearest if k * BLOCK <= stop - start else count_nearest
    return kernel(queries, words, start, stop, k)


def splits_codes(n_queries: int, words: np.ndarray) -> bool:
    """Return whether there are too few queries to keep all threads busy."""
    return n_queries < n_threads() and words.shape[1] > 0


def code_bounds(words: np.ndarray) -> list[int]:
    """Return the bounds of one shard of whole blocks per thread, fewer if there are few codes."""
    n_words, n = words.shape
    n_shards = max(1, min(n_threads(), n * n_words // MIN_SHARD))
    step = -(-n // (n_shards * BLOCK)) * BLOCK
    return [*range(0, n, step), n]


def query_bounds(n_queries: int, n: int, minimum_bytes: int = 2) -> list[int]:
    """Return the bounds of equal blocks of queries, equally many for each thread."""
    largest = max(1, min(MAX_QUERIES, MAX_MINIMA_BYTES * BLOCK // max(1, minimum_bytes * n)))
    n_blocks = -(-n_queries // largest)
    n_blocks = max(1, -(-n_blocks // n_threads()) * n_threads())
    step = max(1, -(-n_queries // n_blocks))
    return [*range(0, max(1, n_queries), step), n_queries]
