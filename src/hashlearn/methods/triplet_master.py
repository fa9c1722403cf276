"""The master problem of CGHash: weights of the bits at hand, and a dual variable per triplet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

_GRADIENT_TOLERANCE = 1e-6  # also how far the dual may stay from feasible
_MAX_STEPS = 1000
_ROUNDING = 1e-3  # of the dual's constraints, which are at 1


class MasterSolution(NamedTuple):
    """Weights w >= 0, dual variables u >= 0, the objective, and whether it is the least."""

    weights: np.ndarray
    duals: np.ndarray
    objective: float
    converged: bool


def solve_master(columns: np.ndarray, C: float, start: np.ndarray) -> MasterSolution:
    r"""Weight the bits so that dissimilar items are farther than similar ones by a margin of 1.

    With :math:`\rho = A w`, one row of A per triplet and one column per bit,

    .. math:: \min_{w \ge 0} \sum_r w_r + \frac{C}{T} \sum_t \max(0, 1 - \rho_t)^2, \qquad
              u_t = \frac{2C}{T} \max(0, 1 - \rho_t).

    The optimum satisfies :math:`A^T u \le 1`, the constraints of the dual, with equality where
    :math:`w_r > 0`. The squared hinge makes the objective smooth in as few variables as there
    are bits, so L-BFGS-B is exact and fast where the linear program of the plain hinge has a
    slack variable per triplet.

    Parameters
    ----------
    columns : ndarray of shape (n_triplets, n_columns)
        A: how much farther each bit puts the dissimilar item, -1, 0 or 1.
    C : float
        The weight of the mean loss.
    start : ndarray of shape (n_columns,)
        Weights to start from; the objective ends no higher.

    Examples
    --------
    >>> solution = solve_master(np.array([[1.0], [1.0]]), C=1.0, start=np.zeros(1))
    >>> solution.weights.round(3), solution.duals.round(3)
    (array([0.5]), array([0.5, 0.5]))
    """
    scale = C / columns.shape[0]

    def shortfall(w: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, 1.0 - columns @ w)

    def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
        short = shortfall(w)
        return float(w.sum() + scale * (short @ short)), 1.0 - 2.0 * scale * (columns.T @ short)

    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * start.size,
        options={"maxiter": _MAX_STEPS, "ftol": 0.0, "gtol": _GRADIENT_TOLERANCE},
    )
    # A large C ends the line search in rounding: no failure if the dual is feasible and tight.
    slope = np.where(found.x > 0, np.abs(found.jac), np.maximum(-found.jac, 0.0))
    converged = bool(found.success or slope.max() <= _ROUNDING)
    return MasterSolution(found.x, 2.0 * scale * shortfall(found.x), float(found.fun), converged)
