r"""Linear machines with squared hinge loss, all bits in one solve.

For every column z of Z the solver minimises

.. math:: f(w) = \tfrac12 \|w\|^2 + C \sum_i \max(0,\, 1 - z_i\, w \cdot x_i)^2,

where x ends with a constant 1 whose weight is the intercept: the problem of
``LinearSVC(loss="squared_hinge")``. The margins of all bits are one matrix product, and so are
their gradients and their Hessian products

.. math:: \nabla f = w - 2 C \sum_{i \in A} (z_i - w \cdot x_i)\, x_i, \qquad
          H v = v + 2 C \sum_{i \in A} (x_i \cdot v)\, x_i,

with A the items inside the margin. Newton's equation is solved by conjugate gradients; all
bits share a preconditioner, the Hessian with each item weighted by the share of bits that it
is active in. A step is as long as the line search of its own bit says. Bits leave the solve
when the next step would lower f by less than a fraction `tol` of it.

Inside, arrays are bit-major, (n_machines, ...), so that a bit that leaves is a row that goes.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from hashlearn.hash_functions.row_algebra import (
    Precondition,
    add_products,
    as_columns,
    block_margins,
    conjugate_gradient,
    margins,
    preconditioner,
)
from hashlearn.hash_functions.rows import Rows
from hashlearn.progress import say

_STALE = 0.6  # factor again when the active share fell to this part of what it was
_LINE_ITERATIONS = 10
# Entries of X below which one thread is used: it is faster there, and as fast at 60 million
# (benchmarks/machine_threads.py, two cores).
_THREADED_ENTRIES = 2**24
_SLICE = 4096  # items per step of element-wise work: a slice of all bits stays in the cache


@dataclass
class LinearMachines:
    """The solution: margins are ``X @ coef + intercept``.

    Attributes
    ----------
    coef : ndarray of shape (n_features, n_machines)
    intercept : ndarray of shape (n_machines,)
    objective : ndarray of shape (n_machines,)
        f at the solution.
    n_iter : int
        Newton steps of the slowest machine.
    """

    coef: np.ndarray
    intercept: np.ndarray
    objective: np.ndarray
    n_iter: int


def fit_squared_hinge(
    X: Any,
    Z: np.ndarray,
    C: Any = 1.0,
    *,
    tol: float = 1e-4,
    max_iter: int = 50,
    verbose: int = 0,
) -> LinearMachines:
    """Train one squared-hinge linear machine per column of Z.

    Parameters
    ----------
    X : array, CSR matrix or Rows of shape (n, n_features)
        The items. float32 keeps float32 in the products; sums over blocks are float64.
    Z : array of shape (n, n_machines)
        The bits, -1 or +1.
    C : float or array of shape (n_machines,)
        The weight of the loss.
    tol : float
        A machine is done when a Newton step promises less than this fraction of its objective.
    max_iter : int
        The most Newton steps; a `ConvergenceWarning` says when it was not enough.
    verbose : int
        Above 0, a line per Newton step.

    Returns
    -------
    LinearMachines

    References
    ----------
    .. [1] Keerthi, DeCoste, "A Modified Finite Newton Method for Fast Solution of Large Scale
       Linear SVMs", JMLR 2005.
    .. [2] Lin, Weng, Keerthi, "Trust Region Newton Method for Large-Scale Logistic
       Regression", JMLR 2008.

    Examples
    --------
    >>> X, Z = np.array([[-1.0], [1.0]]), np.array([[-1], [1]])
    >>> fit_squared_hinge(X, Z, C=0.25).coef  # w minimises w^2 / 2 + (1 - w)^2 / 2
    array([[0.5]])
    """
    rows = X if isinstance(X, Rows) else Rows(X)
    tol = max(tol, 10 * float(np.finfo(rows.dtype).eps))
    state = _State(rows, Z, C)
    W = np.zeros((Z.shape[1], rows.shape[1] + 1))
    objective = np.zeros(Z.shape[1])
    live = np.arange(Z.shape[1])
    n_iter = 0
    with _few_threads(rows):
        while live.size and n_iter < max_iter:
            gain = state.newton_step()
            n_iter += 1
            W[live], objective[live] = state.W, state.value
            moving = gain > tol * state.value
            live = live[moving]
            state.keep(moving)
            left = f"{live.size} of {Z.shape[1]} machines left"
            say(f"Step 2: Newton step {n_iter}, {left}", verbose)
    if live.size:
        warnings.warn(
            f"{live.size} of {Z.shape[1]} machines did not converge in max_iter={max_iter} "
            f"Newton steps: raise max_iter or tol, or lower C.",
            ConvergenceWarning,
            stacklevel=2,
        )
    coef = np.ascontiguousarray(W[:, :-1].T, dtype=rows.dtype)
    return LinearMachines(coef, W[:, -1].astype(rows.dtype), objective, n_iter)


def _few_threads(rows: Rows) -> AbstractContextManager[Any]:
    """Return a context in which small products run on one thread.

    Two wait for each other more than they work, above all beside other jobs.
    """
    is_small = rows.shape[0] * rows.shape[1] < _THREADED_ENTRIES
    return threadpool_limits(limits=1, user_api="blas") if is_small else nullcontext()


class _State:
    """The machines that still move: weights W, margins M, active items, objective values."""

    def __init__(self, rows: Rows, Z: np.ndarray, C: Any) -> None:
        n_machines = Z.shape[1]
        self.rows = rows
        self.Z = np.ascontiguousarray(Z.T, dtype=np.int8)
        self.C = np.broadcast_to(np.asarray(C, dtype=np.float64), n_machines)
        self.W = np.zeros((n_machines, rows.shape[1] + 1))
        self.M = np.zeros(self.Z.shape, dtype=rows.dtype)
        self.active = np.ones(self.Z.shape, dtype=bool)
        self.value = self.C * rows.shape[0]
        self.forcing = np.full(n_machines, 0.3)
        self.share = np.inf  # the active share that the preconditioner was built for
        self.precondition: Precondition

    def keep(self, moving: np.ndarray) -> None:
        """Drop the machines that are done."""
        if not moving.all():
            for name in ("Z", "C", "W", "M", "active", "value", "forcing"):
                setattr(self, name, getattr(self, name)[moving])

    def newton_step(self) -> np.ndarray:
        """Move every machine; return how much its quadratic model promised to gain."""
        self._refresh_preconditioner()
        gradient = self._gradient()
        P = conjugate_gradient(self._hessian_product, self.precondition, -gradient, self.forcing)
        slope = np.einsum("ij,ij->i", gradient, P)
        D = margins(self.rows, P)
        steps = self._line_search(P, D, slope)
        self.W += steps[:, None] * P
        self._move_margins(steps, D)
        gain = -slope / 2
        # Newton's equation is solved the better, the nearer the end: superlinear convergence.
        self.forcing = np.clip((gain / self.value) ** 0.25, 0.01, 0.3)
        return gain

    def _refresh_preconditioner(self) -> None:
        share = float(self.active.mean())
        if share <= _STALE * self.share:
            weights = 2 * (self.C @ self.active) / len(self.C)
            self.precondition = preconditioner(self.rows, weights)
            self.share = share

    def _gradient(self) -> np.ndarray:
        """X^T times the residuals z - m of active items, for all machines."""
        G = np.zeros_like(self.W)
        for rows, block in self.rows:
            R = self.Z[:, rows] - self.M[:, rows]
            R *= self.active[:, rows]
            add_products(G, R, block)
        return self.W - 2 * self.C[:, None] * G

    def _hessian_product(self, V: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Return H V for the machines `which`, whose rows of V are given."""
        G = np.zeros_like(V)
        columns = as_columns(V, self.rows.dtype)
        active = self.active if which.size == len(self.active) else self.active[which]
        for rows, block in self.rows:
            T = block_margins(block, columns)
            T *= active[:, rows]
            add_products(G, T, block)
        return V + 2 * self.C[which, None] * G

    def _line_search(self, P: np.ndarray, D: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Return per machine a step t with f'(t) near 0, by safeguarded Newton steps.

        Along a line f is convex and piecewise quadratic, so its slope rises and the sign of
        the slope tells on which side the minimum is.
        """
        linear = np.einsum("ij,ij->i", self.W, P)
        square = np.einsum("ij,ij->i", P, P)
        t, low, high = np.ones(len(P)), np.zeros(len(P)), np.full(len(P), np.inf)
        for _ in range(_LINE_ITERATIONS):
            first, second = self._line_derivatives(t, D)
            first = linear + t * square + 2 * self.C * first
            second = square + 2 * self.C * second
            if (np.abs(first) <= 0.05 * np.abs(slope)).all():
                break
            low, high = np.where(first < 0, t, low), np.where(first >= 0, t, high)
            newton = t - first / np.maximum(second, np.finfo(np.float64).tiny)
            middle = np.where(np.isfinite(high), (low + np.minimum(high, 2 * t)) / 2, 2 * t)
            t = np.where((newton > low) & (newton < high), newton, middle)
        return t

    def _line_derivatives(self, t: np.ndarray, D: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """First and second derivative of half the loss along D, at step t."""
        first, second = np.zeros(len(t)), np.zeros(len(t))
        step = t.astype(D.dtype)[:, None]
        for rows in _slices(D.shape[1]):
            direction = D[:, rows]
            gap = self.Z[:, rows] - (self.M[:, rows] + step * direction)
            direction = direction * (gap * self.Z[:, rows] > 0)
            first -= np.einsum("ij,ij->i", gap, direction)
            second += np.einsum("ij,ij->i", direction, direction)
        return first, second

    def _move_margins(self, steps: np.ndarray, D: np.ndarray) -> None:
        loss = np.zeros(len(steps))
        step = steps.astype(D.dtype)[:, None]
        for rows in _slices(D.shape[1]):
            M, Z = self.M[:, rows], self.Z[:, rows]
            M += step * D[:, rows]
            gap = np.maximum(1 - Z * M, 0)
            self.active[:, rows] = gap > 0
            loss += np.einsum("ij,ij->i", gap, gap)
        self.value = np.einsum("ij,ij->i", self.W, self.W) / 2 + self.C * loss


def _slices(n: int) -> Iterator[slice]:
    return (slice(start, start + _SLICE) for start in range(0, n, _SLICE))
