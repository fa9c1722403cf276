"""Binary reconstructive embedding: pairs, and exact coordinate descent over coefficients.

The sampled pairs are the entries of a symmetric CSR matrix (`indptr`, `indices`), each pair
stored twice. For one bit only `price` matters: how much more a pair costs if its items differ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils.random import sample_without_replacement

from hashlearn._numerics.compiled import compiled
from hashlearn._progress import track

_PARTNERS = 50  # per item at least: 5 percent of the published 1,000 items


class TargetPairs(NamedTuple):
    """Pairs of items, each once, and the distance, from 0 to 1, that their codes should have."""

    i: np.ndarray
    j: np.ndarray
    distance: np.ndarray


def pair_count(n_items: int, share: float) -> int:
    """Return the number of pairs to draw: a share of all, at least 50 partners per item."""
    n_all = n_items * (n_items - 1) // 2
    return min(n_all, max(round(share * n_all), _PARTNERS * n_items // 2))


def draw_distinct_pairs(
    n_items: int, n_pairs: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Draw pairs {i, j} of different positions, no pair twice."""
    n_all = n_items * (n_items - 1) // 2
    number = sample_without_replacement(n_all, n_pairs, random_state=random_state)
    # i and the item 1, 2, ... places after it, in a circle, enumerate each pair once
    i = number % n_items
    return i, (i + number // n_items + 1) % n_items


def descend(
    W: np.ndarray, K: np.ndarray, pairs: TargetPairs, max_iter: int, tol: float, verbose: int
) -> tuple[np.ndarray, bool]:
    """Improve the coefficients W, in place, until a round gains less than a share `tol`.

    W is (n_bits, n_anchors), and K holds the (n_bits, n_anchors, n_items) kernel values. Returns
    the error at the start and after every bit, and whether it converged.
    """
    n_bits, n_items = W.shape[0], K.shape[2]
    margins = np.einsum("kq,kqn->kn", W, K)
    indptr, indices, distance = _as_graph(pairs, n_items)
    residual, same = distance, np.zeros(n_items, dtype=bool)
    for f in margins:
        move_residuals(indptr, indices, residual, same, f > 0, n_bits)
    history = [residual @ residual / 2]
    converged = False
    for _ in track(range(max_iter), "BRE: rounds", max_iter, verbose):
        before = history[-1]
        for k in range(n_bits):
            old = margins[k] > 0
            price = pair_prices(indptr, indices, residual, old, n_bits)
            descend_bit(indptr, indices, price, K[k], W[k], margins[k])
            move_residuals(indptr, indices, residual, old, margins[k] > 0, n_bits)
            history.append(residual @ residual / 2)
        if converged := bool(before - history[-1] <= tol * before):
            break
    return np.array(history), converged


def _as_graph(pairs: TargetPairs, n_items: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the pairs as the rows of a symmetric CSR matrix: starts, columns, distances."""
    i, j = np.concatenate((pairs.i, pairs.j)), np.concatenate((pairs.j, pairs.i))
    order = np.argsort(i, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(i, minlength=n_items))))
    return indptr, j[order].astype(np.int32), np.tile(pairs.distance, 2)[order].astype(np.float64)


@compiled
def pair_prices(
    indptr: np.ndarray, indices: np.ndarray, residual: np.ndarray, z: np.ndarray, n_bits: int
) -> np.ndarray:
    """Return (r - 1/m)^2 - r^2 per pair, r its residual d - d_Hamming / m over the other bits."""
    price = np.empty(residual.size)
    for i in range(z.size):
        for e in range(indptr[i], indptr[i + 1]):
            r = residual[e] + (1.0 / n_bits if z[i] != z[indices[e]] else 0.0)
            price[e] = (1.0 / n_bits - 2.0 * r) / n_bits
    return price


@compiled
def move_residuals(
    indptr: np.ndarray,
    indices: np.ndarray,
    residual: np.ndarray,
    old: np.ndarray,
    new: np.ndarray,
    n_bits: int,
) -> None:
    """Update the residuals, in place, from the old signs of a bit to the new ones."""
    for i in range(old.size):
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            change = (old[i] != old[j]) * 1.0 - (new[i] != new[j]) * 1.0
            residual[e] += change / n_bits


@compiled
def descend_bit(
    indptr: np.ndarray,
    indices: np.ndarray,
    price: np.ndarray,
    K: np.ndarray,
    w: np.ndarray,
    f: np.ndarray,
) -> None:
    """Minimise the cost of one bit over each of its coefficients in turn, in place.

    K holds the (n_anchors, n) kernel values, w the coefficients, and f = w K the margins.
    """
    z = f > 0
    for q in range(w.size):
        step = best_step(indptr, indices, price, K[q], f)
        if step == 0.0:
            continue
        moved = f + step * K[q]
        # best_step knows the cost up to rounding at the borders, so check it
        if _change(indptr, indices, price, z, moved > 0) < 0.0:
            w[q] += step
            f[:] = moved
            z = f > 0


@compiled
def best_step(
    indptr: np.ndarray, indices: np.ndarray, price: np.ndarray, k: np.ndarray, f: np.ndarray
) -> float:
    """Return the t for which the signs of f + t k cost least, 0 if none cost less.

    The cost is constant between the borders -f_i / k_i, at each of which one item changes sides.
    It is followed from t = 0 upwards, then downwards.
    """
    best, best_step = 0.0, 0.0
    for direction in (1.0, -1.0):
        t = np.full(f.size, np.inf)
        for i in range(f.size):
            slope = direction * k[i]
            if (slope > 0.0 and f[i] <= 0.0) or (slope < 0.0 and f[i] > 0.0):
                t[i] = -f[i] / slope
        order = np.argsort(t)
        z = f > 0
        cost = 0.0
        for place in range(f.size):
            i = order[place]
            if t[i] == np.inf:
                break
            for e in range(indptr[i], indptr[i + 1]):
                cost += price[e] if z[i] == z[indices[e]] else -price[e]
            z[i] = not z[i]
            after = t[order[place + 1]] if place + 1 < f.size else np.inf
            if cost < best and after > t[i]:
                best = cost
                best_step = direction * ((t[i] + after) / 2 if after < np.inf else 2 * t[i] + 1)
    return best_step if best < -1e-12 else 0.0


@compiled
def _change(
    indptr: np.ndarray, indices: np.ndarray, price: np.ndarray, old: np.ndarray, new: np.ndarray
) -> float:
    """Return how much the cost changes from old signs to new ones."""
    change = 0.0
    for i in range(old.size):
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            change += price[e] * ((new[i] != new[j]) * 1.0 - (old[i] != old[j]) * 1.0)
    return change / 2
