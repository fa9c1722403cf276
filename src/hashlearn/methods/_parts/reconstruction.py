"""What both binary reconstructive embeddings share: Hamming distances fitted to given ones."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar
from sklearn.utils.random import sample_without_replacement

from hashlearn._numerics.checks import check_number
from hashlearn._numerics.compiled import compiled
from hashlearn._progress import track
from hashlearn.methods._parts.checks import at_most
from hashlearn.methods._parts.unit_rows import UnitRows
from hashlearn.methods.linear import LinearHasher

MAX_TRAINING = 20_000  # 5 percent of their pairs take about 0.5 GB
PARTNERS = 50  # per item at least: 5 percent of the published 1,000 items


class TargetPairs(NamedTuple):
    """Pairs of items, each once, and the distance that their codes, at 0 to 1, should have."""

    i: np.ndarray
    j: np.ndarray
    distance: np.ndarray


class ReconstructionHasher(LinearHasher):
    r"""Bits whose Hamming distances, divided by m, reconstruct given distances.

    Bit k is the sign of :math:`\sum_q w_{kq}\, \tilde a_{kq}^T \tilde x` over anchors a drawn
    for each bit, :math:`\tilde x` centred and of length 1: a linear kernel, so the expansion is
    one projection. A subclass chooses the pairs.

    Attributes
    ----------
    objective_ : ndarray
        The sum of squared errors over the pairs at the start and after every bit.
    n_iter_ : int
        How often all bits were visited.
    """

    n_anchors: int
    n_training: int
    pair_share: float
    max_iter: int
    tol: float
    verbose: int
    objective_: np.ndarray
    n_iter_: int

    def _check_parameters(self, n_items: int) -> int:
        """Raise if a parameter is wrong; return the number of items to train on."""
        check_scalar(self.n_anchors, "n_anchors", Integral, min_val=1)
        check_scalar(self.n_training, "n_training", Integral, min_val=2, max_val=MAX_TRAINING)
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)
        check_number("tol", self.tol, zero=True)
        check_number("pair_share", self.pair_share, most=1)
        return min(self.n_training, n_items)

    def _reconstruct(self, rows: UnitRows, pairs: TargetPairs, random_state: Any) -> None:
        """Learn the projections from pairs of rows."""
        n, n_bits = len(rows), self.n_bits
        n_anchors = at_most(self.n_anchors, n, "n_anchors", "training items")
        anchors = np.stack(
            [random_state.choice(n, n_anchors, replace=False) for _ in range(n_bits)]
        )
        W = random_state.normal(size=anchors.shape)
        K = rows[anchors.ravel()].gram(rows).reshape(n_bits, n_anchors, n)
        self._descend(W, K, pairs)
        coef = np.zeros((n, n_bits), dtype=rows.scale.dtype)
        coef[anchors, np.arange(n_bits)[:, None]] = W
        self.projections_ = rows.sums(coef)

    def _descend(self, W: np.ndarray, K: np.ndarray, pairs: TargetPairs) -> None:
        """Improve all coefficients in turn until a round gains less than `tol`."""
        n_bits, n_items = W.shape[0], K.shape[2]
        margins = np.einsum("kq,kqn->kn", W, K)
        indptr, indices, distance = _as_graph(pairs, n_items)
        residual, same = distance, np.zeros(n_items, dtype=bool)
        for f in margins:
            move_residuals(indptr, indices, residual, same, f > 0, n_bits)
        history = [residual @ residual / 2]
        for _ in track(range(self.max_iter), "BRE: rounds", self.max_iter, self.verbose):
            before = history[-1]
            for k in range(n_bits):
                old = margins[k] > 0
                price = pair_prices(indptr, indices, residual, old, n_bits)
                descend_bit(indptr, indices, price, K[k], W[k], margins[k])
                move_residuals(indptr, indices, residual, old, margins[k] > 0, n_bits)
                history.append(residual @ residual / 2)
            if before - history[-1] <= self.tol * before:
                break
        else:
            warnings.warn(
                f"The last of max_iter={self.max_iter} rounds still lowered the error by more "
                f"than tol={self.tol:g} of it.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.n_iter_, self.objective_ = (len(history) - 1) // n_bits, np.array(history)


def _as_graph(pairs: TargetPairs, n_items: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the pairs as the rows of a symmetric CSR matrix: starts, columns, distances."""
    i, j = np.concatenate((pairs.i, pairs.j)), np.concatenate((pairs.j, pairs.i))
    order = np.argsort(i, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(i, minlength=n_items))))
    return indptr, j[order], np.tile(pairs.distance, 2)[order].astype(np.float64)


def pair_count(n_items: int, share: float) -> int:
    """Return how many pairs to draw: a share of all, at least 50 partners per item.

    Examples
    --------
    >>> pair_count(2000, 0.05), pair_count(100, 0.05), pair_count(3, 0.05)
    (99950, 2500, 3)
    """
    n_all = n_items * (n_items - 1) // 2
    return min(n_all, max(round(share * n_all), PARTNERS * n_items // 2))


def draw_distinct_pairs(
    n_items: int, n_pairs: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Draw pairs {i, j} of different positions, no pair twice.

    Examples
    --------
    >>> i, j = draw_distinct_pairs(4, 6, np.random.RandomState(0))
    >>> sorted(zip(np.minimum(i, j).tolist(), np.maximum(i, j).tolist()))
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    n_all = n_items * (n_items - 1) // 2
    number = sample_without_replacement(n_all, n_pairs, random_state=random_state)
    # i and the item 1, 2, ... places after it, in a circle, run through each pair once
    i = number % n_items
    return i, (i + number // n_items + 1) % n_items


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
    """Bring the residuals from the old signs of a bit to the new ones, in place."""
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

    K holds the kernel values of the anchors, (n_anchors, n); w the coefficients; f = w K the
    margins of the items.
    """
    z = f > 0
    for q in range(w.size):
        step = best_step(indptr, indices, price, K[q], f)
        if step == 0.0:
            continue
        moved = f + step * K[q]
        # the sweep knows the cost up to rounding at the borders: never worse is checked
        if _change(indptr, indices, price, z, moved > 0) < 0.0:
            w[q] += step
            f[:] = moved
            z = f > 0


@compiled
def best_step(
    indptr: np.ndarray, indices: np.ndarray, price: np.ndarray, k: np.ndarray, f: np.ndarray
) -> float:
    """Return the t for which the signs of f + t k cost least, 0 if none cost less.

    The cost is constant between the borders -f_i / k_i, at each of which one item changes sides:
    it is followed from t = 0 to the right, then to the left.
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
