"""Codes of many classes: moves of whole codes, after the cycles over bits.

A quadratic loss depends only on the bits' Gram matrix and their sums, so with many classes many
sets of codes cost the same, and two classes may end with equal codes for no gain. Moves of whole
codes lower the objective further, and part of that gain pays for distance.
"""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.words import as_words
from hashlearn.inference import _code_kernels as kernels
from hashlearn.inference._code_bounds import largest_possible_distance

MAX_SWEEPS = 10  # over all codes; most of the gain comes with the first
MAX_SPREAD_CLASSES = 20_000  # above, codes are only made distinct: all distances cost G^2
MAX_DISTANCES = 20_000_000_000  # computed to make codes distinct, about a minute
MAX_PASSES = 3  # over codes that are too near each other, before a distance is given up


def improve_class_codes(Z: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return codes of mutually dissimilar classes that cost no more and lie farther apart.

    Codes are in {-1, +1}, `weights` are the numbers of items per class. KSH's loss does not rise;
    distances rise as long as every code can follow.
    """
    Z, weights = Z.astype(np.int8), weights.astype(np.float64)
    R = Z.T.astype(np.float64) @ (weights[:, None] * Z)
    codes = kernels.Codes(Z, pack_words(Z), weights, R, weights @ Z)
    lightest_first = np.argsort(weights, kind="stable")
    heaviest_first = np.ascontiguousarray(lightest_first[::-1])  # one type to compile
    slack = 0.0
    for _ in range(MAX_SWEEPS):
        slack, n_moved, _ = kernels.visit_codes(codes, heaviest_first, 0, slack)
        if not n_moved:
            break
    if len(Z) > MAX_SPREAD_CLASSES:
        _make_distinct(codes, lightest_first, slack)
        return Z
    for level in _levels(codes.words, Z.shape[1]):
        for _ in range(MAX_PASSES):
            slack, _, n_near = kernels.visit_codes(codes, lightest_first, level, slack)
            if not n_near:
                break
        else:
            break
    return Z


def _levels(words: np.ndarray, n_bits: int) -> range:
    """Return the smallest distances to try, in increasing order."""
    nearest = np.empty(len(words), dtype=np.int64)
    kernels.nearest_distances(words, nearest)
    first, last = int(nearest.min()) + 1, largest_possible_distance(len(words), n_bits)
    return range(first, last + 1)


def _make_distinct(codes: kernels.Codes, order: np.ndarray, slack: float) -> None:
    """Move codes that equal another, in place, if there are enough codes."""
    n, n_bits = codes.Z.shape
    n_visits = MAX_DISTANCES // (MAX_PASSES * n) if n <= 2**n_bits else 0
    for _ in range(MAX_PASSES):
        equal = order[_is_repeated(codes.words)[order]]
        if not equal.size:
            break
        slack, _, _ = kernels.visit_codes(codes, equal[:n_visits], 1, slack)


def _is_repeated(words: np.ndarray) -> np.ndarray:
    """Return which codes equal another."""
    order = np.lexsort(words.T)
    equals_next = (words[order[1:]] == words[order[:-1]]).all(axis=1)
    repeated = np.zeros(len(words), dtype=bool)
    repeated[order[1:]] |= equals_next
    repeated[order[:-1]] |= equals_next
    return repeated


def pack_words(Z: np.ndarray) -> np.ndarray:
    """Return codes in {-1, +1} as words of 64 bits, the first bit lowest."""
    words = as_words(np.packbits(Z > 0, axis=1, bitorder="little"))
    return words.view("<u8").astype(np.uint64, copy=False)
