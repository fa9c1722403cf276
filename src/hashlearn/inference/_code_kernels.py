"""Compiled moves of whole codes, where all classes are dissimilar and the loss is quadratic.

Given all others, the code z of one class costs z^T R z + 2 m r^T z, R = sum_h w_h z_h z_h^T and
r = sum_h w_h z_h over the other classes: a problem in m bits, whatever the number of classes.
Distances are those of codes packed into words of 64 bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.integer_products import row_dot
from hashlearn._numerics.words import popcount

TOLERANCE = 1e-9  # a gain below this part of the cost is rounding
MAX_PAIRED_BITS = 256  # above, bits are flipped one at a time: all pairs cost m^2 per flip


class Codes(NamedTuple):
    """The codes of all classes, and R and r over all of them.

    A class's own part is subtracted where R and r are read, which costs less than removing it.
    """

    Z: np.ndarray
    words: np.ndarray
    weights: np.ndarray
    R: np.ndarray
    r: np.ndarray


class Trial(NamedTuple):
    """A code that class g may get: its signs, its words, and R z + m r over the other classes."""

    g: int
    z: np.ndarray
    word: np.ndarray
    product: np.ndarray


class Near(NamedTuple):
    """The distances of all codes from a trial, and room to list those that are too near."""

    level: int
    distances: np.ndarray
    listed: np.ndarray


@compiled
def distances_from(words: np.ndarray, word: np.ndarray, distances: np.ndarray) -> None:
    """Set the Hamming distance of every code from one."""
    for i in range(distances.size):
        distances[i] = popcount(words[i, 0] ^ word[0])
    for part in range(1, word.size):
        for i in range(distances.size):
            distances[i] += popcount(words[i, part] ^ word[part])


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
    codes: Codes, order: np.ndarray, level: int, slack: float
) -> tuple[float, int, int]:
    """Move codes, one at a time, to where they cost less, at least `level` from all others.

    A code that is nearer than that to another is moved away from it, if the objective stays
    within the slack: what it may rise, to which gains are added. Returns the new slack, the
    number of codes that were moved, and of those that stay too near to another.
    """
    Z, words, weights = codes.Z, codes.words, codes.weights
    n, m = Z.shape
    z, word, product = np.empty(m), np.empty(words.shape[1], dtype=np.uint64), np.empty(m)
    near = Near(level, np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64))
    n_moved, n_near = 0, 0
    for g in order:
        z[:], word[:] = Z[g], words[g]
        trial = Trial(g, z, word, product)
        _set_product(codes, trial)
        cost = 0.0
        was_near = level > 0 and _violation(near, _list_near(words, trial, near)) > 0
        is_apart = True
        if was_near:
            cost += _move_away(codes, trial, near)
            is_apart = _violation(near, _list_near(words, trial, near)) == 0
        if is_apart:
            cost += _settle(codes, trial, near)
        if is_apart and 2 * weights[g] * cost <= slack and (cost < 0 or was_near):
            slack -= 2 * weights[g] * cost
            _replace_code(codes, trial)
            n_moved += 1
        elif was_near:
            n_near += 1
    return slack, n_moved, n_near


@compiled
def _list_near(words: np.ndarray, trial: Trial, near: Near) -> np.ndarray:
    """List the other codes at most `level` away: one flip can bring these nearer than that."""
    distances, level = near.distances, near.level
    distances_from(words, trial.word, distances)
    distances[trial.g] = level + 1
    count = 0
    for i in range(distances.size):
        if distances[i] <= level:
            near.listed[count] = i
            count += 1
    return near.listed[:count]


@compiled
def _violation(near: Near, close: np.ndarray) -> int:
    """Return the sum of how much listed codes are too near."""
    total = 0
    for h in close:
        total += max(0, near.level - near.distances[h])
    return total


@compiled
def _violation_after(Z: np.ndarray, z_k: float, k: int, near: Near, close: np.ndarray) -> int:
    """Return how much codes would be too near if bit k were flipped."""
    total = 0
    for h in close:
        distance = near.distances[h] + (1 if Z[h, k] == z_k else -1)
        total += max(0, near.level - distance)
    return total


@compiled
def _move_away(codes: Codes, trial: Trial, near: Near) -> float:
    """Flip bits until no code is too near, or none helps; the cheapest of the best ones."""
    z, total = trial.z, codes.R[0, 0] - codes.weights[trial.g]
    cost = 0.0
    for _ in range(2 * z.size):
        close = _list_near(codes.words, trial, near)
        least = _violation(near, close)
        if least == 0:
            break
        best, best_gain = z.size, 0.0
        for k in range(z.size):
            violation = _violation_after(codes.Z, z[k], k, near, close)
            gain = _gain(trial, total, k)
            if violation < least or (best < z.size and violation == least and gain > best_gain):
                best, least, best_gain = k, violation, gain
        if best == z.size:
            break
        cost += _flip(codes, trial, best)
    return cost


@compiled
def _settle(codes: Codes, trial: Trial, near: Near) -> float:
    """Flip the bit that saves most, while one does and no code comes too near.

    Without a level, where it is quick, two bits are flipped where one alone does not save.
    """
    cost = 0.0
    for _ in range(4 * trial.z.size):
        close = near.listed[:0]
        if near.level > 0:
            close = _list_near(codes.words, trial, near)
        first, second = _best_flips(codes, trial, near, close)
        if first < 0:
            break
        cost += _flip(codes, trial, first)
        if second >= 0:
            cost += _flip(codes, trial, second)
    return cost


@compiled
def _best_flips(codes: Codes, trial: Trial, near: Near, close: np.ndarray) -> tuple[int, int]:
    """Return the bit that saves most if flipped, or else the two; -1 for none."""
    Z, R, z, weight = codes.Z, codes.R, trial.z, codes.weights[trial.g]
    first, second, best = -1, -1, TOLERANCE * np.abs(trial.product).sum()
    own, total = Z[trial.g], R[0, 0] - weight
    for k in range(z.size):
        gain = _gain(trial, total, k)
        if gain > best and _violation_after(Z, z[k], k, near, close) == 0:
            first, best = k, gain
    if first >= 0 or near.level > 0 or z.size > MAX_PAIRED_BITS:
        return first, second
    for k in range(z.size):
        gain = _gain(trial, total, k)
        for j in range(k):
            of_others = R[k, j] - weight * own[k] * own[j]
            both = gain + _gain(trial, total, j) - 2 * z[k] * z[j] * of_others
            if both > best:
                first, second, best = k, j, both
    return first, second


@compiled
def _set_product(codes: Codes, trial: Trial) -> None:
    """Set R z + m r for the present code z of a class, R and r over the other classes."""
    Z, weights, product = codes.Z, codes.weights, trial.product
    n, m = Z.shape
    own = Z[trial.g].astype(np.float64)
    if n < m:  # then codes are shorter to read than R
        product[:] = 0
        for h in range(n):
            _add_multiple(Z[h], weights[h] * row_dot(Z[h], own), product)
    else:
        product[:] = codes.R @ own
    for k in range(m):
        product[k] += m * codes.r[k] - 2 * m * weights[trial.g] * own[k]


@compiled
def _gain(trial: Trial, total: float, k: int) -> float:
    """Return a quarter of what flipping bit k saves; `total` is R_kk over the other classes."""
    return trial.z[k] * trial.product[k] - total


@compiled
def _flip(codes: Codes, trial: Trial, k: int) -> float:
    """Flip bit k of the trial; return the change of the cost."""
    R, own, weight, z = codes.R, codes.Z[trial.g], codes.weights[trial.g], trial.z
    change = -4 * _gain(trial, R[k, k] - weight, k)
    of_own = weight * own[k]
    for j in range(z.size):
        trial.product[j] -= 2 * z[k] * (R[k, j] - of_own * own[j])
    z[k] = -z[k]
    trial.word[k // 64] ^= np.uint64(1) << np.uint64(k % 64)
    return change


@compiled
def _replace_code(codes: Codes, trial: Trial) -> None:
    """Give a class the code of the trial, also in R and r."""
    R, own, weight, z = codes.R, codes.Z[trial.g], codes.weights[trial.g], trial.z
    for k in range(z.size):
        if own[k] != z[k]:
            codes.r[k] += 2 * weight * z[k]
            own[k] = -own[k]
            _add_multiple(own, 2 * weight * z[k], R[k])
            R[k, k] -= 2 * weight
            R[:, k] = R[k]
    codes.words[trial.g] = trial.word


@compiled
def _add_multiple(z: np.ndarray, factor: float, out: np.ndarray) -> None:
    for k in range(out.size):
        out[k] += factor * z[k]
