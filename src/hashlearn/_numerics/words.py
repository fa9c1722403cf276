"""Packed codes as the 64-bit words that compiled kernels read, and their Hamming distances.

The kernels release the GIL and run one block of queries on one thread; `map_blocks` puts the
blocks on threads. Codes come word by word, (n_words, n), so that the inner loop runs over
neighbouring memory and the compiler vectorises it for every code length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from hashlearn._numerics.compiled import compiled

MAX_WIDE_BITS = 65_528  # distances are uint16, and one value beyond the largest stays free


def as_words(packed: np.ndarray) -> np.ndarray:
    """View packed codes as (n, n_words) uint64, the last word padded with zeros.

    The order of bytes in a word is the machine's: words are for counting bits, not for reading.
    """
    n, width = packed.shape
    missing = -width % 8
    if missing:
        packed = np.concatenate([packed, np.zeros((n, missing), dtype=np.uint8)], axis=1)
    return np.ascontiguousarray(packed).view(np.uint64)


def by_word(packed: np.ndarray) -> np.ndarray:
    """Return packed codes as most kernels read them: (n_words, n) uint64, contiguous."""
    return np.ascontiguousarray(as_words(packed).T)


def from_words(words: np.ndarray, n_bits: int) -> np.ndarray:
    """Return the packed codes of (n_words, n) words: the inverse of :func:`by_word`."""
    packed = np.ascontiguousarray(words.T).view(np.uint8)
    return np.ascontiguousarray(packed[:, : -(-n_bits // 8)])


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a view that cannot be written: arrays in memory and in files compile to one kernel."""
    view = np.ascontiguousarray(array).view(np.ndarray)
    view.flags.writeable = False
    return view


def check_same_width(
    queries: np.ndarray, database: np.ndarray, names: tuple[str, str] = ("queries", "database")
) -> None:
    """Raise if two sets of packed codes differ in width, or if their distances overflow."""
    width = queries.shape[1]
    if width != database.shape[1]:
        raise ValueError(
            f"{names[0]} and {names[1]} must be equally wide; got {width} and "
            f"{database.shape[1]} bytes per code."
        )
    if 8 * width > MAX_WIDE_BITS:
        raise ValueError(f"{names[0]} must have at most {MAX_WIDE_BITS} bits; got {8 * width}.")


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:
    """Count the bits set in a uint64: LLVM's `ctpop`, one instruction on current processors."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), emit


@intrinsic
def _prefetch(typing_context: Any, words: Any, i: Any) -> Any:
    """Ask for the memory of a 1-D array's entry i: LLVM's `prefetch`, which waits for nothing."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        entry = builder.bitcast(builder.gep(array.data, [arguments[1]]), ir.IntType(8).as_pointer())
        bit = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [entry.type, bit, bit, bit])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [entry.type], kind)
        # to read, into the second cache, as data
        builder.call(prefetch, [entry, bit(0), bit(2), bit(1)])
        return context.get_dummy_value()

    return types.void(words, types.int64), emit


prefetch = cast(Callable[[np.ndarray, int], None], _prefetch)
popcount = cast(Callable[[np.uint64], np.uint64], _popcount)  # as compiled functions see it


@compiled
def add_distances(query_word: int, database_words: np.ndarray, distances: np.ndarray) -> None:
    """Add the differing bits of one word of a query and of all codes."""
    for i in range(database_words.size):
        distances[i] += np.uint16(popcount(query_word ^ database_words[i]))


@compiled
def hamming_distances(queries: np.ndarray, database: np.ndarray) -> np.ndarray:
    """Return the (n_queries, n) uint16 distances of codes given as (n_words, n) uint64."""
    distances = np.zeros((queries.shape[1], database.shape[1]), dtype=np.uint16)
    for q in range(queries.shape[1]):
        for w in range(queries.shape[0]):
            add_distances(queries[w, q], database[w], distances[q])
    return distances
