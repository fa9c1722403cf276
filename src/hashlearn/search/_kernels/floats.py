"""Compiled scans of float queries: the k nearest codes, and all within a radius.

The first pass counts rounded costs, plane by plane, and keeps the smallest lower bound of the keys
in each block of codes. The k-th smallest of these bounds the k-th distance from above, up to the
error of rounding; the second pass opens only blocks that may hold nearer codes, and computes exact
distances of the codes that may be nearer, by a table of 256 sums for each byte.

The loops that count get whether to add to what is there as a tuple, empty or not: the compiler
knows it from the type, and vectorises the loop.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.selection import is_behind, replace_top
from hashlearn._numerics.words import popcount
from hashlearn.search._float_plan import N_PLANES, Plan
from hashlearn.search._kernels.scan import BLOCK

CHUNK = 1 << 12  # codes counted at once in the first pass: fewer cost calls, more the cache
FAR = 1 << 61  # beyond all lower bounds
ROOT_ERROR = 1e-14  # relative, of a squared root


@compiled
def _count_1(q: np.ndarray, P: np.ndarray, A: np.ndarray, counts: np.ndarray, more: tuple) -> None:
    for i in range(A.size):
        a, count = q[0] ^ A[i], np.uint64(0)
        for p in range(N_PLANES):
            count = count + count + popcount(a & P[p, 0])
        counts[i] = counts[i] + count if len(more) else count


@compiled
def _count_2(
    q: np.ndarray,
    P: np.ndarray,
    A: np.ndarray,
    B: np.ndarray,
    counts: np.ndarray,
    more: tuple,
) -> None:
    for i in range(A.size):
        a, b, count = q[0] ^ A[i], q[1] ^ B[i], np.uint64(0)
        for p in range(N_PLANES):
            count = count + count + popcount(a & P[p, 0]) + popcount(b & P[p, 1])
        counts[i] = counts[i] + count if len(more) else count


@compiled
def _count_4(
    q: np.ndarray,
    P: np.ndarray,
    A: np.ndarray,
    B: np.ndarray,
    C: np.ndarray,
    D: np.ndarray,
    counts: np.ndarray,
    more: tuple,
) -> None:
    for i in range(A.size):
        a, b, c, d = q[0] ^ A[i], q[1] ^ B[i], q[2] ^ C[i], q[3] ^ D[i]
        count = np.uint64(0)
        for p in range(N_PLANES):
            first = popcount(a & P[p, 0]) + popcount(b & P[p, 1])
            last = popcount(c & P[p, 2]) + popcount(d & P[p, 3])
            count = count + count + first + last
        counts[i] = counts[i] + count if len(more) else count


@compiled
def _count(
    q: np.ndarray,
    P: np.ndarray,
    words: np.ndarray,
    start: int,
    stop: int,
    counts: np.ndarray,
) -> None:
    """Write the rounded costs of some codes, in steps: four words at once, then two, then one."""
    n_words = q.size
    A, B = words[0, start:stop], words[1 % n_words, start:stop]
    if n_words == 1:
        _count_1(q, P, A, counts, ())
    elif n_words < 4:
        _count_2(q, P, A, B, counts, ())
    else:
        C, D = words[2, start:stop], words[3, start:stop]
        _count_4(q, P, A, B, C, D, counts, ())
    w = 1 if n_words == 1 else 2 if n_words < 4 else 4
    while w < n_words:
        A, B = words[w, start:stop], words[(w + 1) % n_words, start:stop]
        if w + 4 <= n_words:
            C, D = words[w + 2, start:stop], words[w + 3, start:stop]
            _count_4(q[w:], P[:, w:], A, B, C, D, counts, (0,))
            w += 4
        elif w + 2 <= n_words:
            _count_2(q[w:], P[:, w:], A, B, counts, (0,))
            w += 2
        else:
            _count_1(q[w:], P[:, w:], A, counts, (0,))
            w += 1


@partial(compiled, fastmath={"contract"})
def _to_bounds(
    bounds: np.ndarray,
    levels: np.ndarray,
    per_count: float,
    per_code: float,
    scale: float,
    scale_step: float,
    per_level: float,
) -> None:
    """Turn counts into lower bounds of keys, in units."""
    for i in range(levels.size):
        level = np.float64(levels[i])
        cost = per_count * np.float64(bounds[i]) - per_code
        bounds[i] = np.int64(cost * (scale + scale_step * level) + per_level * level)


@compiled
def _bounds(
    plan: Plan,
    q: int,
    words: np.ndarray,
    levels: np.ndarray,
    start: int,
    stop: int,
    room: np.ndarray,
) -> np.ndarray:
    """Return lower bounds of the keys of some codes, in units above the offset, int64."""
    signs, planes, counts = plan.signs[q], plan.planes[q], room[: stop - start]
    _count(signs, planes, words, start, stop, counts)
    bounds = counts.view(np.int64)
    if levels.size:
        _to_bounds(
            bounds,
            levels[start:stop],
            plan.per_count[q],
            plan.per_code[q],
            plan.scale,
            plan.scale_step,
            plan.per_level[q],
        )
    return bounds


@compiled
def _smallest(bounds: np.ndarray) -> int:
    smallest = bounds[0]
    for i in range(bounds.size):
        smallest = min(smallest, bounds[i])
    return smallest


@compiled
def _write_minima(bounds: np.ndarray, minima: np.ndarray) -> None:
    """Write the smallest of each block of bounds."""
    for i in range(0, bounds.size, BLOCK):
        minima[i // BLOCK] = _smallest(bounds[i : i + BLOCK])


@compiled
def _block_minima(
    plan: Plan, words: np.ndarray, levels: np.ndarray, start: int, stop: int
) -> np.ndarray:
    """Return the (n_queries, n_blocks) smallest lower bounds in the blocks of a shard of codes."""
    n_queries = len(plan.signs)
    minima = np.empty((n_queries, (stop - start + BLOCK - 1) // BLOCK), dtype=np.int64)
    room = np.empty(CHUNK, dtype=np.uint64)
    for i in range(start, stop, CHUNK):
        first, chunk_stop = (i - start) // BLOCK, min(i + CHUNK, stop)
        for q in range(n_queries):
            bounds = _bounds(plan, q, words, levels, i, chunk_stop, room)
            _write_minima(bounds, minima[q, first:])
    return minima


@compiled
def _fill_tables(weights: np.ndarray, tables: np.ndarray) -> None:
    """Write for each byte of a code and each of its 256 values the sum of its bits' weights."""
    for b in range(len(tables)):
        table = tables[b]
        table[0] = 0.0
        for j in range(8):  # from the values of j bits to those of j + 1, the highest bit first
            weight, bit = weights[8 * b + 7 - j], 1 << j
            for value in range(bit):
                table[bit + value] = table[value] + weight


@compiled
def write_pair_costs(
    queries: np.ndarray,
    codes: np.ndarray,
    signs: np.ndarray,
    weights: np.ndarray,
    costs: np.ndarray,
) -> None:
    """Write what differing bits cost in pairs of a query, which never falls, and a packed code."""
    tables = np.empty((codes.shape[1], 256))
    for p in range(queries.size):
        q, cost = queries[p], 0.0
        if p == 0 or q != queries[p - 1]:
            _fill_tables(weights[q], tables)
        for b in range(len(tables)):
            cost += tables[b, signs[q, b] ^ codes[p, b]]
        costs[p] = cost


@compiled
def _finished(plan: Plan, key: float) -> float:
    """Return the distance of a key."""
    return np.sqrt(max(key, 0.0)) if plan.is_root else key


@compiled
def _distance(
    plan: Plan,
    q: int,
    tables: np.ndarray,
    signs: np.ndarray,
    octets: np.ndarray,
    levels: np.ndarray,
    i: int,
) -> float:
    """Return the exact distance of code i, by the operations of `FloatQueries.of_costs`."""
    cost = 0.0
    for w in range(len(octets)):
        for b in range(8):
            cost += tables[8 * w + b, signs[w, b] ^ octets[w, i, b]]
    key = cost - plan.shifts[q]
    if levels.size:
        level = np.float64(levels[i])
        key *= plan.scale + plan.scale_step * level
        key += plan.base + plan.bias_step * level
    return _finished(plan, plan.constants[q] + key)


@compiled
def _last_bound(plan: Plan, q: int, distance: float) -> int:
    """Return the largest lower bound of a key, in units, that a code at a distance may have."""
    key = distance
    if plan.is_root:
        key = distance * distance * (1.0 + ROOT_ERROR) if distance >= 0.0 else -np.inf
    bound = (key - plan.offsets[q]) / plan.units[q]
    return int(min(max(bound, -FAR), FAR)) + 1


@compiled
def _kth_smallest(values: np.ndarray, heap: np.ndarray, places: np.ndarray) -> int:
    """Return the smallest value that as many as the heap holds are at most; empties the heap."""
    for i in range(values.size):
        if values[i] < heap[0]:
            replace_top(heap, places, float(values[i]), i)
    largest = int(heap[0])
    heap[:] = np.inf
    return largest


@compiled
def scan_float_nearest(
    plan: Plan,
    words: np.ndarray,
    octets: np.ndarray,
    levels: np.ndarray,
    start: int,
    stop: int,
    k: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Find distances and positions of a shard's k nearest codes, as heaps, ties by position.

    The shard is `start` to `stop` and has at least k codes. `octets` are the bytes of the words,
    (n_words, n, 8); no levels are an empty array.
    """
    n_queries, n_words = plan.signs.shape
    n_blocks = (stop - start + BLOCK - 1) // BLOCK
    distances = np.full((n_queries, k), np.inf)
    positions = np.zeros((n_queries, k), dtype=np.int64)
    tables = np.empty((8 * n_words, 256))
    room = np.empty(BLOCK, dtype=np.uint64)
    has_minima = k <= n_blocks // 2  # they bound little otherwise
    minima = np.full((1, n_blocks), -FAR, dtype=np.int64)
    if has_minima:
        minima = _block_minima(plan, words, levels, start, stop)
    for q in range(n_queries):
        lowest = minima[q if has_minima else 0]
        signs = plan.signs[q].view(np.uint8).reshape(n_words, 8)
        heap, places = distances[q], positions[q]
        _fill_tables(plan.weights[q], tables)
        first, last = -FAR, FAR
        if has_minima:
            first = _kth_smallest(lowest, heap, places)
            key = plan.offsets[q] + plan.units[q] * first + plan.widths[q]
            last = _last_bound(plan, q, _finished(plan, key))
        for nearer in (True, False):  # blocks with the smallest minima first: they bound the rest
            for block in range(n_blocks):
                if (lowest[block] <= first) != nearer or lowest[block] > last:
                    continue
                i = start + block * BLOCK
                bounds = _bounds(plan, q, words, levels, i, min(i + BLOCK, stop), room)
                for j in range(bounds.size):
                    if bounds[j] > last:
                        continue
                    distance = _distance(plan, q, tables, signs, octets, levels, i + j)
                    if is_behind(heap[0], places[0], distance, i + j):
                        replace_top(heap, places, distance, i + j)
                        last = min(last, _last_bound(plan, q, heap[0]))
    return distances, positions


@compiled
def scan_float_within(
    plan: Plan,
    words: np.ndarray,
    octets: np.ndarray,
    levels: np.ndarray,
    start: int,
    stop: int,
    radius: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find queries, distances and positions of all codes of a shard within a radius."""
    n_queries, n_words = plan.signs.shape
    tables = np.empty((8 * n_words, 256))
    room = np.empty(BLOCK, dtype=np.uint64)
    found = np.empty((2, BLOCK), dtype=np.int64)
    distances = np.empty(BLOCK)
    size = 0
    for q in range(n_queries):
        signs = plan.signs[q].view(np.uint8).reshape(n_words, 8)
        _fill_tables(plan.weights[q], tables)
        last = _last_bound(plan, q, radius)
        for i in range(start, stop, BLOCK):
            bounds = _bounds(plan, q, words, levels, i, min(i + BLOCK, stop), room)
            if _smallest(bounds) > last:
                continue
            if size + BLOCK > distances.size:
                found = np.concatenate((found, np.empty_like(found)), axis=1)
                distances = np.concatenate((distances, np.empty_like(distances)))
            for j in range(bounds.size):
                if bounds[j] <= last:
                    distance = _distance(plan, q, tables, signs, octets, levels, i + j)
                    if distance <= radius:
                        found[0, size], found[1, size] = q, i + j
                        distances[size] = distance
                        size += 1
    return found[0, :size].copy(), distances[:size].copy(), found[1, :size].copy()
