"""Learning of one bit of KSH: the residual affinity, never formed, and the gradient ascent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hashlearn.affinity import Affinity

_COLUMNS = 32  # of features multiplied by the affinity at a time
_PATIENCE = 10  # steps over which the gain is judged: single accelerated steps may lose
_LINE_STEPS = 60  # halvings of a step, down to far below rounding


def bit_signs(margins: np.ndarray) -> np.ndarray:
    """Return +1 where a margin is positive, else -1."""
    return np.where(margins > 0, 1.0, -1.0)


class Residual:
    r"""The residual :math:`R = m S - Z Z^T` of the bits Z learned so far.

    The diagonal of S is 1, as an item is similar to itself; a constant diagonal changes neither
    the spectral start nor the order of bits, and pulls the sigmoid's values towards the signs.
    """

    def __init__(self, affinity: Affinity, n_bits: int) -> None:
        self.affinity = affinity
        self.n_bits = n_bits
        self.n_learned = 0
        self.Z = np.zeros((affinity.n_items, n_bits), order="F")  # read by columns

    def dot(self, v: np.ndarray) -> np.ndarray:
        """Return R v."""
        Z = self.Z[:, : self.n_learned]
        return self.n_bits * (self.affinity.dot(v) + v) - Z @ (Z.T @ v)

    def score(self, z: np.ndarray) -> float:
        """Return z^T R z."""
        return float(z @ self.dot(z))

    def subtract(self, z: np.ndarray) -> None:
        """Subtract z z^T for a learned bit."""
        self.Z[:, self.n_learned] = z
        self.n_learned += 1

    def affinity_gram(self, K: np.ndarray) -> np.ndarray:
        """Return K^T S K."""
        gram = np.empty((K.shape[1], K.shape[1]))
        for start in range(0, K.shape[1], _COLUMNS):
            columns = K[:, start : start + _COLUMNS]
            gram[:, start : start + _COLUMNS] = K.T @ (self.affinity.dot(columns) + columns)
        return (gram + gram.T) / 2


class Climb(NamedTuple):
    """Result of a gradient ascent: the best weights, the number of steps, and convergence."""

    a: np.ndarray
    n_iter: int
    converged: bool


def climb(K: np.ndarray, residual: Residual, start: np.ndarray, max_iter: int, tol: float) -> Climb:
    r"""Ascend :math:`b^T R b` with :math:`b = \tanh(K a / 2)` by Nesterov's accelerated gradient.

    Stops when ten steps gain less than a fraction `tol` of the value; returns the best weights.
    """
    a = best = look = start
    value, gradient = _value_and_gradient(K, residual, a)
    best_value, earlier = value, value
    momentum, step = 1.0, _first_step(start, gradient)
    for n_iter in range(1, max_iter + 1):
        look_value, gradient = _value_and_gradient(K, residual, look)
        moved, value, step = _line_search(K, residual, look, look_value, gradient, step)
        if value > best_value:
            best, best_value = moved, value
        else:  # momentum went too far: restart it from the best
            momentum, moved = 1.0, best
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        look = moved + (momentum - 1) / following * (moved - a)
        a, momentum = moved, following
        if n_iter % _PATIENCE == 0:
            if best_value - earlier <= tol * abs(best_value):
                return Climb(best, n_iter, converged=True)
            earlier = best_value
    return Climb(best, max_iter, converged=False)


def _value_and_gradient(
    K: np.ndarray, residual: Residual, a: np.ndarray
) -> tuple[float, np.ndarray]:
    b = np.tanh(K @ a / 2)
    Rb = residual.dot(b)
    return float(b @ Rb), K.T @ (Rb * (1 - b**2))


def _first_step(start: np.ndarray, gradient: np.ndarray) -> float:
    """Return a step as long as the start itself; the line search shortens it."""
    length = float(np.linalg.norm(gradient))
    return float(np.linalg.norm(start)) / length if length > 0 else 1.0


def _line_search(
    K: np.ndarray,
    residual: Residual,
    a: np.ndarray,
    value: float,
    gradient: np.ndarray,
    step: float,
) -> tuple[np.ndarray, float, float]:
    """Return a step along the gradient that gains at least half of what its slope predicts."""
    margins, along, slope = K @ a, K @ gradient, gradient @ gradient
    step *= 2  # a shortened step may grow again
    for _ in range(_LINE_STEPS):
        moved_value = residual.score(np.tanh((margins + step * along) / 2))
        if moved_value >= value + step * slope / 2:
            return a + step * gradient, moved_value, step
        step /= 2
    return a, value, step
