"""Products with matrices of small integers and of bits, which are never converted whole."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.threads import map_blocks

BLOCK_ENTRIES = 1 << 22  # entries of a block
PATTERN_ENTRIES = 1 << 18  # entries of a sparse block; each takes longer
WORD = 64  # bits of a word
REORDER = {"reassoc", "contract"}  # sums in the order of vector units, the same in every run


def blocked_dot(Y: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return Y V for a matrix of small integers, in float64."""
    step = max(1, BLOCK_ENTRIES // max(1, Y.shape[1]))
    bounds = [*range(0, len(Y), step), len(Y)]
    if len(Y) == 0 or V.ndim == 2:
        blocks = [Y[start : start + step].astype(np.float64) @ V for start in bounds[:-1]]
        return np.concatenate(blocks) if blocks else np.zeros((0, *V.shape[1:]))
    v, out = np.ascontiguousarray(V, dtype=np.float64), np.empty(len(Y))
    map_blocks(lambda start, stop: dot_rows(Y, v, out, start, stop), bounds)
    return out


def packed_dot(words: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return S v for a 0/1 matrix in words: bit b of words[a, i] is its entry (i, 64 a + b).

    The sums of v over all subsets of eight columns are in a table, so that an entry of a product
    costs one look-up per eight columns, and the matrix takes an eighth of its bytes.
    """
    padded = np.zeros(len(words) * WORD)
    padded[: v.size] = v
    out = np.zeros(words.shape[1])
    step = max(1_000, BLOCK_ENTRIES // (len(words) * WORD))  # tables cost as much as 256 rows
    bounds = [*range(0, out.size, step), out.size]
    map_blocks(lambda start, stop: _packed_rows(words, padded, out, start, stop), bounds)
    return out


def pattern_dot(S: Any, v: np.ndarray) -> np.ndarray:
    """Return S v for a sparse matrix of ones: only the positions are read."""
    v, out = np.ascontiguousarray(v), np.empty(S.shape[0], dtype=v.dtype)
    cuts = np.arange(PATTERN_ENTRIES, S.nnz, PATTERN_ENTRIES)  # blocks of equal work
    bounds = np.unique([0, *np.searchsorted(S.indptr, cuts), S.shape[0]]).tolist()
    map_blocks(lambda start, stop: _pattern_rows(S.indptr, S.indices, v, out, start, stop), bounds)
    return out


@compiled
def add_packed_row(words: np.ndarray, row: int, factor: float, out: np.ndarray) -> None:
    """Add a multiple of a row of a symmetric packed matrix, read as a column: contiguous."""
    _add_bits(words[row // 64], np.uint64(row % 64), factor, out)


@compiled
def add_packed_rows(words: np.ndarray, rows: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Add the product of a symmetric packed matrix with v, which is 0 except for some rows."""
    for row in rows:
        add_packed_row(words, row, v[row], out)


@compiled
def add_pattern_rows(
    indptr: np.ndarray, indices: np.ndarray, rows: np.ndarray, v: np.ndarray, out: np.ndarray
) -> None:
    """Add the product of a symmetric sparse matrix of ones with v, 0 except for some rows."""
    for row in rows:
        for entry in range(indptr[row], indptr[row + 1]):
            out[indices[entry]] += v[row]


@compiled
def _add_bits(words: np.ndarray, bit: np.uint64, factor: float, out: np.ndarray) -> None:
    for i in range(out.size):
        out[i] += factor * np.float64((words[i] >> bit) & np.uint64(1))


@compiled
def dot_rows(Y: np.ndarray, v: np.ndarray, out: np.ndarray, start: int, stop: int) -> None:
    """Set out = Y v for a block of rows of small integers."""
    for i in range(start, stop):
        out[i] = row_dot(Y[i], v)


@partial(compiled, fastmath=REORDER)
def row_dot(y: np.ndarray, v: np.ndarray) -> float:
    """Return y . v for a row of small integers."""
    total = 0.0
    for j in range(y.size):
        total += y[j] * v[j]
    return total


@compiled
def _packed_rows(words: np.ndarray, v: np.ndarray, out: np.ndarray, start: int, stop: int) -> None:
    table = np.zeros((8, 256))
    for a in range(len(words)):
        for byte in range(8):
            _sums_of_choices(v[64 * a + 8 * byte : 64 * a + 8 * byte + 8], table[byte])
        _look_up(words[a, start:stop], table, out[start:stop])


@compiled
def _sums_of_choices(v: np.ndarray, table: np.ndarray) -> None:
    """Set table[c] to the sum of v over the bits of c."""
    for bit in range(8):
        half = 1 << bit
        for c in range(half):
            table[half + c] = table[c] + v[bit]


@compiled
def _look_up(words: np.ndarray, table: np.ndarray, out: np.ndarray) -> None:
    for i in range(words.size):
        w = words[i]
        low = table[0, w & 255] + table[1, (w >> 8) & 255]
        low += table[2, (w >> 16) & 255] + table[3, (w >> 24) & 255]
        high = table[4, (w >> 32) & 255] + table[5, (w >> 40) & 255]
        high += table[6, (w >> 48) & 255] + table[7, w >> 56]
        out[i] += low + high


@compiled
def _pattern_rows(
    indptr: np.ndarray, indices: np.ndarray, v: np.ndarray, out: np.ndarray, start: int, stop: int
) -> None:
    for i in range(start, stop):
        total = v[0] * 0
        for entry in range(indptr[i], indptr[i + 1]):
            total += v[indices[entry]]
        out[i] = total
