r"""Compiled search for the signs s in {-1, +1}^m that a decoder turns into a given vector.

For a decoder W the error :math:`|x - \mu - W s|^2` is quadratic in s. With h = W^T (x - mu) and
G = W^T W, flipping bit k costs 4 c_k, where c_k = s_k h_k - sum over j != k of s_k G_kj s_j; and it
changes the cost of every other bit j by 2 s_j s_k G_kj. So a flip is one pass over m numbers that
stay in the fastest cache.

The search is tabu search: it flips the cheapest bit even if the error rises, but none of the last
few again, and remembers the best signs. It leaves local optima at which plain descent stops.
"""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled

EQUAL = np.float32(1e-6)  # of the largest cost: what rounding may put between equal errors
TENURE = 6  # flips for which a flipped bit rests, of many bits; chosen on training items
RESTING = np.float32(1e30)  # added to the cost of a bit that rests
INDEX_BITS = 12  # of a key; up to 4,096 bits
SIGN = np.int32(31)
POSITIVE = np.int32(0x7FFFFFFF)
INDEX = np.int32((1 << INDEX_BITS) - 1)
VALUE = np.int32(~((1 << INDEX_BITS) - 1))


@compiled
def _add_fields(signs: np.ndarray, couplings: np.ndarray, costs: np.ndarray) -> None:
    """Turn fields h into costs of flips."""
    for k in range(signs.size):
        row, half = couplings[k], np.float32(0.5) * signs[k]
        for j in range(signs.size):
            costs[j] -= half * row[j]
    for j in range(signs.size):
        costs[j] *= signs[j]


@compiled
def _flip(costs: np.ndarray, signs: np.ndarray, row: np.ndarray, sign: float) -> None:
    """Change the costs of all bits by the flip of one that had the given sign."""
    for j in range(costs.size):
        costs[j] += sign * signs[j] * row[j]


@compiled
def _cheapest(costs: np.ndarray, rest: np.ndarray, sums: np.ndarray, ordered: np.ndarray) -> int:
    """Return the bit of the smallest cost, among those that do not rest.

    Costs are compared as integers of the same order whose last digits hold the bit: the smallest
    names its bit, and the compiler vectorises the search. `ordered` are the digits of `sums`.
    """
    for j in range(costs.size):
        sums[j] = costs[j] + rest[j]
    smallest = POSITIVE
    for j in range(ordered.size):
        digits = ordered[j]
        digits = digits ^ ((digits >> SIGN) & POSITIVE)
        smallest = min(smallest, (digits & VALUE) | np.int32(j))
    return int(smallest & INDEX)


@compiled
def _descend(
    signs: np.ndarray,
    couplings: np.ndarray,
    costs: np.ndarray,
    rest: np.ndarray,
    sums: np.ndarray,
    ordered: np.ndarray,
) -> None:
    """Flip the cheapest bit while that lowers the error."""
    rest[:] = 0.0
    for _ in range(64 * signs.size):  # rounding cannot make it go in circles for ever
        k = _cheapest(costs, rest, sums, ordered)
        cost = costs[k]
        if not cost < 0.0:
            break
        _flip(costs, signs, couplings[k], signs[k])
        costs[k], signs[k] = -cost, -signs[k]


@compiled
def search_signs(
    fields: np.ndarray, signs: np.ndarray, couplings: np.ndarray, patience: int
) -> None:
    """Improve the (n, m) signs of items, and turn their fields h into margins.

    `couplings` are 2 G with zeros on the diagonal. The search of an item ends after `patience`
    flips without a new best. At the end no single flip lowers an item's error, and a margin,
    h_k - sum over j != k of G_kj s_j, has the sign of its bit.
    """
    n, m = signs.shape
    rest, sums, best = np.empty(m, np.float32), np.empty(m, np.float32), np.empty(m, np.float32)
    best_costs = np.empty(m, np.float32)
    ordered = sums.view(np.int32)
    flipped = np.empty(max(1, min(TENURE, m // 4)), np.int64)
    for i in range(n):
        s, costs = signs[i], fields[i]
        _add_fields(s, couplings, costs)
        _descend(s, couplings, costs, rest, sums, ordered)
        best[:], best_costs[:] = s, costs
        flipped[:] = -1
        gain = EQUAL * max(np.float32(1), np.max(np.abs(costs)))
        change, lowest, since, step = np.float32(0), np.float32(0), 0, 0
        while since < patience:
            k = _cheapest(costs, rest, sums, ordered)
            cost = costs[k]
            if flipped[step] >= 0:
                rest[flipped[step]] = 0.0
            flipped[step], rest[k] = k, RESTING
            step = (step + 1) % flipped.size
            change += cost
            _flip(costs, s, couplings[k], s[k])
            costs[k], s[k] = -cost, -s[k]
            since += 1
            if change < lowest - gain:
                lowest, since = change, 0
                best[:], best_costs[:] = s, costs
        s[:], costs[:] = best, best_costs
        _descend(s, couplings, costs, rest, sums, ordered)
        for j in range(m):
            costs[j] = s[j] * max(costs[j], np.float32(1e-30))
