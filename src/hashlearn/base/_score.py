"""Mean average precision of items searched in themselves, by an affinity."""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.words import by_word, hamming_distances
from hashlearn.affinity import Affinity
from hashlearn.metrics import RankingCounts, mean_average_precision

_BLOCK_PAIRS = 2**22  # distances that are held at a time


def affinity_score(packed: np.ndarray, n_bits: int, affinity: Affinity) -> float:
    """Return the mean average precision; undefined pairs are left out of the rankings."""
    if affinity.complete:
        return mean_average_precision(packed, packed, _Similar(affinity), exclude_self=True)
    if affinity.n_similar == 0:
        raise ValueError(f"{affinity!r} has no similar pair: nothing is relevant in a score.")
    words, n = by_word(packed), len(packed)
    step = max(1, _BLOCK_PAIRS // n)
    values = [
        _average_precision(words, slice(start, min(start + step, n)), n_bits, affinity)
        for start in range(0, n, step)
    ]
    return float(np.nanmean(np.concatenate(values)))


def _average_precision(
    words: np.ndarray, rows: slice, n_bits: int, affinity: Affinity
) -> np.ndarray:
    """Return the average precision of some items, NaN for one with no similar item."""
    Y = affinity.block(rows)
    distances = hamming_distances(np.ascontiguousarray(words[:, rows]), words)
    distances[Y == 0] = n_bits + 1  # does not count, nor does the item itself
    counts = RankingCounts.from_distances(distances, Y > 0, n_bits)
    return counts.average_precision(k=Y.shape[1])


class _Similar:
    """Similar items as relevant ones."""

    def __init__(self, affinity: Affinity) -> None:
        self.affinity, self.shape = affinity, affinity.shape

    def block(self, start: int, stop: int) -> np.ndarray:
        return self.affinity.block(slice(start, stop)) > 0
