"""Compiled distances from tables: what each byte of two codes adds, by their differing bits.

Codes come byte by byte, (width, n), so that an inner loop runs over neighbouring memory; a table
of 256 numbers per byte stays in the fastest cache.
"""

from __future__ import annotations

import math

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.words import popcount

BITS_OF_BYTE = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
LARGE_LOG = 40.0  # asinh(e^40 - 1) is log(2 e^40) to the last digit
LOG_2 = math.log(2.0)


def with_exact_sums(values: np.ndarray) -> np.ndarray:
    """Return rows of values as multiples of one power of 2, so large that all sums are exact.

    Sums of equal values in another order are then equal to the last digit. A value, at least 0,
    moves by at most 2^-53 of the sum of all, rounded up to a power of 2.
    """
    _, exponent = np.frexp(values.sum(axis=-1, keepdims=True))
    return np.ldexp(np.rint(np.ldexp(values, 52 - exponent)), exponent - 52)


def tables_of(values: np.ndarray) -> np.ndarray:
    """Return the (width, 256) sums of the values of the bits that a byte has set."""
    padded = np.pad(values, (0, -values.size % 8)).reshape(-1, 8)
    return padded @ BITS_OF_BYTE.T.astype(np.float64)


@compiled
def _seen_from(byte: int, table: np.ndarray, seen: np.ndarray) -> None:
    """Write the table of differing bits as one of the other code's bytes."""
    for other in range(256):
        seen[other] = table[byte ^ other]


@compiled
def _set_values(table: np.ndarray, bytes_: np.ndarray, row: np.ndarray) -> None:
    for i in range(row.size):
        row[i] = table[bytes_[i]]


@compiled
def _add_values(table: np.ndarray, bytes_: np.ndarray, row: np.ndarray) -> None:
    for i in range(row.size):
        row[i] += table[bytes_[i]]


@compiled
def _sum_tables(
    query: np.ndarray, database: np.ndarray, tables: np.ndarray, seen: np.ndarray, row: np.ndarray
) -> None:
    """Write the sums of what the bytes of each code add."""
    for w in range(query.size):
        _seen_from(query[w], tables[w], seen)
        if w == 0:
            _set_values(seen, database[w], row)
        else:
            _add_values(seen, database[w], row)


@compiled
def table_sums(queries: np.ndarray, database: np.ndarray, tables: np.ndarray) -> np.ndarray:
    """Return the (n_queries, n) sums over bytes of a table's value at the differing bits.

    The queries are (n_queries, width) and the database (width, n).
    """
    sums = np.empty((queries.shape[0], database.shape[1]))
    seen = np.empty(256)
    for q in range(queries.shape[0]):
        _sum_tables(queries[q], database, tables, seen, sums[q])
    return sums


@compiled
def add_factors(factors: np.ndarray, step: float, logs: np.ndarray, n_negative: np.ndarray) -> None:
    """Multiply products, kept as logarithms of sizes and numbers of negative factors, by factors.

    Logarithms are rounded to multiples of a power of 2, so that the order does not matter.
    """
    for q in range(factors.shape[0]):
        for i in range(factors.shape[1]):
            size = abs(factors[q, i])
            logs[q, i] += np.rint(math.log(size) / step) * step if size > 0.0 else -np.inf
            n_negative[q, i] += 1.0 if factors[q, i] < 0.0 else 0.0


@compiled
def asinh_of_product(log: float, negative: bool) -> float:
    """Return asinh(p - 1) of a product p from the logarithm of its size and its sign."""
    if log > LARGE_LOG:
        size = log + LOG_2
        return -size if negative else size
    product = math.exp(log)
    value = (-product if negative else product) - 1.0
    size = math.log(abs(value) + math.sqrt(value * value + 1.0))  # twice as fast as math.asinh
    return -size if value < 0.0 else size


@compiled
def below_top(top: float, logs: np.ndarray, n_negative: np.ndarray) -> np.ndarray:
    """Return asinh(p - 1) of the largest product, with logarithm `top`, less that of each."""
    highest = asinh_of_product(top, False)
    distances = np.empty(logs.shape)
    for q in range(logs.shape[0]):
        for i in range(logs.shape[1]):
            value = asinh_of_product(logs[q, i], int(n_negative[q, i]) % 2 == 1)
            distances[q, i] = max(0.0, highest - value)
    return distances


@compiled
def _spherical_row(
    query: np.ndarray, database: np.ndarray, n_bits: int, differing: np.ndarray, row: np.ndarray
) -> None:
    common = row  # filled first, then overwritten by the distances
    common[:] = 0.0
    differing[:] = 0.0
    for w in range(query.size):
        words = database[w]
        for i in range(row.size):
            differing[i] += popcount(query[w] ^ words[i])
            common[i] += popcount(query[w] & words[i])
    for i in range(row.size):
        if common[i] > 0.0:
            row[i] = differing[i] / common[i]
        else:
            row[i] = n_bits + differing[i] if differing[i] > 0.0 else 0.0


@compiled
def spherical_distances(queries: np.ndarray, database: np.ndarray, n_bits: int) -> np.ndarray:
    """Return the (n_queries, n) distances of (n_queries, n_words) and (n_words, n) words."""
    distances = np.empty((queries.shape[0], database.shape[1]))
    differing = np.empty(database.shape[1])
    for q in range(queries.shape[0]):
        _spherical_row(queries[q], database, n_bits, differing, distances[q])
    return distances
