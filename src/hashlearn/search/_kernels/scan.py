"""Compiled scans over all codes: the k nearest, and all within a radius.

The first pass keeps only the smallest distance in each block of codes: no distance is stored, so
it runs at the speed of the cache. The k-th smallest of these minima bounds the k-th distance from
above (k blocks hold a code at most that far), so the second pass opens only the blocks whose
minimum reaches the bound. Codes come word by word, (n_words, n); a block is handed as a slice to a
small function whose index starts at 0, which the compiler vectorises.
"""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.words import add_distances, popcount, prefetch
from hashlearn.search._kernels.selection import (
    count_at_most,
    keep_nearest,
    kth_by_bisection,
    kth_smallest,
)

BLOCK = 256  # codes per minimum: fewer cost calls, more cost the second pass
CACHE_BLOCKS = 8  # of 64-bit codes that all queries meet before the next: 16 KiB


@compiled
def _minimum_1(a: np.uint64, A: np.ndarray) -> np.uint64:
    smallest = np.uint64(64)
    for i in range(A.size):
        smallest = min(smallest, popcount(a ^ A[i]))
    return smallest


@compiled
def _minimum_2(a: np.uint64, b: np.uint64, A: np.ndarray, B: np.ndarray) -> np.uint64:
    smallest = np.uint64(128)
    for i in range(A.size):
        smallest = min(smallest, popcount(a ^ A[i]) + popcount(b ^ B[i]))
    return smallest


@compiled
def _minimum_4(
    a: np.uint64,
    b: np.uint64,
    c: np.uint64,
    d: np.uint64,
    A: np.ndarray,
    B: np.ndarray,
    C: np.ndarray,
    D: np.ndarray,
) -> np.uint64:
    smallest = np.uint64(256)
    for i in range(A.size):
        first = popcount(a ^ A[i]) + popcount(b ^ B[i])
        last = popcount(c ^ C[i]) + popcount(d ^ D[i])
        smallest = min(smallest, first + last)
    return smallest


@compiled
def _set_distances(word: int, words: np.ndarray, distances: np.ndarray) -> None:
    for i in range(words.size):
        distances[i] = popcount(word ^ words[i])


@compiled
def _block_distances(
    query: np.ndarray, words: np.ndarray, start: int, stop: int, distances: np.ndarray
) -> np.ndarray:
    """Return the distances of one block, kept in the given array."""
    distances = distances[: stop - start]
    _set_distances(query[0], words[0, start:stop], distances)
    for w in range(1, query.size):
        add_distances(query[w], words[w, start:stop], distances)
    return distances


@compiled
def _smallest(distances: np.ndarray) -> int:
    smallest = distances[0]
    for i in range(distances.size):
        smallest = min(smallest, distances[i])
    return smallest


@compiled
def _block_minima(queries: np.ndarray, words: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Return the (n_queries, n_blocks) smallest distances in the blocks of a shard of codes."""
    n_queries, n_words = queries.shape
    minima = np.empty((n_queries, (stop - start + BLOCK - 1) // BLOCK), dtype=np.uint16)
    distances = np.empty(BLOCK, dtype=np.uint16)
    # Rows taken once: a view made per block would cost as much as the block.
    A, B, C, D = words[0], words[1 % n_words], words[2 % n_words], words[3 % n_words]
    cache_block = max(1, CACHE_BLOCKS // n_words) * BLOCK
    for cached in range(start, stop, cache_block):
        for q in range(n_queries):
            a, b = queries[q, 0], queries[q, 1 % n_words]
            c, d = queries[q, 2 % n_words], queries[q, 3 % n_words]
            for i in range(cached, min(cached + cache_block, stop), BLOCK):
                j = min(i + BLOCK, stop)
                if n_words == 1:
                    minimum = _minimum_1(a, A[i:j])
                elif n_words == 2:
                    minimum = _minimum_2(a, b, A[i:j], B[i:j])
                elif n_words == 4:
                    minimum = _minimum_4(a, b, c, d, A[i:j], B[i:j], C[i:j], D[i:j])
                else:
                    minimum = np.uint64(
                        _smallest(_block_distances(queries[q], words, i, j, distances))
                    )
                minima[q, (i - start) // BLOCK] = minimum
    return minima


@compiled
def _list_near(minima: np.ndarray, last: int, blocks: np.ndarray) -> tuple[int, int]:
    """List the blocks whose minimum is at most `last`; return their number, and that below."""
    n_near, n_nearer = 0, 0
    for b in range(minima.size):
        blocks[n_near] = b
        n_near += minima[b] <= last
        n_nearer += minima[b] < last
    return n_near, n_nearer


@compiled
def _fetch_block(words: np.ndarray, start: int, stop: int) -> None:
    """Ask for the memory of a block while another is worked on."""
    for w in range(words.shape[0]):
        row = words[w]
        for i in range(start, min(start + BLOCK, stop), 8):
            prefetch(row, i)


@compiled
def scan_nearest(
    queries: np.ndarray, words: np.ndarray, start: int, stop: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Find uint16 distances and int64 positions of a shard's k nearest codes, ties by position.

    The shard is `start` to `stop` and has at least k codes.
    """
    n_queries, n_distances = queries.shape[0], 64 * queries.shape[1] + 1
    distances = np.empty((n_queries, k), dtype=np.uint16)
    positions = np.empty((n_queries, k), dtype=np.int64)
    minima = _block_minima(queries, words, start, stop)
    # At least k are free when a block is opened, at most k + BLOCK get filled.
    gathered_distances = np.empty((2, 2 * k + BLOCK), dtype=np.uint16)
    gathered_positions = np.empty((2, 2 * k + BLOCK), dtype=np.int64)
    near_blocks = np.empty(minima.shape[1] + 1, dtype=np.int64)
    block = np.empty(BLOCK, dtype=np.uint16)
    counts = np.empty(n_distances, dtype=np.int64)
    for q in range(n_queries):
        last = kth_smallest(minima[q], k, counts)
        bound = last + 1  # only nearer codes are gathered
        n_near, n_nearer = _list_near(minima[q], last, near_blocks)
        n_ties = k - n_nearer  # codes at the last distance that can be among the k nearest
        size = 0
        for j in range(n_near):
            if j + 1 < n_near:
                _fetch_block(words, start + near_blocks[j + 1] * BLOCK, stop)
            if minima[q, near_blocks[j]] >= bound:
                continue
            first = start + near_blocks[j] * BLOCK
            near = _block_distances(queries[q], words, first, min(first + BLOCK, stop), block)
            for i in range(near.size):
                if near[i] < bound:
                    gathered_distances[0, size] = near[i]
                    gathered_positions[0, size] = first + i
                    size += 1
                    n_ties -= near[i] == last
                    if n_ties == 0:
                        bound = min(bound, last)
            if size >= 2 * k:
                keep_nearest(gathered_distances, gathered_positions, size, k, counts)
                size = k
                bound = min(bound, int(gathered_distances[0, k - 1]))  # later ones lose the tie
        keep_nearest(gathered_distances, gathered_positions, size, k, counts)
        distances[q] = gathered_distances[0, :k]
        positions[q] = gathered_positions[0, :k]
    return distances, positions


@compiled
def count_nearest(
    queries: np.ndarray, words: np.ndarray, start: int, stop: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Find the same as :func:`scan_nearest`, from all distances of one query after the other.

    Faster where there are fewer than k blocks, whose minima give no bound.
    """
    n_queries, n_distances = queries.shape[0], 64 * queries.shape[1] + 1
    distances = np.empty((n_queries, k), dtype=np.uint16)
    positions = np.empty((n_queries, k), dtype=np.int64)
    gathered_distances = np.empty((2, k), dtype=np.uint16)
    gathered_positions = np.empty((2, k), dtype=np.int64)
    counts = np.empty(n_distances, dtype=np.int64)
    room = np.empty(stop - start, dtype=np.uint16)
    for q in range(n_queries):
        near = _block_distances(queries[q], words, start, stop, room)
        bound = kth_by_bisection(near, k, n_distances - 1)
        n_ties = k - (count_at_most(near, bound - 1) if bound > 0 else 0)  # that are taken
        size, i = 0, 0
        while size < k:
            if near[i] < bound or (near[i] == bound and n_ties > 0):
                n_ties -= near[i] == bound
                gathered_distances[0, size] = near[i]
                gathered_positions[0, size] = start + i
                size += 1
            i += 1
        keep_nearest(gathered_distances, gathered_positions, k, k, counts)
        distances[q] = gathered_distances[0]
        positions[q] = gathered_positions[0]
    return distances, positions


@compiled
def _with_room(hits: np.ndarray, size: int) -> np.ndarray:
    """Return the hits in an array with room for `size` of them."""
    if size <= hits.shape[1]:
        return hits
    larger = np.empty((3, 2 * hits.shape[1] + BLOCK), dtype=np.int64)
    larger[:, : hits.shape[1]] = hits
    return larger


@compiled
def scan_within(
    queries: np.ndarray, words: np.ndarray, start: int, stop: int, radius: int
) -> np.ndarray:
    """Find all codes of a shard within a radius: (3, n_hits) of query, distance and position.

    They come by query, then by position.
    """
    minima = _block_minima(queries, words, start, stop)
    block = np.empty(BLOCK, dtype=np.uint16)
    hits = np.empty((3, BLOCK), dtype=np.int64)
    size = 0
    for q in range(queries.shape[0]):
        for b in range(minima.shape[1]):
            if minima[q, b] > radius:
                continue
            hits = _with_room(hits, size + BLOCK)
            first = start + b * BLOCK
            near = _block_distances(queries[q], words, first, min(first + BLOCK, stop), block)
            for i in range(near.size):
                if near[i] <= radius:
                    hits[0, size], hits[1, size], hits[2, size] = q, near[i], first + i
                    size += 1
    return hits[:, :size].copy()
