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

from hashlearn._numerics.integer_products import pattern_dot
from hashlearn._numerics.threads import map_blocks
from hashlearn.affinity.base import Affinity
from hashlearn.affinity.labels import LabelAffinity
from hashlearn.affinity.neighbors import NeighborAffinity
from hashlearn.inference import kernels, label_set_kernels

MAX_RANGE = 20_000  # rows of codes that a thread works on at a time
MAX_COUNT = 2**31  # n_items x n_bits: below, sums over both fit into int32
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

    rough_above = 20_000  # variables: from here on a rough eigenvector must do

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

    def moved(self, z: np.ndarray, product: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return A times other signs, where A z is known as the product."""
        return self.dot(other).astype(np.float64)

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
    Z : ndarray of shape (n, n_bits)
        All bits, as small integers.
    counted : ndarray of shape (n_bits,)
        1 for the bits that are in Z Z^T, 0 for the bit in question and for unlearned ones.
    affinity : Affinity
        A complete affinity, Y.
    weights, self_terms : ndarray of shape (n,)
        See `BinaryProblem`; W is the diagonal matrix of the weights.
    """

    def __init__(
        self,
        Z: np.ndarray,
        counted: np.ndarray,
        affinity: Affinity,
        weights: np.ndarray,
        self_terms: np.ndarray,
    ) -> None:
        super().__init__(weights, self_terms)
        self.Z = Z
        self.counted = counted.astype(np.int32)
        self.affinity = affinity
        self.n_bits = Z.shape[1]
        self.bounds = code_ranges(len(Z))

    def dot(self, v: np.ndarray) -> np.ndarray:
        """Return A v in O(n m) plus one product with the affinity."""
        if v.ndim == 2:
            return np.stack([self.dot(column) for column in v.T], axis=1)
        u = self.weights * v
        diagonal = self.counted.sum() * u  # Z Z^T has the number of other bits there
        return self.weights * (self._bits_dot(u) - diagonal - self.n_bits * self.affinity.dot(u))

    def _bits_dot(self, u: np.ndarray) -> np.ndarray:
        """Return Z Z^T u over the counted bits."""
        sums, out = self.counted * bit_sums(self.Z, u, self.bounds), np.empty(len(u))
        map_blocks(lambda a, b: kernels.bits_dot(self.Z, sums, out, a, b), self.bounds)
        return out

    def column(self, i: int) -> np.ndarray:
        """Return column i of A."""
        y = self.affinity.block(np.array([i]))[0]
        agreement = np.empty(self.size)
        kernels.bits_dot(self.Z, self.counted * self.Z[i], agreement, 0, self.size)
        column = self.weights * (agreement - self.n_bits * y.astype(np.float64)) * self.weights[i]
        column[i] = 0
        return column


class GraphProblem(QuadraticProblem):
    """The problem of a quadratic loss on a neighbour graph, Y = 2 S - 1."""

    affinity: NeighborAffinity

    def __init__(
        self,
        Z: np.ndarray,
        counted: np.ndarray,
        affinity: Affinity,
        weights: np.ndarray,
        self_terms: np.ndarray,
    ) -> None:
        if (weights == weights[0]).all():  # a factor, and a diagonal that moves no eigenvector
            weights, self_terms = np.ones_like(weights), np.zeros_like(self_terms)
        super().__init__(Z, counted, affinity, weights, self_terms)

    def flip(self, z: np.ndarray, product: np.ndarray) -> np.ndarray:
        """Flip single variables in sweeps; a flip costs the bits and edges of one item."""
        if (self.weights == 1).all() and self.Z.size < MAX_COUNT:
            return self._flip_equal(z)
        z, graph, items = z.copy(), self.affinity.similar, np.arange(self.size)
        near, own = pattern_dot(graph, self.weights * z), np.full(self.size, -1.0)
        tolerance = TOLERANCE * np.abs(product).max(initial=0)
        # every item is a label set of its own, not similar to itself
        known = (z, self.weights, near, own, items, self.Z, self.counted, tolerance)
        label_set_kernels.sweep_listed_sets(*known, MAX_SWEEPS, graph.indptr, graph.indices)
        return z

    def _flip_equal(self, z: np.ndarray) -> np.ndarray:
        """Flip variables of weight 1: with integers, which are faster and exact."""
        z, graph = z.astype(np.int32), self.affinity.similar
        near = pattern_dot(graph, z)
        kernels.sweep_graph(
            z, near, graph.indptr, graph.indices, self.Z, self.counted, self.n_bits, MAX_SWEEPS
        )
        return z.astype(np.float64)


class ClassProblem(QuadraticProblem):
    """The problem of a quadratic loss on classes."""

    affinity: LabelAffinity

    def flip(self, z: np.ndarray, product: np.ndarray) -> np.ndarray:
        """Flip single variables in sweeps; a flip costs the bits of one item."""
        z, classes = z.copy(), self.affinity.classes
        sums = np.bincount(classes, weights=self.weights * z)
        tolerance = TOLERANCE * np.abs(product).max(initial=0)
        kernels.sweep_classes(
            z, self.weights, classes, sums, self.Z, self.counted, tolerance, MAX_SWEEPS
        )
        return z


def bit_sums(Z: np.ndarray, u: np.ndarray, bounds: list[int]) -> np.ndarray:
    """Return Z^T u for codes, which are not copied; the bounds are their ranges.

    Examples
    --------
    >>> bit_sums(np.array([[1, -1], [1, 1]], dtype=np.int8), np.array([2.0, 3.0]), [0, 2])
    array([5., 1.])
    """
    return np.sum(map_blocks(lambda a, b: kernels.bit_sums(Z, u, a, b), bounds), axis=0)


def code_ranges(n_codes: int) -> list[int]:
    """Return bounds of the ranges of codes that threads share, however many threads there are.

    Examples
    --------
    >>> code_ranges(50_000)
    [0, 16666, 33333, 50000]
    """
    return np.linspace(0, n_codes, -(-n_codes // MAX_RANGE) + 1).astype(int).tolist()
