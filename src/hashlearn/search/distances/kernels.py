"""Compiled distances from tables: what each byte of two codes adds, by their differing bits.

Codes come byte by byte, (width, n), so that an inner loop runs over neighbouring memory; a table
of 256 numbers per byte stays in the fastest cache.
"""

from __future__ import annotations

import math

import numpy as np

from hashlearn.compiled import compiled
from hashlearn.search.kernels import popcount

BITS_OF_BYTE = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)


def tables_of(values: np.ndarray) -> np.ndarray:
    """Return the (width, 256) sums of the values of the bits that a byte has set.

    Parameters
    ----------
    values : ndarray of shape (n_bits,), float64
        A value per bit; padding bits have none.

    Examples
    --------
    >>> tables_of(np.array([4.0, 2.0]))[0, [0b00000000, 0b10000000, 0b11000000]]
    array([0., 4., 6.])
    """
    padded = np.pad(values, (0, -values.size % 8)).reshape(-1, 8)
    tables = np.zeros((len(padded), 256))
    for bit in range(8):  # in one order: equal sums are equal to the last digit
        tables += padded[:, bit, None] * BITS_OF_BYTE[:, bit]
    return tables


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

    Parameters
    ----------
    queries : ndarray of shape (n_queries, width), uint8
    database : ndarray of shape (width, n), uint8
    tables : ndarray of shape (width, 256), float64
    """
    sums = np.empty((queries.shape[0], database.shape[1]))
    seen = np.empty(256)
    for q in range(queries.shape[0]):
        _sum_tables(queries[q], database, tables, seen, sums[q])
    return sums


@compiled
def _multiply(factors: np.ndarray, row: np.ndarray) -> None:
    for i in range(row.size):
        row[i] *= factors[i]


@compiled
def _below_top(product: float, row: np.ndarray) -> None:
    """Turn products into asinh(product - 1) below that of the largest product."""
    top = math.asinh(product - 1.0)
    for i in range(row.size):
        row[i] = 0.0 if row[i] == product else top - math.asinh(row[i] - 1.0)


@compiled
def product_distances(
    queries: np.ndarray, database: np.ndarray, tables: np.ndarray, starts: np.ndarray
) -> np.ndarray:
    """Return asinh(H of equal codes) - asinh(H), H = product of sums of table values, minus 1.

    Parameters
    ----------
    queries : ndarray of shape (n_queries, width), uint8
    database : ndarray of shape (width, n), uint8
    tables : ndarray of shape (width, 256), float64
    starts : ndarray of shape (n_factors + 1,), int64
        The bytes ``starts[f]:starts[f + 1]`` add up to factor f.
    """
    distances = np.ones((queries.shape[0], database.shape[1]))
    seen, factors = np.empty(256), np.empty(database.shape[1])
    product = 1.0  # of equal codes, in the order of operations of all others
    for f in range(starts.size - 1):
        factor = tables[starts[f], 0]
        for w in range(starts[f] + 1, starts[f + 1]):
            factor += tables[w, 0]
        product *= factor
    for q in range(queries.shape[0]):
        for f in range(starts.size - 1):
            first, last = starts[f], starts[f + 1]
            _sum_tables(
                queries[q, first:last], database[first:last], tables[first:last], seen, factors
            )
            _multiply(factors, distances[q])
        _below_top(product, distances[q])
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
    """Return the (n_queries, n) spherical Hamming distances of codes as uint64 words.

    Parameters
    ----------
    queries : ndarray of shape (n_queries, n_words), uint64
    database : ndarray of shape (n_words, n), uint64
    n_bits : int
    """
    distances = np.empty((queries.shape[0], database.shape[1]))
    differing = np.empty(database.shape[1])
    for q in range(queries.shape[0]):
        _spherical_row(queries[q], database, n_bits, differing, distances[q])
    return distances
