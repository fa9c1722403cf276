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
is active in. A bit makes the whole step if that lowers f and its slope, else the part that a
line search finds. Bits leave the solve when the next step would lower f by less than a fraction
`tol` of it. A step of k conjugate gradients costs k + 1 passes over the items; nothing is kept
of the items between passes except which are active.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn._progress import say
from hashlearn.files import remember
from hashlearn.hash_functions._machines.hinge_loss import HingeLoss, line_minima, put_bits
from hashlearn.hash_functions._machines.row_products import (
    Precondition,
    conjugate_gradient,
    solver_of,
    with_diagonal,
)

_STALE = 0.6  # factor again when the active share has fallen to this part
_FLAT = 0.5  # the whole step is made if it leaves at most this part of the slope
_TINY = np.finfo(np.float64).tiny


@dataclass
class Prior:
    r"""The quadratic :math:`\tfrac12 (w - w_0)^T H (w - w_0)` added to the loss, or the ridge.

    For machines that were trained before, :math:`w_0` are their weights and H is the curvature of
    their objective.
    """

    center: np.ndarray | float = 0.0  # w_0, (n_machines, n_columns), the intercept last
    curvature: np.ndarray | None = None  # H of all machines: a matrix, its diagonal, None for I

    def __getitem__(self, machines: np.ndarray) -> Prior:
        """Return the prior of some machines."""
        if isinstance(self.center, float):
            return self
        return Prior(self.center[machines], self.curvature)

    def product(self, V: np.ndarray) -> np.ndarray:
        """Return H times each row of V."""
        if self.curvature is None:
            return V
        return V * self.curvature if self.curvature.ndim == 1 else V @ self.curvature

    def gradient(self, W: np.ndarray) -> np.ndarray:
        """Return the gradient of each machine."""
        return self.product(W - self.center)

    def value(self, W: np.ndarray) -> np.ndarray:
        """Return the value of each machine."""
        away = W - self.center
        return np.einsum("ij,ij->i", away, self.product(away)) / 2

    def plus(self, gram: np.ndarray) -> np.ndarray:
        """Return H plus a matrix, or plus a diagonal if that is given."""
        own = np.ones(len(gram)) if self.curvature is None else self.curvature
        if gram.ndim == 1:
            return gram + (own if own.ndim == 1 else np.diagonal(own))
        return with_diagonal(gram, own) if own.ndim == 1 else gram + own


@dataclass
class Curvature:
    """The mean Hessian of the loss over the machines, and the share of items active in it."""

    gram: np.ndarray  # (n_features + 1, n_features + 1), or the diagonal where that would be large
    share: float


@dataclass
class LinearMachines:
    """The solution: margins are ``X @ coef + intercept``."""

    coef: np.ndarray  # (n_features, n_machines)
    intercept: np.ndarray  # (n_machines,)
    objective: np.ndarray  # (n_machines,) f at the solution
    n_iter: int  # Newton steps of the slowest machine
    curvature: Curvature  # of the loss near the solution, from the last preconditioner


def fit_squared_hinge(
    X: Any,
    Z: np.ndarray,
    C: Any = 1.0,
    *,
    tol: float = 1e-4,
    max_iter: int = 50,
    verbose: int = 0,
    sample_weight: np.ndarray | None = None,
    prior: Prior | None = None,
    start: LinearMachines | None = None,
    name: str = "Step 2",
) -> LinearMachines:
    """Train one squared-hinge linear machine per column of Z.

    `C` is the weight of the loss, of all machines or of each. A machine is done when a Newton
    step promises less than the fraction `tol` of its objective. The prior replaces the ridge, and
    `start`, with its curvature, the center of the prior. float32 items keep float32 in the
    products; sums over blocks are float64.

    References
    ----------
    .. [1] Keerthi, DeCoste, "A Modified Finite Newton Method for Fast Solution of Large Scale
       Linear SVMs", JMLR 2005.
    .. [2] Lin, Weng, Keerthi, "Trust Region Newton Method for Large-Scale Logistic
       Regression", JMLR 2008.
    """
    rows = X if isinstance(X, RowBlocks) else RowBlocks(X)
    n_machines = Z.shape[1]
    with one_blas_thread():
        newton = _Newton(HingeLoss(rows, Z, sample_weight), C, prior or Prior(), tol, start)
        n_iter = 0
        while newton.live.size and n_iter < max_iter:
            newton.step()
            n_iter += 1
            left = f"{newton.live.size} of {n_machines} machines left"
            say(f"{name}: Newton step {n_iter}, {left}", verbose)
    if newton.live.size:
        warnings.warn(
            f"{newton.live.size} of {n_machines} machines did not converge in "
            f"max_iter={max_iter} Newton steps: raise max_iter or tol, or lower C.",
            ConvergenceWarning,
            stacklevel=2,
        )
    coef = np.ascontiguousarray(newton.W[:, :-1].T, dtype=rows.dtype)
    intercept = newton.W[:, -1].astype(rows.dtype)
    return LinearMachines(coef, intercept, newton.value, n_iter, newton.last_curvature())


class _Newton:
    """The state of all machines: weights, gradients, values, active items, and which still move."""

    def __init__(
        self,
        loss: HingeLoss,
        C: Any,
        prior: Prior,
        tol: float,
        start: LinearMachines | None,
    ) -> None:
        n_machines, n_columns = loss.n_machines, loss.shards.rows.shape[1] + 1
        self.loss, self.prior = loss, prior
        self.precision = float(np.finfo(loss.dtype).eps)
        self.tol = max(tol, 10 * self.precision)
        self.C = np.broadcast_to(np.asarray(C, dtype=np.float64), n_machines)
        self.live = np.arange(n_machines)
        self.W = np.zeros((n_machines, n_columns)) + prior.center
        self.curvature = Curvature(np.zeros(0), np.inf)
        self.precondition: Precondition
        self.is_warm = start is not None
        if start is not None:
            self.W[:, :-1], self.W[:, -1] = start.coef.T, start.intercept
        self.gradient, self.value = np.empty_like(self.W), np.empty(n_machines)
        self.active = np.empty_like(loss.bits)
        self.forcing = np.full(n_machines, 0.3)
        self._settle(self.live, self.W, *self._evaluate(self.W, self.live))
        if start is not None:
            self._precondition_by(start.curvature)

    def step(self) -> None:
        """Move the live machines; those that would gain little are done."""
        self._refresh_preconditioner()
        self._leave(self._promises() > self.tol * self.value[self.live])
        if not self.live.size:
            return
        live, gradient = self.live, self.gradient[self.live]
        P = conjugate_gradient(self._product, self.precondition, -gradient, self.forcing[live])
        slope = np.einsum("ij,ij->i", gradient, P)
        self._move(P, slope)
        gain = -slope / 2
        # Newton's equation is solved more precisely near the end: superlinear convergence.
        self.forcing[live] = np.clip(
            (gain / np.maximum(self.value[live], _TINY)) ** 0.25, 0.01, 0.3
        )
        self._leave(gain > self.tol * self.value[live])

    def last_curvature(self) -> Curvature:
        """Return the preconditioner's matrix, scaled to the share of items active by now."""
        share = self._share()
        return Curvature(self.curvature.gram * (share / (self.curvature.share or 1)), share)

    def _leave(self, moving: np.ndarray) -> None:
        self.live = self.live[moving]

    def _promises(self) -> np.ndarray:
        """Return twice the gain of the next step, estimated by the preconditioner.

        This saves the last step after a warm start. With a diagonal preconditioner, or if C
        differs between machines, the estimate is not reliable.
        """
        if not self.is_warm or self.curvature.gram.ndim == 1 or np.ptp(self.C):
            return np.full(self.live.size, np.inf)
        g = self.gradient[self.live]
        return np.einsum("ij,ij->i", g, self.precondition(g))

    def _refresh_preconditioner(self) -> None:
        share = self._share()
        if share <= _STALE * self.curvature.share:
            gram = self.loss.gram(self.active, self.live, self.C)
            self._precondition_by(Curvature(gram, share))

    def _precondition_by(self, curvature: Curvature) -> None:
        self.curvature = curvature
        self.precondition = solver_of(self.prior.plus(curvature.gram), self.precision)

    def _share(self) -> float:
        """Return the share of active items, a mean over the machines."""
        n_active = int(np.bitwise_count(self.active).sum(dtype=np.int64))
        return n_active / (self.loss.n_items * self.loss.n_machines)

    def _product(self, V: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Return H V for the live machines `which`, whose rows of V are given."""
        machines = self.live[which]
        G = self.loss.curve(V, self.active, machines)
        return self.prior.product(V) + 2 * self.C[machines, None] * G

    def _evaluate(
        self, W: np.ndarray, machines: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return gradients, values and active items of some machines at W."""
        G, loss, active = self.loss.evaluate(W, machines)
        C, prior = self.C[machines], self.prior[machines]
        return prior.gradient(W) - 2 * C[:, None] * G, prior.value(W) + C * loss, active

    def _settle(
        self,
        machines: np.ndarray,
        W: np.ndarray,
        gradient: np.ndarray,
        value: np.ndarray,
        active: np.ndarray,
    ) -> None:
        self.W[machines], self.gradient[machines], self.value[machines] = W, gradient, value
        put_bits(self.active, machines, self.loss.n_machines, active)

    def _move(self, P: np.ndarray, slope: np.ndarray) -> None:
        """Make whole steps where they are good, elsewhere those of a line search."""
        live, start = self.live, self.W[self.live]
        gradient, value, active = self._evaluate(start + P, live)
        left = np.abs(np.einsum("ij,ij->i", gradient, P))
        slack = 10 * self.precision * value
        bad = (left > _FLAT * np.abs(slope)) | (value > self.value[live] + slack)
        self._settle(live, start + P, gradient, value, active)
        if bad.any():
            machines, start, P = live[bad], start[bad], P[bad]
            steps = remember(
                "line search", lambda: self._line_search(start, P, slope[bad], machines)
            )
            W = start + steps[:, None] * P
            self._settle(machines, W, *self._evaluate(W, machines))

    def _line_search(
        self, W: np.ndarray, P: np.ndarray, slope: np.ndarray, machines: np.ndarray
    ) -> np.ndarray:
        """Return for each machine a step near the minimum of f along the line from W."""
        lines = self.loss.lines(W, P, machines)
        prior = self.prior[machines]
        linear = np.einsum("ij,ij->i", prior.gradient(W), P)
        square = np.einsum("ij,ij->i", P, prior.product(P))
        return line_minima(lines, linear, square, self.C[machines], slope)
