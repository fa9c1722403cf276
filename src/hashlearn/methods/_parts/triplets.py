r"""Both problems of CGHash: the weights of the bits, and the search for the next bit.

The master problem weights the bits and gives each triplet a dual variable u. The subproblem
finds the linear bit of the largest gain :math:`\sum_t u_t (|h_i - h_k| - |h_i - h_j|)`. With the
bit's values as z = +1/-1 that is :math:`\tfrac12 \sum_t u_t (z_i z_j - z_i z_k) = z^T B z`, B
sparse, so that a step costs one product with the items and one with B.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.utils.extmath import row_norms

from hashlearn._numerics.arrays import is_sparse
from hashlearn.affinity import Triplets
from hashlearn.methods._parts.centred import mean_of

_N_RANDOM = 50  # random directions, of which the best is a start
_N_PRODUCTS = 20  # of the relaxed problem's matrix: the start need not be an exact eigenvector
_EXHAUSTED = 1e-6  # a direction this much shorter than the last adds nothing
_GRADIENT_TOLERANCE = 1e-6  # also the tolerance of the dual's constraints
_MAX_STEPS = 1000
_ROUNDING = 1e-3  # of the dual's constraints, which are at 1


class Bit(NamedTuple):
    """A linear bit: 1 where (x - mean)^T direction + offset > 0, and its column of triplets."""

    direction: np.ndarray
    offset: float
    column: np.ndarray
    gain: float


def triplet_column(bits: np.ndarray, triplets: Triplets) -> np.ndarray:
    """Return how much farther a bit puts the dissimilar item of each triplet: -1, 0 or 1."""
    of_i = bits[triplets.i]
    return (of_i != bits[triplets.k]).astype(np.float64) - (of_i != bits[triplets.j])


def pair_matrix(duals: np.ndarray, triplets: Triplets, n_items: int) -> Any:
    """Return the symmetric B with z^T B z = the gain of the bit z."""
    i, j, k = triplets
    values = np.concatenate([duals, -duals]) / 4.0
    pairs = (np.concatenate([i, i]), np.concatenate([j, k]))
    half = sp.csr_array((values, pairs), shape=(n_items, n_items))
    return sp.csr_array(half + half.T)


class BitSearch:
    """The search for bits on one set of items and triplets, in at most `n_steps` per start."""

    def __init__(
        self, X: Any, triplets: Triplets, n_steps: int, random_state: np.random.RandomState
    ) -> None:
        self.triplets = triplets
        self.n_steps = n_steps
        self.random_state = random_state
        self.mean = mean_of(X)
        self._scale_items(X)

    def best(self, duals: np.ndarray) -> Bit:
        """Return the bit of the largest gain over all starts."""
        B = pair_matrix(duals / (duals.sum() or 1.0), self.triplets, self.X.shape[0])
        B = B.astype(self.X.dtype)
        starts = (self._relaxed_start(B), self._random_start(B))
        bits = [self._bit(self._ascend(B, start), duals) for start in starts]
        return max(bits, key=lambda bit: bit.gain)

    def _scale_items(self, X: Any) -> None:
        """Centre the items and divide them by their mean length, so that steps fit any unit."""
        mean = self.mean.astype(X.dtype)
        if is_sparse(X):
            squared = row_norms(X, squared=True).mean(dtype=np.float64) - self.mean @ self.mean
        else:
            X, mean = X - mean, np.zeros_like(mean)
            squared = row_norms(X, squared=True).mean(dtype=np.float64)
        self.scale = float(np.sqrt(max(squared, 0.0))) or 1.0
        self.X = X / X.dtype.type(self.scale)
        self.shift = mean / X.dtype.type(self.scale)  # a sparse X keeps its zeros

    def _margins(self, V: np.ndarray) -> np.ndarray:
        V = V.astype(self.X.dtype)
        return self.X @ V - self.shift @ V

    def _adjoint(self, g: np.ndarray) -> np.ndarray:
        return (self.X.T @ g - self.shift * g.sum()).astype(np.float64)

    def _relaxed_start(self, B: Any) -> np.ndarray:
        """Return roughly the leading eigenvector of X^T B X: margins in place of their signs."""

        def product(v: np.ndarray) -> np.ndarray:
            return self._adjoint(B @ self._margins(v))

        return leading_direction(product, self.random_state.normal(size=self.mean.size))

    def _random_start(self, B: Any) -> np.ndarray:
        """Return the best of 50 random directions."""
        V = self.random_state.normal(size=(self.mean.size, _N_RANDOM))
        Z = np.where(self._margins(V) > 0, 1.0, -1.0).astype(self.X.dtype)
        return V[:, np.einsum("ij,ij->j", Z, B @ Z).argmax()]

    def _ascend(self, B: Any, start: np.ndarray) -> np.ndarray:
        """Ascend z^T B z with tanh in place of the sign; the offset is the last parameter."""

        def descent(p: np.ndarray) -> tuple[float, np.ndarray]:
            z = np.tanh(self._margins(p[:-1]) + self.X.dtype.type(p[-1]))
            Bz = B @ z
            slope = 2.0 * Bz * (1.0 - z * z)
            return -float(z @ Bz), -np.append(self._adjoint(slope), slope.sum(dtype=np.float64))

        spread = float(np.std(self._margins(start), dtype=np.float64)) or 1.0
        begin = np.append(start / spread, 0.0)
        options = {"maxiter": self.n_steps}
        return minimize(descent, begin, jac=True, method="L-BFGS-B", options=options).x

    def _bit(self, parameters: np.ndarray, duals: np.ndarray) -> Bit:
        direction, offset = parameters[:-1], float(parameters[-1])
        column = triplet_column(self._margins(direction) + offset > 0, self.triplets)
        return Bit(direction / self.scale, offset, column, float(duals @ column))


def leading_direction(product: Any, start: np.ndarray) -> np.ndarray:
    """Return roughly the leading eigenvector of a symmetric matrix, the best in a Krylov space.

    `product` maps a vector to its product with the matrix; `start` must not be 0.
    """
    basis, products = [start / np.linalg.norm(start)], []
    while True:
        products.append(product(basis[-1]))
        if len(products) == min(_N_PRODUCTS, start.size):
            break
        Q, rest = np.array(basis), products[-1]
        for _ in range(2):  # a single pass leaves rounding errors that grow
            rest = rest - (Q @ rest) @ Q
        length = np.linalg.norm(rest)
        if not length > _EXHAUSTED * np.linalg.norm(products[-1]):
            break
        basis.append(rest / length)
    Q = np.array(basis)
    small = Q @ np.array(products).T
    return np.linalg.eigh((small + small.T) / 2)[1][:, -1] @ Q


class MasterSolution(NamedTuple):
    """Weights w >= 0, dual variables u >= 0, the objective, and whether it converged."""

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
    :math:`w_r > 0`. The squared hinge makes the objective smooth in one variable per bit, so that
    L-BFGS-B is exact and fast; the plain hinge has a slack variable per triplet. The objective
    ends no higher than at the weights `start`.
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
    # With a large C the line search ends in rounding: fine if the dual is feasible and tight.
    slope = np.where(found.x > 0, np.abs(found.jac), np.maximum(-found.jac, 0.0))
    # no step along a slope this flat changes the last digit of the objective
    curvature = 2.0 * scale * np.square(columns, dtype=np.float64).sum(axis=0).max(initial=0.0)
    flat = np.sqrt(2.0 * np.finfo(np.float64).eps * abs(found.fun) * curvature)
    converged = bool(found.success or slope.max() <= max(_ROUNDING, flat))
    return MasterSolution(found.x, 2.0 * scale * shortfall(found.x), float(found.fun), converged)
