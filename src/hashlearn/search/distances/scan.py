"""Exact search by any distance: a scan over all codes in blocks of bounded memory, on threads."""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.threads import map_blocks, n_threads
from hashlearn.search.distances.base import Distance
from hashlearn.search.distances.selection_kernels import push_nearest
from hashlearn.search.packing import from_words
from hashlearn.search.scan import Hits

TILE = 32  # queries and
BLOCK = 1 << 13  # codes at once: 2 MiB of distances per thread


def nearest(
    distance: Distance, queries: np.ndarray, words: np.ndarray, k: int, n_bits: int
) -> tuple[np.ndarray, np.ndarray]:
    """Find the k nearest codes of each query, ties by position.

    Parameters
    ----------
    distance : Distance
        Checked against `n_bits`.
    queries : ndarray of shape (n_queries, width), uint8
        Packed codes.
    words : ndarray of shape (n_words, n), uint64
    k : int
        From 1 to n.
    n_bits : int
        Bits per code.

    Returns
    -------
    distances : ndarray of shape (n_queries, k), float64
    positions : ndarray of shape (n_queries, k), int64

    Examples
    --------
    >>> from hashlearn.search.distances import WeightedHamming
    >>> from hashlearn.search.packing import as_words
    >>> codes = np.packbits([[0, 0], [0, 1], [1, 0]], axis=1)
    >>> nearest(WeightedHamming([3.0, 0.5]), codes[2:], as_words(codes).T, k=2, n_bits=2)
    (array([[0., 3.]]), array([[2, 0]]))
    """
    n_queries, n = len(queries), words.shape[1]

    def of_range(
        first_query: int, last_query: int, start: int, stop: int
    ) -> tuple[np.ndarray, np.ndarray]:
        heaps = _empty_heaps(last_query - first_query, min(k, stop - start))
        for i in range(start, stop, BLOCK):
            codes = from_words(words[:, i : min(i + BLOCK, stop)], n_bits)
            block = distance.between(queries[first_query:last_query], codes, n_bits)
            push_nearest(block, i, *heaps)
        return heaps

    if n_queries < n_threads():  # a range of codes for each thread
        parts = map_blocks(lambda i, j: of_range(0, n_queries, i, j), _code_bounds(n))
        distances, positions = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    else:
        parts = map_blocks(lambda i, j: of_range(i, j, 0, n), _query_bounds(n_queries))
        distances, positions = (np.concatenate(part) for part in zip(*parts, strict=True))
    return _in_order(distances, positions, k)


def smallest(distances: np.ndarray, k: int) -> np.ndarray:
    """Return per row the positions of its k smallest distances, ties by position.

    Parameters
    ----------
    distances : ndarray of shape (n_queries, n), float64
        At least k of each row finite.
    k : int

    Examples
    --------
    >>> smallest(np.array([[0.5, 0.1, 0.5, 0.2]]), k=3)
    array([[1, 3, 0]])
    """
    if 4 * k > distances.shape[1]:  # a heap of most items is slower than a sort of all
        return np.argsort(distances, axis=1, kind="stable")[:, :k]
    heaps = _empty_heaps(len(distances), k)
    push_nearest(distances, 0, *heaps)
    return _in_order(*heaps, k)[1]


def within(
    distance: Distance, queries: np.ndarray, words: np.ndarray, radius: float, n_bits: int
) -> Hits:
    """Find all codes within a radius of each query, by distance, then by position.

    Parameters
    ----------
    distance, queries, words, n_bits
        As in :func:`nearest`.
    radius : float
        At least 0.

    Returns
    -------
    hits : Hits
        With distances in float64.
    """
    n_queries, n = len(queries), words.shape[1]

    def of_tile(first_query: int, last_query: int) -> tuple[np.ndarray, ...]:
        parts = [_NO_HITS]
        for i in range(0, n, BLOCK):
            codes = from_words(words[:, i : i + BLOCK], n_bits)
            block = distance.between(queries[first_query:last_query], codes, n_bits)
            rows, columns = np.nonzero(block <= radius)
            parts.append((rows + first_query, block[rows, columns], columns + i))
        rows, distances, positions = map(np.concatenate, zip(*parts, strict=True))
        order = np.lexsort((positions, distances, rows))
        return rows[order], distances[order], positions[order]

    tiles = map_blocks(of_tile, _query_bounds(n_queries))
    rows, distances, positions = map(np.concatenate, zip(*tiles, strict=True))
    offsets = np.searchsorted(rows, np.arange(n_queries + 1))
    return Hits(offsets, distances, positions)


_NO_HITS = (np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int64))


def _empty_heaps(n_queries: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    positions = np.broadcast_to(np.arange(k), (n_queries, k)).copy()
    return np.full((n_queries, k), np.inf), positions


def _in_order(
    distances: np.ndarray, positions: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the k first by distance, then by position."""
    order = np.lexsort((positions, distances), axis=-1)[:, :k]
    return (
        np.take_along_axis(distances, order, axis=1),
        np.take_along_axis(positions, order, axis=1),
    )


def _query_bounds(n_queries: int) -> list[int]:
    """Return tiles of queries, so small that every thread gets some."""
    step = max(1, min(TILE, -(-n_queries // n_threads())))
    return [*range(0, max(1, n_queries), step), n_queries]


def _code_bounds(n: int) -> list[int]:
    """Return one range of whole blocks per thread, fewer if there are few codes."""
    step = max(1, -(-n // (n_threads() * BLOCK))) * BLOCK
    return [*range(0, max(1, n), step), n]
