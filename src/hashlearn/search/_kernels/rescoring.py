"""Compiled scores of candidates: distances of vectors, and costs of codes by margins."""

from __future__ import annotations

from functools import partial

import numpy as np

from hashlearn._numerics.compiled import compiled


@partial(compiled, fastmath={"reassoc", "contract"})  # to add in vector registers
def _squared_distance(x: np.ndarray, y: np.ndarray) -> float:
    total = 0.0
    for j in range(x.size):
        difference = x[j] - np.float64(y[j])
        total += difference * difference
    return total


@compiled
def write_distances(
    queries: np.ndarray, rows: np.ndarray, X: np.ndarray, Y: np.ndarray, scores: np.ndarray
) -> None:
    """Write the distances between rows of X and Y, for pairs whose row is within Y."""
    for p in range(queries.size):
        if 0 <= rows[p] < len(Y):
            scores[p] = np.sqrt(_squared_distance(X[queries[p]], Y[rows[p]]))


@compiled
def _fill_tables(margins: np.ndarray, tables: np.ndarray) -> None:
    """Write for each byte of a code and each of its 256 values what its differing bits cost."""
    for b in range(len(tables)):
        table = tables[b]
        table[0] = 0.0
        for j in range(8):  # from the values of j bits to those of j + 1, highest bit first
            margin = margins[8 * b + j]
            for value in range((1 << j) - 1, -1, -1):
                table[2 * value + 1] = table[value] + max(-margin, 0.0)
                table[2 * value] = table[value] + max(margin, 0.0)


@compiled
def write_costs(queries: np.ndarray, codes: np.ndarray, F: np.ndarray, scores: np.ndarray) -> None:
    """Write the costs of codes by the margins F, one look-up per byte in their query's tables."""
    tables = np.empty((codes.shape[1], 256))
    for p in range(queries.size):
        if p == 0 or queries[p] != queries[p - 1]:
            _fill_tables(F[queries[p]], tables)
        cost = 0.0
        for b in range(len(tables)):
            cost += tables[b, codes[p, b]]
        scores[p] = cost
