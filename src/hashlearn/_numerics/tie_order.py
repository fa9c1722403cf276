"""The order of items at equal distance: that of their tie keys, found in linear time."""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.words import read_only

MIN_SPREAD = 1 << 14  # keys: fewer are sorted in a millisecond
MAX_IN_BUCKET = 64  # of about 4 that mixed keys have


def tie_order(keys: np.ndarray) -> np.ndarray:
    """Return the positions of int64 keys in increasing order, equal ones by position.

    A stable `numpy.argsort`, several times as fast where keys are mixed, as tie keys are.
    """
    if keys.size >= MIN_SPREAD:
        n_bits = keys.size.bit_length() - 2
        unsigned = keys.view(np.uint64) ^ np.uint64(1 << 63)  # in the same order
        order, is_spread = _order_of_spread(read_only(unsigned), 64 - n_bits)
        if is_spread:
            return order
    return np.argsort(keys, kind="stable")


@compiled
def _order_of_spread(keys: np.ndarray, shift: int) -> tuple[np.ndarray, bool]:
    """Sort into buckets by the highest bits, then by insertion; False if a bucket is too large."""
    n, right = keys.size, np.uint64(shift)
    starts = np.zeros((1 << (64 - shift)) + 1, dtype=np.int64)
    order = np.empty(n, dtype=np.int64)
    for i in range(n):
        starts[np.int64(keys[i] >> right) + 1] += 1
    if starts.max() > MAX_IN_BUCKET:
        return order, False
    for b in range(1, starts.size):
        starts[b] += starts[b - 1]
    in_order = np.empty(n, dtype=np.uint64)
    for i in range(n):
        bucket = np.int64(keys[i] >> right)
        order[starts[bucket]], in_order[starts[bucket]] = i, keys[i]
        starts[bucket] += 1
    for i in range(1, n):  # an item moves within its bucket
        key, position, place = in_order[i], order[i], i
        while place > 0 and in_order[place - 1] > key:
            in_order[place], order[place] = in_order[place - 1], order[place - 1]
            place -= 1
        in_order[place], order[place] = key, position
    return order, True
