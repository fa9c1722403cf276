"""Binary quadratic problems: minimise z^T A z over z in {-1, +1}^n.

One bit of Algorithm 1 is such a problem (the paper's Proposition 1). Its matrix is symmetric
with a zero diagonal. Whether it is stored, sparse, or known through products only is hidden
here: solvers ask for products, and for flips of single items.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn.affinity.base import Affinity
from hashlearn.affinity.neighbors import NeighborAffinity
from hashlearn.inference import kernels

MAX_FLIPS = 1_000  # where a flip costs a whole column of A
MAX_SWEEPS = 100  # where a flip costs only what it changes
TOLERANCE = 1e-9  # a gain below this part of the largest product is rounding


class BinaryProblem(ABC):
    """Minimise z^T A z over z in {-1, +1}^n; A symmetric, its diagonal zero.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        How many items each variable stands for.
    self_terms : ndarray of shape (n,)
        The part of z^T A z that pairs inside each variable's group would add to the diagonal.
        It is constant for signs, but the spectral relaxation sees it.
    """

    def __init__(self, weights: np.ndarray, self_terms: np.ndarray) -> None:
        self.weights = weights
        self.self_terms = self_terms

    @property
    def size(self) -> int:
        """Number of variables."""
        return self.weights.size

    @abstractmethod
    def dot(self, v: np.ndarray) -> np.ndarray:
        """Return A v, for a vector or for the columns of a matrix."""

    @abstractmethod
    def column(self, i: int) -> np.ndarray:
        """Return column i of A."""

    def flip(self, z: np.ndarray, product: np.ndarray) -> np.ndarray:
        """Flip single variables while that lowers the value, the best one first.

        Parameters
        ----------
        z : ndarray of shape (n,)
            Signs, as float64.
        product : ndarray of shape (n,)
            A z.

        Returns
        -------
        z : ndarray of shape (n,)
        """
        z, product = z.copy(), product.copy()
        tolerance = TOLERANCE * np.abs(product).max(initial=0)
        for _ in range(MAX_FLIPS):
            i = int(np.argmax(z * product))
            if z[i] * product[i] <= tolerance:
                break
            product -= 2 * z[i] * self.column(i)
            z[i] = -z[i]
        return z


class DenseProblem(BinaryProblem):
    """A problem whose matrix is an array."""

    def __init__(self, A: np.ndarray, weights: np.ndarray, self_terms: np.ndarray) -> None:
        super().__init__(weights, self_terms)
        self.A = A

    def dot(self, v: np.ndarray) -> np.ndarray:
        """Return A v."""
        return self.A @ v.astype(self.A.dtype, copy=False)

    def column(self, i: int) -> np.ndarray:
        """Return column i of A."""
        return self.A[i]  # A is symmetric, and rows are contiguous

    def flip(self, z: np.ndarray, product: np.ndarray) -> np.ndarray:
        """Flip single variables while that lowers the value, the best one first."""
        z = z.copy()
        kernels.flip_dense(z, product.copy(), self.A, TOLERANCE, MAX_FLIPS)
        return z


class SparseProblem(BinaryProblem):
    """A problem whose matrix is stored in CSR form."""

    def __init__(self, A: Any, weights: np.ndarray, self_terms: np.ndarray) -> None:
        super().__init__(weights, self_terms)
        self.A = sp.csr_array(A)

    def dot(self, v: np.ndarray) -> np.ndarray:
        """Return A v."""
        return self.A @ v

    def column(self, i: int) -> np.ndarray:
        """Return column i of A."""
        return self.A[[i]].toarray()[0]

    def flip(self, z: np.ndarray, product: np.ndarray) -> np.ndarray:
        """Flip single variables in sweeps; a flip costs the entries of one row."""
        z = z.copy()
        A, tolerance = self.A, TOLERANCE * np.abs(product).max(initial=0)
        kernels.sweep_sparse(z, product.copy(), A.indptr, A.indices, A.data, tolerance, MAX_SWEEPS)
        return z


class QuadraticProblem(BinaryProblem):
    """The problem of a quadratic loss: A = W (Z Z^T - m Y) W, never stored.

    Parameters
    ----------
    Z : ndarray of shape (n, n_other_bits)
        The other bits.
    affinity : Affinity
        A complete affinity, Y.
    n_bits : int
        The paper's m.
    weights, self_terms : ndarray of shape (n,)
        See `BinaryProblem`; W is the diagonal matrix of the weights.
    """

    def __init__(
        self,
        Z: np.ndarray,
        affinity: Affinity,
        n_bits: int,
        weights: np.ndarray,
        self_terms: np.ndarray,
    ) -> None:
        super().__init__(weights, self_terms)
        self.Z = Z.astype(np.float64)
        self.affinity = affinity
        self.n_bits = n_bits

    def dot(self, v: np.ndarray) -> np.ndarray:
        """Return A v in O(n m) plus one product with the affinity."""
        weights = self.weights if v.ndim == 1 else self.weights[:, None]
        u = weights * v
        diagonal = self.Z.shape[1] * u  # Z Z^T has the number of other bits there
        return weights * (self.Z @ (self.Z.T @ u) - diagonal - self.n_bits * self.affinity.dot(u))

    def column(self, i: int) -> np.ndarray:
        """Return column i of A."""
        y = self.affinity.block(np.array([i]))[0]
        column = self.weights * (self.Z @ self.Z[i] - self.n_bits * y) * self.weights[i]
        column[i] = 0
        return column


class GraphProblem(QuadraticProblem):
    """The problem of a quadratic loss on a neighbour graph, Y = 2 S - 1, all weights 1."""

    affinity: NeighborAffinity

    def flip(self, z: np.ndarray, product: np.ndarray) -> np.ndarray:
        """Flip single variables in sweeps; a flip costs the bits and edges of one item."""
        z, graph = z.copy(), self.affinity.similar
        kernels.sweep_graph(
            z, graph @ z, graph.indptr, graph.indices, self.Z, self.n_bits, MAX_SWEEPS
        )
        return z
