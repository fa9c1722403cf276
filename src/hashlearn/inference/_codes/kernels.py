"""Compiled moves of whole codes, where all classes are dissimilar and the loss is quadratic.

Given all others, the code z of one class costs z^T R z + 2 m r^T z, R = sum_h w_h z_h z_h^T and
r = sum_h w_h z_h over the other classes: a problem in m bits, whatever the number of classes.
Distances are those of codes packed into words of 64 bits.
"""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn.inference._kernels import row_dot

TOLERANCE = 1e-9  # a gain below this part of the cost is rounding
MAX_PAIRED_BITS = 256  # above, bits are flipped one at a time: all pairs cost m^2 per flip

_PAIRS = np.uint64(0x5555555555555555)
_FOURS = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_ONES = np.uint64(0x0101010101010101)
_1, _2, _4, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@compiled
def _count_bits(word: np.uint64) -> np.uint64:
    """Return the number of bits set, in the form that compilers know as one instruction."""
    word = word - ((word >> _1) & _PAIRS)
    word = (word & _FOURS) + ((word >> _2) & _FOURS)
    return (((word + (word >> _4)) & _BYTES) * _ONES) >> _56


@compiled
def distances_from(words: np.ndarray, word: np.ndarray, distances: np.ndarray) -> None:
    """Set the Hamming distance of every code from one."""
    for i in range(distances.size):
        distances[i] = _count_bits(words[i, 0] ^ word[0])
    for part in range(1, word.size):
        for i in range(distances.size):
            distances[i] += _count_bits(words[i, part] ^ word[part])


@compiled
def nearest_distances(words: np.ndarray, nearest: np.ndarray) -> None:
    """Set for every code the distance of the nearest other."""
    distances = np.empty(nearest.size, dtype=np.int64)
    for i in range(nearest.size):
        distances_from(words, words[i], distances)
        distances[i] = 64 * words.shape[1]
        nearest[i] = distances.min()


@compiled
def visit_codes(
    Z: np.ndarray,
    words: np.ndarray,
    weights: np.ndarray,
    order: np.ndarray,
    R: np.ndarray,
    r: np.ndarray,
    level: int,
    slack: float,
) -> tuple[float, int, int]:
    """Move codes, one at a time, to where they cost less, at least `level` from all others.

    A code that is nearer than that to another is moved away from it, if the objective stays
    within the slack. `R` and `r` are over all classes, and are kept so; the part of the moved
    class itself is subtracted where they are read, which costs less than removing it.

    Returns
    -------
    slack : float
        How much the objective may rise now; gains are added.
    n_moved, n_near : int
        The numbers of codes that were moved, and that stay too near to another.
    """
    n, m = Z.shape
    z, word, product = np.empty(m), np.empty(words.shape[1], dtype=np.uint64), np.empty(m)
    distances, near = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    n_moved, n_near = 0, 0
    for g in order:
        z[:], word[:] = Z[g], words[g]
        set_product(Z, weights, g, R, r, product)
        cost, was_near = 0.0, False
        if level > 0:
            n_close = _list_near(words, word, g, level, distances, near)
            was_near = _violation(distances, near[:n_close], level) > 0
        if was_near:
            cost += _move_away(Z, words, weights, g, z, word, R, product, level, distances, near)
        is_apart = level == 0 or not was_near or _is_apart(words, word, g, level, distances, near)
        if is_apart:
            cost += _settle(Z, words, weights, g, z, word, R, product, level, distances, near)
        if is_apart and 2 * weights[g] * cost <= slack and (cost < 0 or was_near):
            slack -= 2 * weights[g] * cost
            replace_code(Z[g], z, weights[g], R, r)
            words[g] = word
            n_moved += 1
        elif was_near:
            n_near += 1
    return slack, n_moved, n_near


@compiled
def _list_near(
    words: np.ndarray,
    word: np.ndarray,
    own: int,
    level: int,
    distances: np.ndarray,
    near: np.ndarray,
) -> int:
    """List the other codes at most `level` away: one flip can bring these nearer than that."""
    distances_from(words, word, distances)
    distances[own] = level + 1
    count = 0
    for i in range(distances.size):
        if distances[i] <= level:
            near[count] = i
            count += 1
    return count


@compiled
def _violation(distances: np.ndarray, near: np.ndarray, level: int) -> int:
    """Return by how much listed codes are too near, in all."""
    total = 0
    for h in near:
        total += max(0, level - distances[h])
    return total


@compiled
def _is_apart(
    words: np.ndarray,
    word: np.ndarray,
    own: int,
    level: int,
    distances: np.ndarray,
    near: np.ndarray,
) -> bool:
    count = _list_near(words, word, own, level, distances, near)
    return _violation(distances, near[:count], level) == 0


@compiled
def _violation_after(
    Z: np.ndarray, z_k: float, k: int, distances: np.ndarray, near: np.ndarray, level: int
) -> int:
    """Return by how much codes would be too near if bit k were flipped."""
    total = 0
    for h in near:
        distance = distances[h] + (1 if Z[h, k] == z_k else -1)
        total += max(0, level - distance)
    return total


@compiled
def _move_away(
    Z: np.ndarray,
    words: np.ndarray,
    weights: np.ndarray,
    g: int,
    z: np.ndarray,
    word: np.ndarray,
    R: np.ndarray,
    product: np.ndarray,
    level: int,
    distances: np.ndarray,
    near: np.ndarray,
) -> float:
    """Flip bits until no code is too near, or none helps; the cheapest of the best ones."""
    cost, total = 0.0, R[0, 0] - weights[g]
    for _ in range(2 * z.size):
        close = near[: _list_near(words, word, g, level, distances, near)]
        least = _violation(distances, close, level)
        if least == 0:
            break
        best, best_gain = -1, 0.0
        for k in range(z.size):
            violation = _violation_after(Z, z[k], k, distances, close, level)
            gain = gain_of(z, product, total, k)
            if violation < least or (best >= 0 and violation == least and gain > best_gain):
                best, least, best_gain = k, violation, gain
        if best < 0:
            break
        cost += flip_bit(z, word, product, R, Z[g], weights[g], best)
    return cost


@compiled
def _settle(
    Z: np.ndarray,
    words: np.ndarray,
    weights: np.ndarray,
    g: int,
    z: np.ndarray,
    word: np.ndarray,
    R: np.ndarray,
    product: np.ndarray,
    level: int,
    distances: np.ndarray,
    near: np.ndarray,
) -> float:
    """Flip the bit that saves most, while one does and no code comes too near.

    Without a level, where it is quick, two bits are flipped where one alone does not save.
    """
    cost = 0.0
    for _ in range(4 * z.size):
        close = near[:0]
        if level > 0:
            close = near[: _list_near(words, word, g, level, distances, near)]
        first, second = _best_flips(Z, g, z, R, product, weights[g], level, distances, close)
        if first < 0:
            break
        cost += flip_bit(z, word, product, R, Z[g], weights[g], first)
        if second >= 0:
            cost += flip_bit(z, word, product, R, Z[g], weights[g], second)
    return cost


@compiled
def _best_flips(
    Z: np.ndarray,
    g: int,
    z: np.ndarray,
    R: np.ndarray,
    product: np.ndarray,
    weight: float,
    level: int,
    distances: np.ndarray,
    close: np.ndarray,
) -> tuple[int, int]:
    """Return the bit that saves most if flipped, or else the two; -1 for none."""
    first, second, best = -1, -1, TOLERANCE * np.abs(product).sum()
    own, total = Z[g], R[0, 0] - weight
    for k in range(z.size):
        gain = gain_of(z, product, total, k)
        if gain > best and _violation_after(Z, z[k], k, distances, close, level) == 0:
            first, best = k, gain
    if first >= 0 or level > 0 or z.size > MAX_PAIRED_BITS:
        return first, second
    for k in range(z.size):
        gain = gain_of(z, product, total, k)
        for j in range(k):
            of_others = R[k, j] - weight * own[k] * own[j]
            both = gain + gain_of(z, product, total, j) - 2 * z[k] * z[j] * of_others
            if both > best:
                first, second, best = k, j, both
    return first, second


@compiled
def set_product(
    Z: np.ndarray, weights: np.ndarray, g: int, R: np.ndarray, r: np.ndarray, product: np.ndarray
) -> None:
    """Set R z + m r for the code z of one class, R and r over the other classes."""
    n, m = Z.shape
    own = Z[g].astype(np.float64)
    if n < m:  # then codes are shorter to read than R
        product[:] = 0
        for h in range(n):
            _add_multiple(Z[h], weights[h] * row_dot(Z[h], own), product)
    else:
        product[:] = R @ own
    for k in range(m):
        product[k] += m * r[k] - 2 * m * weights[g] * own[k]


@compiled
def gain_of(z: np.ndarray, product: np.ndarray, total: float, k: int) -> float:
    """Return a quarter of what flipping bit k saves; `product` is R z + m r, `total` R_kk."""
    return z[k] * product[k] - total


@compiled
def flip_bit(
    z: np.ndarray,
    word: np.ndarray,
    product: np.ndarray,
    R: np.ndarray,
    own: np.ndarray,
    weight: float,
    k: int,
) -> float:
    """Flip bit k; return the change of the cost. R holds the class's `own` code too."""
    change = -4 * gain_of(z, product, R[k, k] - weight, k)
    of_own = weight * own[k]
    for j in range(z.size):
        product[j] -= 2 * z[k] * (R[k, j] - of_own * own[j])
    z[k] = -z[k]
    word[k // 64] ^= np.uint64(1) << np.uint64(k % 64)
    return change


@compiled
def replace_code(
    own: np.ndarray, z: np.ndarray, weight: float, R: np.ndarray, r: np.ndarray
) -> None:
    """Give a class another code, also in R and r."""
    for k in range(z.size):
        if own[k] != z[k]:
            r[k] += 2 * weight * z[k]
            own[k] = -own[k]
            _add_multiple(own, 2 * weight * z[k], R[k])
            R[k, k] -= 2 * weight
            R[:, k] = R[k]


@compiled
def _add_multiple(z: np.ndarray, factor: float, out: np.ndarray) -> None:
    for k in range(out.size):
        out[k] += factor * z[k]
