r"""The subproblem of CGHash: the linear bit that gains most on weighted triplets.

With z = +1/-1 for the bit's values, the gain :math:`\sum_t u_t (|h_i - h_k| - |h_i - h_j|)` is
:math:`\tfrac12 \sum_t u_t (z_i z_j - z_i z_k) = z^T B z`, B sparse. So a step costs one product
with the items and one with B, however many triplets share a pair.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.utils.extmath import row_norms

from hashlearn._numerics.arrays import is_sparse
from hashlearn.affinity import Triplets
from hashlearn.methods._parts.principal import mean_of

_N_RANDOM = 50  # random directions, of which the best is a start
_N_PRODUCTS = 20  # of the relaxed problem's matrix: a start needs no exact eigenvector
_EXHAUSTED = 1e-6  # a direction this much shorter than the last spans nothing new


class Bit(NamedTuple):
    """A linear bit: 1 where (x - mean)^T direction + offset > 0, and its column of triplets."""

    direction: np.ndarray
    offset: float
    column: np.ndarray
    gain: float


def triplet_column(bits: np.ndarray, triplets: Triplets) -> np.ndarray:
    """Return how much farther a bit puts the dissimilar item of each triplet: -1, 0 or 1.

    Examples
    --------
    >>> triplets = Triplets(np.array([0]), np.array([1]), np.array([2]))
    >>> triplet_column(np.array([True, True, False]), triplets)
    array([1.])
    """
    of_i = bits[triplets.i]
    return (of_i != bits[triplets.k]).astype(np.float64) - (of_i != bits[triplets.j])


def pair_matrix(duals: np.ndarray, triplets: Triplets, n_items: int) -> Any:
    """Return the symmetric B with z^T B z = the gain of the bit z.

    Examples
    --------
    >>> triplets = Triplets(np.array([0]), np.array([1]), np.array([2]))
    >>> pair_matrix(np.array([4.0]), triplets, 3).toarray()
    array([[ 0.,  1., -1.],
           [ 1.,  0.,  0.],
           [-1.,  0.,  0.]])
    """
    i, j, k = triplets
    values = np.concatenate([duals, -duals]) / 4.0
    pairs = (np.concatenate([i, i]), np.concatenate([j, k]))
    half = sp.csr_array((values, pairs), shape=(n_items, n_items))
    return sp.csr_array(half + half.T)


class BitSearch:
    """The search for bits on one set of items and triplets.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, n_features)
        The items.
    triplets : Triplets
        What should be nearer than what.
    n_steps : int
        The most ascent steps from each start.
    random_state : RandomState
        Draws the random directions.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [9.0]])
    >>> triplets = Triplets(np.array([0]), np.array([1]), np.array([2]))
    >>> search = BitSearch(X, triplets, 30, np.random.RandomState(0))
    >>> search.best(np.ones(1)).gain  # the best there is: it parts 0 and 2, not 0 and 1
    1.0
    """

    def __init__(
        self, X: Any, triplets: Triplets, n_steps: int, random_state: np.random.RandomState
    ) -> None:
        self.triplets = triplets
        self.n_steps = n_steps
        self.random_state = random_state
        self.mean = mean_of(X)
        self._scale_items(X)

    def best(self, duals: np.ndarray) -> Bit:
        """Return the bit of the largest gain that any start leads to."""
        B = pair_matrix(duals / (duals.sum() or 1.0), self.triplets, self.X.shape[0])
        B = B.astype(self.X.dtype)
        starts = (self._relaxed_start(B), self._random_start(B))
        bits = [self._bit(self._ascend(B, start), duals) for start in starts]
        return max(bits, key=lambda bit: bit.gain)

    def _scale_items(self, X: Any) -> None:
        """Keep the items less their mean over their mean length: steps fit any unit of X."""
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
        """Return about the leading eigenvector of X^T B X: margins in place of their signs."""

        def product(v: np.ndarray) -> np.ndarray:
            return self._adjoint(B @ self._margins(v))

        return leading_direction(product, self.random_state.normal(size=self.mean.size))

    def _random_start(self, B: Any) -> np.ndarray:
        """Return the best of some random directions."""
        V = self.random_state.normal(size=(self.mean.size, _N_RANDOM))
        Z = np.where(self._margins(V) > 0, 1.0, -1.0).astype(self.X.dtype)
        return V[:, np.einsum("ij,ij->j", Z, B @ Z).argmax()]

    def _ascend(self, B: Any, start: np.ndarray) -> np.ndarray:
        """Raise z^T B z, tanh in place of the sign; the offset is the last number."""

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
    """Return about the eigenvector of the largest eigenvalue, the best in a Krylov space.

    Parameters
    ----------
    product : callable
        From a vector to its product with a symmetric matrix.
    start : ndarray of shape (n,)
        Any vector that is not 0.

    Examples
    --------
    >>> np.abs(leading_direction(lambda v: np.array([-5.0, 2.0]) * v, np.ones(2))).round(3)
    array([0., 1.])
    """
    basis, products = [start / np.linalg.norm(start)], []
    while True:
        products.append(product(basis[-1]))
        if len(products) == min(_N_PRODUCTS, start.size):
            break
        Q, rest = np.array(basis), products[-1]
        for _ in range(2):  # once leaves rounding that grows
            rest = rest - (Q @ rest) @ Q
        length = np.linalg.norm(rest)
        if not length > _EXHAUSTED * np.linalg.norm(products[-1]):
            break
        basis.append(rest / length)
    Q = np.array(basis)
    small = Q @ np.array(products).T
    return np.linalg.eigh((small + small.T) / 2)[1][:, -1] @ Q


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
