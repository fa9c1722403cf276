"""Compiled loops over buckets: items that share a code."""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled


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
        False if the buckets do not hold k codes or exceed `members`: a damaged file.
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
    second value is False if the buckets exceed `members` or overlap: a damaged file.
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
