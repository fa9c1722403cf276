"""Compiled loops over 64-bit words: distances, and selection by counting.

The kernels release the GIL and run one block of queries on one thread; `map_blocks` puts the
blocks on threads. Codes come word by word, (n_words, n), so that the inner loop runs over
neighbouring memory and the compiler vectorises it for every code length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numba import njit, types
from numba.extending import intrinsic


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:
    """Count the bits set in a uint64: LLVM's `ctpop`, one instruction on current processors."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), emit


popcount = cast(Callable[[np.uint64], np.uint64], _popcount)  # what a compiled function sees


@njit(cache=True, nogil=True)
def _add_distances(query_word: int, database_words: np.ndarray, distances: np.ndarray) -> None:
    for i in range(database_words.size):
        distances[i] += np.uint16(popcount(query_word ^ database_words[i]))


@njit(cache=True, nogil=True)
def hamming_distances(queries: np.ndarray, database: np.ndarray) -> np.ndarray:
    """Return the (n_queries, n) uint16 distances of codes given as (n_words, n) uint64."""
    distances = np.zeros((queries.shape[1], database.shape[1]), dtype=np.uint16)
    for q in range(queries.shape[1]):
        for w in range(queries.shape[0]):
            _add_distances(queries[w, q], database[w], distances[q])
    return distances


@njit(cache=True, nogil=True)
def _select_row(distances: np.ndarray, starts: np.ndarray, positions: np.ndarray) -> None:
    for i in range(distances.size):
        starts[np.int64(distances[i]) + 1] += 1
    for d in range(1, starts.size):
        starts[d] += starts[d - 1]
    # starts[d] is now the rank of the next item at distance d; a rank of k and more is not kept.
    for i in range(distances.size):
        rank = starts[distances[i]]
        if rank < positions.size:
            positions[rank] = i
            starts[distances[i]] = rank + 1


@njit(cache=True, nogil=True)
def select_nearest(distances: np.ndarray, k: int, n_distances: int) -> np.ndarray:
    """Return per row the positions of its k smallest distances, ties by position.

    A counting sort that keeps the first k: distances must lie in 0, ..., n_distances - 1.
    """
    positions = np.empty((distances.shape[0], k), dtype=np.int64)
    for q in range(distances.shape[0]):
        starts = np.zeros(n_distances + 1, dtype=np.int64)
        _select_row(distances[q], starts, positions[q])
    return positions
