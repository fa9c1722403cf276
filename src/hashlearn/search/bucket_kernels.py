"""Compiled loops over buckets: items that share a code."""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled

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
    """Tell for each code, (n_words, n), whether it is in a sample that takes all equal codes."""
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

    Returns
    -------
    bucket_of : ndarray of shape (n,), uint32
        The bucket of each code.
    firsts : ndarray, uint32
        The first code of each bucket; as long as there are buckets.
    n_buckets : int
        More than `max_buckets` if it was stopped: then the arrays are not whole.
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


@compiled
def expand_nearest(
    distances: np.ndarray,
    buckets: np.ndarray,
    offsets: np.ndarray,
    members: np.ndarray,
    found_distances: np.ndarray,
    found: np.ndarray,
) -> bool:
    """Turn the nearest buckets of each query into its k nearest codes, ties by position.

    Parameters
    ----------
    distances, buckets : ndarray of shape (n_queries, n_nearest)
        By distance, then by first member: any k of them hold the k nearest codes.
    offsets, members : ndarray
        The buckets.
    found_distances, found : ndarray of shape (n_queries, k), int64
        Where distances and positions are written.

    Returns
    -------
    whole : bool
        False if the buckets do not hold k codes or reach beyond `members`: a damaged file.
    """
    k = found.shape[1]
    n_queries, n_nearest = buckets.shape
    gathered = np.empty(3 * k, dtype=np.int64)  # at one distance; a bucket adds at most k
    for q in range(n_queries):
        done, size = 0, 0  # codes nearer than the distance in hand, and codes gathered at it
        for b in range(n_nearest):
            start, stop = offsets[buckets[q, b]], offsets[buckets[q, b] + 1]
            if not 0 <= start <= stop <= members.size:
                return False
            stop = min(stop, start + k - done)
            gathered[size : size + stop - start] = members[start:stop]
            size += stop - start
            is_last = b + 1 == n_nearest or distances[q, b + 1] != distances[q, b]
            if not is_last and size <= 2 * k:
                continue
            gathered[:size].sort()
            size = min(size, k - done)
            if is_last:
                found_distances[q, done : done + size] = distances[q, b]
                found[q, done : done + size] = gathered[:size]
                done, size = done + size, 0
                if done == k:
                    break
        if done < k:
            return False
    return True


@compiled
def expand_within(
    hits: np.ndarray, offsets: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Turn buckets within a radius into codes: (3, n_hits) of query, distance and position.

    The hits come by query and distance; codes at one distance of a query are put in order. The
    second value is False if the buckets reach beyond `members` or overlap: a damaged file.
    """
    n_found, first = 0, 0  # of all queries, and where those of one begin
    for h in range(hits.shape[1]):
        if h > 0 and hits[0, h] != hits[0, h - 1]:
            first = n_found
        start, stop = offsets[hits[2, h]], offsets[hits[2, h] + 1]
        n_found += stop - start
        if not 0 <= start <= stop <= members.size or n_found - first > members.size:
            return hits, False
    found = np.empty((3, n_found), dtype=np.int64)
    size, run = 0, 0  # codes so far, and where those of one query and distance begin
    for h in range(hits.shape[1]):
        if h > 0 and (hits[0, h] != hits[0, h - 1] or hits[1, h] != hits[1, h - 1]):
            found[2, run:size].sort()
            run = size
        start, stop = offsets[hits[2, h]], offsets[hits[2, h] + 1]
        end = size + stop - start
        found[0, size:end], found[1, size:end] = hits[0, h], hits[1, h]
        found[2, size:end] = members[start:stop]
        size = end
    found[2, run:size].sort()
    return found, True
