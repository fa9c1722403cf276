"""Items grouped by equal codes: compiled loops over codes of 64-bit words."""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.words import read_only

MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: spreads near codes apart
N_HASHES_PER_SAMPLED = 64
SAMPLED = np.uint64(63 << 8)  # bits that no sampled hash has; tables take the high bits
EMPTY = np.uint32(2**32 - 1)


@compiled
def _hash_code(words: np.ndarray, i: int) -> np.uint64:
    """Return a uint64 for a code; its high bits mix best."""
    mixed = np.uint64(0)
    for w in range(words.shape[0]):
        mixed = (mixed ^ words[w, i]) * MIX
        mixed ^= mixed >> np.uint64(32)
    return mixed * MIX


@compiled
def is_sampled(words: np.ndarray) -> np.ndarray:
    """Return for each code, (n_words, n), whether it is in a sample; equal codes are together."""
    sampled = np.empty(words.shape[1], dtype=np.bool_)
    for i in range(words.shape[1]):
        sampled[i] = _hash_code(words, i) & SAMPLED == 0
    return sampled


@compiled
def _same_code(words: np.ndarray, i: int, j: int) -> bool:
    n_equal = 0
    while n_equal < words.shape[0] and words[n_equal, i] == words[n_equal, j]:
        n_equal += 1
    return n_equal == words.shape[0]


@compiled
def find_buckets(words: np.ndarray, max_buckets: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Find the distinct codes, in the order of first appearance; stop beyond a number of them.

    Returns the bucket of each code, the first code of each bucket, and the number of buckets. That
    is above `max_buckets` if it was stopped, and then the arrays are incomplete.
    """
    n = words.shape[1]
    shift = 63
    while np.int64(1) << (64 - shift) < 2 * (min(n, max_buckets) + 1):
        shift -= 1
    slots = np.full(np.int64(1) << (64 - shift), EMPTY, dtype=np.uint32)  # open addressing
    bucket_of = np.empty(n, dtype=np.uint32)
    firsts = np.empty(min(n, max_buckets + 1), dtype=np.uint32)
    n_buckets = 0
    for i in range(n):
        slot = np.int64(_hash_code(words, i) >> np.uint64(shift))
        while slots[slot] != EMPTY and not _same_code(words, firsts[slots[slot]], i):
            slot = np.int64(slot + 1 if slot + 1 < slots.size else 0)
        if slots[slot] == EMPTY:
            slots[slot] = n_buckets
            firsts[n_buckets] = i
            n_buckets += 1
            if n_buckets > max_buckets:
                break
        bucket_of[i] = slots[slot]
    return bucket_of, firsts[:n_buckets], n_buckets


@compiled
def list_members(bucket_of: np.ndarray, n_buckets: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where each bucket starts, and the codes of all buckets, increasing in each."""
    offsets = np.zeros(n_buckets + 1, dtype=np.int64)
    for bucket in bucket_of:
        offsets[bucket + 1] += 1
    for b in range(n_buckets):
        offsets[b + 1] += offsets[b]
    members = np.empty(bucket_of.size, dtype=np.uint32)
    ends = offsets[:-1].copy()
    for i in range(bucket_of.size):
        members[ends[bucket_of[i]]] = i
        ends[bucket_of[i]] += 1
    return offsets, members


def group_by_code(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Group items by equal codes, (n_words, n), the groups in the order of first appearance.

    Returns offsets and members, positions of items: group g holds, in increasing order,
    ``members[offsets[g]:offsets[g + 1]]``.
    """
    bucket_of, _, n_buckets = find_buckets(read_only(words), words.shape[1])
    return list_members(bucket_of, n_buckets)
