r"""The squared hinge loss of many machines on many items, one pass over the items per method.

For a machine with bits z and items x, weighted by :math:`\omega`, the loss is
:math:`\sum_i \omega_i \max(0, 1 - z_i\, w \cdot x_i)^2`; the items of positive gap are active.
The work on a shard of rows is a function of the shard and of small arrays, so that it can run in
another process. Bits and active items are packed, eight to a byte.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn._numerics.shards import Shards
from hashlearn._numerics.threads import map_blocks
from hashlearn.files import remember
from hashlearn.hash_functions._machines.row_products import (
    add_products,
    as_columns,
    block_margins,
    column_sums,
    weighted_gram,
)

_MAX_LINE_STEPS = 10
_FLAT = 0.05  # part of the first slope that may remain
_BLOCK_ROWS = 4096  # items of element-wise work: a block of all bits stays in the cache


class HingeLoss:
    """The loss on items in shards; Z is -1 or +1, weights are (n,) or (n, n_machines)."""

    def __init__(self, rows: RowBlocks, Z: np.ndarray, weight: np.ndarray | None = None) -> None:
        self.shards = Shards(rows)
        self.dtype = rows.dtype
        self.n_items, self.n_machines = Z.shape
        self.bits = np.packbits(Z > 0, axis=1)
        self.weight = None if weight is None else np.asarray(weight, dtype=rows.dtype)

    def evaluate(
        self, W: np.ndarray, machines: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return minus half the gradient, the loss and the active items of some machines."""
        columns = as_columns(W, self.dtype)

        def arguments(where: slice) -> tuple[Any, ...]:
            return columns, self._bits(where, machines), self._weight(where, machines)

        def compute() -> tuple[np.ndarray, ...]:
            G, value, active = np.zeros(W.shape), np.zeros(len(W)), []
            for found in self.shards.in_turn(_evaluate, arguments):
                G += found[0]
                value += found[1]
                active.append(found[2])
            return G, value, np.concatenate(active)

        return remember("gradient", compute)  # type: ignore[return-value]

    def curve(self, V: np.ndarray, active: np.ndarray, machines: np.ndarray) -> np.ndarray:
        """Return half the Hessian of the loss times the rows of V, one per machine."""
        columns = as_columns(V, self.dtype)

        def arguments(where: slice) -> tuple[Any, ...]:
            chosen = take_bits(active[where], machines, self.n_machines)
            return columns, chosen, self._weight(where, machines)

        return remember("Hessian product", lambda: self.shards.sum(_curve, arguments))

    def gram(self, active: np.ndarray, machines: np.ndarray, C: np.ndarray) -> np.ndarray:
        """Return the mean Hessian of the machines, or its diagonal where that would be large."""
        shares = (2 * C[machines] / machines.size).astype(self.dtype)

        def arguments(where: slice) -> tuple[Any, ...]:
            counts = unpack(take_bits(active[where], machines, self.n_machines), machines.size)
            weight = self._weight(where, machines)
            if weight is not None and weight.ndim == 2:
                return ((counts * weight) @ shares,)
            return (counts @ shares * (1 if weight is None else weight),)

        return remember("curvature", lambda: self.shards.sum(weighted_gram, arguments))

    def lines(self, W: np.ndarray, P: np.ndarray, machines: np.ndarray) -> Lines:
        """Return the loss along the lines from W in the directions P."""
        columns = as_columns(np.concatenate([W, P]), self.dtype)
        margins = self.shards.map(_margins, lambda where: (columns,))
        bits = [self._bits(where, machines) for where in self.shards.where]
        weights = [self._weight(where, machines) for where in self.shards.where]
        return Lines(margins, bits, weights)

    def _bits(self, where: slice, machines: np.ndarray) -> np.ndarray:
        return take_bits(self.bits[where], machines, self.n_machines)

    def _weight(self, where: slice, machines: np.ndarray) -> np.ndarray | None:
        if self.weight is None or self.weight.ndim == 1:
            return None if self.weight is None else self.weight[where]
        return self.weight[where][:, machines]


class Lines:
    """The loss of each machine along a line, from the margins of all items.

    Margins are, per shard, those at the start of the lines and then their change per step.
    """

    def __init__(self, margins: list[np.ndarray], bits: list[Any], weights: list[Any]) -> None:
        self.shards = list(zip(margins, bits, weights, strict=True))

    def derivatives(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first and second derivative of half the loss, at step t of each machine."""
        parts = map_blocks(
            lambda i, _: _line_derivatives(t, *self.shards[i]), range(len(self.shards) + 1)
        )
        first, second = zip(*parts, strict=True)
        return sum(first), sum(second)  # type: ignore[return-value]


def unpack(bits: np.ndarray, n_machines: int) -> np.ndarray:
    """Return packed bits as one 0/1 column per machine."""
    return np.unpackbits(bits, axis=1, count=n_machines)


def take_bits(bits: np.ndarray, machines: np.ndarray, n_machines: int) -> np.ndarray:
    """Return the packed bits of some machines, given in increasing order."""
    if machines.size == n_machines:
        return bits
    return np.packbits(unpack(bits, n_machines)[:, machines], axis=1)


def put_bits(bits: np.ndarray, machines: np.ndarray, n_machines: int, new: np.ndarray) -> None:
    """Replace the packed bits of some machines, in place."""
    for start in range(0, len(bits), _BLOCK_ROWS):
        where = slice(start, start + _BLOCK_ROWS)
        plain = unpack(bits[where], n_machines)
        plain[:, machines] = unpack(new[where], machines.size)
        bits[where] = np.packbits(plain, axis=1)


def _signs(bits: np.ndarray, n_machines: int, dtype: Any) -> np.ndarray:
    z = unpack(bits, n_machines).astype(dtype)
    z *= 2
    z -= 1
    return z


def _per_bit(weight: np.ndarray) -> np.ndarray:
    return weight[:, None] if weight.ndim == 1 else weight


def _evaluate(
    shard: RowBlocks, columns: np.ndarray, bits: np.ndarray, weight: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n_machines = columns.shape[1]
    G, value = np.zeros(columns.T.shape), np.zeros(n_machines)
    active = np.empty_like(bits)
    for where, block in shard:
        z = _signs(bits[where], n_machines, shard.dtype)
        gap = block_margins(block, columns)
        gap *= z
        np.subtract(1, gap, out=gap)
        np.maximum(gap, 0, out=gap)
        active[where] = np.packbits(gap > 0, axis=1)
        pull = gap if weight is None else gap * _per_bit(weight[where])
        z *= pull
        gap *= pull
        value += column_sums(gap)
        add_products(G, z, block)
    return G, value, active


def _curve(
    shard: RowBlocks, columns: np.ndarray, active: np.ndarray, weight: np.ndarray | None
) -> np.ndarray:
    G = np.zeros(columns.T.shape)
    for where, block in shard:
        T = block_margins(block, columns)
        T *= unpack(active[where], columns.shape[1])
        if weight is not None:
            T *= _per_bit(weight[where])
        add_products(G, T, block)
    return G


def _margins(shard: RowBlocks, columns: np.ndarray) -> np.ndarray:
    M = np.empty((shard.shape[0], columns.shape[1]), dtype=shard.dtype)
    for where, block in shard:
        M[where] = block_margins(block, columns)
    return M


def _line_derivatives(
    t: np.ndarray, margins: np.ndarray, bits: np.ndarray, weight: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    n_machines = len(t)
    first, second = np.zeros(n_machines), np.zeros(n_machines)
    step = t.astype(margins.dtype)
    for start in range(0, len(margins), _BLOCK_ROWS):
        where = slice(start, start + _BLOCK_ROWS)
        M, D = margins[where, :n_machines], margins[where, n_machines:]
        z = _signs(bits[where], n_machines, margins.dtype)
        gap = z - (M + step * D)
        direction = D * (gap * z > 0)
        pull = direction if weight is None else direction * _per_bit(weight[where])
        first -= column_sums(gap * pull)
        second += column_sums(direction * pull)
    return first, second


def line_minima(
    lines: Lines, linear: np.ndarray, square: np.ndarray, C: np.ndarray, slope: np.ndarray
) -> np.ndarray:
    r"""Return for each machine a step t with f'(t) near 0, by safeguarded Newton steps.

    Along the line of a machine the objective is

    .. math:: f(t) = f_0 + a t + \tfrac12 b t^2 + C\, \ell(t),

    with a and b (`linear` and `square`) of the prior and :math:`\ell` the loss. It is convex and
    piecewise quadratic, so the sign of its slope tells on which side the minimum is; `slope` is
    f'(0), below 0.
    """
    t, low, high = np.ones(len(C)), np.zeros(len(C)), np.full(len(C), np.inf)
    for _ in range(_MAX_LINE_STEPS):
        first, second = lines.derivatives(t)
        first = linear + t * square + 2 * C * first
        second = square + 2 * C * second
        if (np.abs(first) <= _FLAT * np.abs(slope)).all():
            break
        low, high = np.where(first < 0, t, low), np.where(first >= 0, t, high)
        newton = t - first / np.maximum(second, np.finfo(np.float64).tiny)
        middle = np.where(np.isfinite(high), (low + np.minimum(high, 2 * t)) / 2, 2 * t)
        t = np.where((newton > low) & (newton < high), newton, middle)
    return t
