"""Exact search of float queries by a scan over all codes, on threads, split as in `_scan`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hashlearn._numerics.selection import in_order
from hashlearn._numerics.threads import map_blocks
from hashlearn._numerics.words import read_only
from hashlearn.search._float_plan import make_plan
from hashlearn.search._kernels.floats import scan_float_nearest, scan_float_within
from hashlearn.search._scan import Hits, code_bounds, query_bounds, splits_codes, write_found
from hashlearn.search.float_queries import FloatQueries

NO_LEVELS = np.empty(0, dtype=np.uint8)


def nearest(
    queries: FloatQueries,
    words: np.ndarray,
    levels: np.ndarray | None,
    k: int,
    write: Callable[..., Any] = write_found,
) -> tuple[np.ndarray, np.ndarray]:
    """Find distances, float64, and positions of the k nearest codes, ties by position.

    Codes are (n_words, n) words, and have the levels of the queries' terms, if any. `write` gets
    the nearest codes of some queries, k or all, and where to write k of each.
    """
    codes = _codes(words, levels)
    n_queries, n = len(queries), words.shape[1]
    distances = np.empty((n_queries, k))
    positions = np.empty((n_queries, k), dtype=np.int64)

    def of_queries(first: int, last: int) -> None:
        plan = make_plan(queries[first:last])
        heaps = scan_float_nearest(plan, *codes, 0, n, min(k, n))
        write(*in_order(*heaps, k), distances[first:last], positions[first:last])

    if splits_codes(n_queries, words):
        plan = make_plan(queries)
        parts = map_blocks(
            lambda i, j: scan_float_nearest(plan, *codes, i, j, min(k, j - i)),
            code_bounds(words),
        )
        found, places = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
        write(*in_order(found, places, k), distances, positions)
    else:
        map_blocks(of_queries, query_bounds(n_queries, n, minimum_bytes=8))
    return distances, positions


def within(
    queries: FloatQueries, words: np.ndarray, levels: np.ndarray | None, radius: float
) -> Hits:
    """Find all codes within a radius of each query; the arguments are those of `nearest`."""
    codes = _codes(words, levels)
    n_queries, n = len(queries), words.shape[1]

    def of_queries(first: int, last: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        plan = make_plan(queries[first:last])
        rows, distances, positions = scan_float_within(plan, *codes, 0, n, radius)
        return rows + first, distances, positions

    if splits_codes(n_queries, words):
        plan = make_plan(queries)
        parts = map_blocks(
            lambda i, j: scan_float_within(plan, *codes, i, j, radius), code_bounds(words)
        )
    else:
        parts = map_blocks(of_queries, query_bounds(n_queries, n))
    rows, distances, positions = map(np.concatenate, zip(*parts, strict=True))
    order = np.lexsort((positions, distances, rows))
    offsets = np.searchsorted(rows[order], np.arange(n_queries + 1))
    return Hits(offsets, distances[order], positions[order])


def _codes(
    words: np.ndarray, levels: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return codes as the kernels read them: words, their bytes (n_words, n, 8), and levels."""
    words = read_only(words)
    octets = words.view(np.uint8).reshape(*words.shape, 8)
    return words, octets, read_only(NO_LEVELS if levels is None else levels)
