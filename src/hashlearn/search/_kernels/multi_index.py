"""Compiled loops over tables that list codes by the values of their substrings.

Codes are cut into m substrings, each with a table. Step s = m * ring + t looks into table t for
the substrings that differ from the query's in `ring` bits. A code that the steps 0 to s did not
find differs in more than `ring` bits of the substrings 0 to t, and in at least `ring` bits of the
others: its distance is more than s. So after step s all codes within distance s are found.

A step reads in three passes: look-ups, positions, codes. No read of a pass depends on another, so
the memory serves many at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.words import popcount

OVER_BUDGET, DAMAGED = -1, -2  # instead of a number of hits
POSITION_BITS = np.uint64(32)  # a hit is one number: its distance, then its position


class Tables(NamedTuple):
    """Codes and the tables of their substrings.

    The codes with value v of substring t are at ``items[t, starts[t, v]:starts[t, v + 1]]``.
    """

    words: np.ndarray  # (n_words, n), uint64
    starts: np.ndarray  # (n_tables, 2^width + 1), uint32
    items: np.ndarray  # (n_tables, n), uint32: positions of codes, increasing for each value
    bounds: np.ndarray  # (n_tables + 1,), int64: substring t has the bits bounds[t]:bounds[t + 1]


class Room(NamedTuple):
    """Memory for the work on one query, in whose size its budget is counted."""

    values: np.ndarray  # the query's substrings
    ranges: np.ndarray  # of the items under each substring looked up
    candidates: np.ndarray
    hits: np.ndarray
    counts: np.ndarray  # hits at each distance


@compiled
def _substring(words: np.ndarray, i: int, first: int, stop: int) -> np.uint64:
    """Return some bits of a code, at most 64."""
    shift = np.uint64(first % 64)
    value = words[first // 64, i] >> shift
    if first // 64 < (stop - 1) // 64:
        value |= words[first // 64 + 1, i] << (np.uint64(64) - shift)
    return value & ((np.uint64(1) << np.uint64(stop - first)) - np.uint64(1))


@compiled
def fill_table(tables: Tables, t: int) -> None:
    """Fill the table of one substring: a counting sort, positions increasing for each value."""
    words, starts, items = tables.words, tables.starts[t], tables.items[t]
    first, stop = tables.bounds[t], tables.bounds[t + 1]
    values = np.empty(items.size, dtype=np.uint32)
    starts[:] = 0
    for i in range(items.size):
        values[i] = _substring(words, i, first, stop)
        starts[values[i]] += np.uint32(1)
    end = np.uint32(0)
    for v in range(starts.size):
        end += starts[v]
        starts[v] = end
    for i in range(items.size - 1, -1, -1):  # backwards, each end moves to its start
        starts[values[i]] -= np.uint32(1)
        items[starts[values[i]]] = i


@compiled
def _binomial(n: int, k: int) -> int:
    count = 1
    for i in range(k):
        count = count * (n - i) // (i + 1)
    return count


@compiled
def _next_mask(mask: np.uint64) -> np.uint64:
    """Return the next larger number with as many bits set (Gosper), of one that has some."""
    lowest = mask & (~mask + np.uint64(1))
    carried = mask + lowest
    return carried | ((mask ^ carried) >> np.uint64(2) >> popcount(lowest - np.uint64(1)))


@compiled
def _look_up(
    value: np.uint64, ring: int, n_masks: int, starts: np.ndarray, ranges: np.ndarray
) -> None:
    """Write the ranges of items under all values that differ in `ring` bits."""
    mask = (np.uint64(1) << np.uint64(ring)) - np.uint64(1)
    for b in range(n_masks):
        ranges[0, b] = starts[value ^ mask]
        ranges[1, b] = starts[(value ^ mask) + np.uint64(1)]
        if b + 1 < n_masks:
            mask = _next_mask(mask)


@compiled
def _list_candidates(
    ranges: np.ndarray, n_ranges: int, items: np.ndarray, candidates: np.ndarray
) -> int:
    """Write the items of some ranges; return their number, OVER_BUDGET or DAMAGED."""
    size = 0
    for b in range(n_ranges):
        start, stop = np.int64(ranges[0, b]), np.int64(ranges[1, b])
        if not start <= stop <= items.size:
            return DAMAGED
        if size + stop - start > candidates.size:
            return OVER_BUDGET
        for i in range(start, stop):
            candidates[size] = items[i]
            size += 1
    for c in range(size):
        if candidates[c] >= items.size:
            return DAMAGED
    return size


@compiled
def _is_found_now(tables: Tables, i: int, values: np.ndarray, ring: int, table: int) -> bool:
    """Return whether this step is the first to find a code."""
    for t in range(values.size):
        value = _substring(tables.words, i, tables.bounds[t], tables.bounds[t + 1])
        distance = np.int64(popcount(value ^ values[t]))
        if distance < ring or (distance == ring and t < table):
            return False
    return True


@compiled
def _kth_distance(counts: np.ndarray, k: int, limit: int) -> int:
    """Return the k-th smallest counted distance if it is below a limit, and the limit if not."""
    n_below = 0
    for distance in range(limit):
        n_below += counts[distance]
        if n_below >= k:
            return distance
    return limit


@compiled
def _sort_hits(hits: np.ndarray, size: int, limit: int) -> int:
    """Bring the hits up to a distance to the front, in order; return their number."""
    n_near = 0
    for h in range(size):
        if np.int64(hits[h] >> POSITION_BITS) <= limit:
            hits[n_near] = hits[h]
            n_near += 1
    hits[:n_near].sort()
    return n_near


@compiled
def _search_query(
    queries: np.ndarray, q: int, tables: Tables, k: int, radius: int, room: Room
) -> tuple[int, int]:
    """Write the k nearest hits of a query within a radius; return their number and the cost."""
    words, bounds, values, hits = tables.words, tables.bounds, room.values, room.hits
    (n_words, n), n_tables, left = words.shape, values.size, room.candidates.size
    candidate_cost = n_words + 1
    for t in range(n_tables):
        values[t] = _substring(queries, q, bounds[t], bounds[t + 1])
    room.counts[:] = 0
    step, size, limit = 0, 0, radius  # the limit falls to the k-th distance found so far
    while step <= limit:
        ring, t = step // n_tables, step % n_tables
        width = bounds[t + 1] - bounds[t]
        n_masks = _binomial(width, ring)
        n_ahead = min(n_tables - t, limit - step + 1)  # a ring is begun if it can be finished
        if n_ahead * n_masks * (1 + candidate_cost * n / (1 << width)) > left:
            return OVER_BUDGET, room.candidates.size - left
        _look_up(values[t], ring, n_masks, tables.starts[t], room.ranges)
        left -= n_masks
        n_candidates = _list_candidates(
            room.ranges, n_masks, tables.items[t], room.candidates[: left // candidate_cost]
        )
        if n_candidates < 0:
            return n_candidates, room.candidates.size
        left -= candidate_cost * n_candidates
        for c in range(n_candidates):
            i = int(room.candidates[c])
            distance = np.uint64(0)
            for w in range(n_words):
                distance += popcount(queries[w, q] ^ words[w, i])
            if np.int64(distance) <= limit and _is_found_now(tables, i, values, ring, t):
                hits[size] = (distance << POSITION_BITS) | np.uint64(i)
                room.counts[distance] += 1
                size += 1
        limit = _kth_distance(room.counts, k, limit)
        step += 1
    return min(k, _sort_hits(hits, size, limit)), room.candidates.size - left


@compiled
def search_tables(
    queries: np.ndarray, tables: Tables, k: int, radius: int, budget: int, vain_budget: int
) -> tuple[np.ndarray, np.ndarray]:
    """Find the k nearest codes within a radius of (n_words, n_queries) queries.

    Return per query the number found, OVER_BUDGET, or DAMAGED if the tables are inconsistent, and
    the hits of one query after the other, by distance, then by position. `budget` limits the random
    reads of a query: one for a look-up, one for a candidate, one for each of its words.
    `vain_budget` limits those of all queries over their budgets, in addition to what the others
    left of theirs; after that, no more queries are tried.
    """
    n_queries, n_words = queries.shape[1], queries.shape[0]
    room = Room(
        np.empty(tables.items.shape[0], dtype=np.uint64),
        np.empty((2, budget), dtype=np.uint32),
        np.empty(budget, dtype=np.uint32),
        np.empty(budget, dtype=np.uint64),
        np.empty(64 * n_words + 1, dtype=np.int64),
    )
    sizes = np.full(n_queries, OVER_BUDGET, dtype=np.int64)
    found = np.empty(n_queries, dtype=np.uint64)
    n_found = 0
    for q in range(n_queries):
        if vain_budget < 0:
            break
        size, cost = _search_query(queries, q, tables, k, radius, room)
        sizes[q] = size
        if size < 0:
            vain_budget -= cost
            continue
        vain_budget += budget - cost
        if n_found + size > found.size:
            larger = np.empty(2 * (n_found + size), dtype=np.uint64)
            larger[:n_found] = found[:n_found]
            found = larger
        found[n_found : n_found + size] = room.hits[:size]
        n_found += size
    return sizes, found[:n_found].copy()
