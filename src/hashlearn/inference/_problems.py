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

from hashlearn.inference import _kernels as kernels

MAX_FLIPS = 1_000  # where a flip costs a whole column of A
MAX_SWEEPS = 100  # where a flip costs only what it changes
MAX_STORED_ITEMS = 5_000  # of problems known through products; with all copies some 2 GB
TOLERANCE = 1e-9  # a gain below this part of the largest product is rounding


class BinaryProblem(ABC):
    """Minimise z^T A z over z in {-1, +1}^n; A symmetric, its diagonal zero.

    `weights` are the numbers of items that the variables stand for, `self_terms` the part of
    z^T A z that pairs inside each variable's group would add to the diagonal. They are constant
    for signs, but the spectral relaxation sees them.
    """

    rough_above = 20_000  # variables; above, a rough eigenvector is computed

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

    def stored(self) -> DenseProblem | SparseProblem:
        """Return the problem with its matrix in memory."""
        if self.size > MAX_STORED_ITEMS:
            raise ValueError(
                f"All pairs of {self.size:,} items must be in memory, which holds those of at most "
                f"{MAX_STORED_ITEMS:,} items; use inference='sign-flip', stagewise=True, or give "
                "sparse pairs."
            )
        return DenseProblem(self.dot(np.eye(self.size)), self.weights, self.self_terms)

    def flip(self, z: np.ndarray, product: np.ndarray) -> np.ndarray:
        """Flip single variables while that lowers the value, the best one first.

        `z` are signs as float64, `product` is A z; both are left as they are.
        """
        z, product = z.copy(), product.copy()
        tolerance = rounding(product)
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
        return self.A @ v.astype(self.A.dtype, copy=False)

    def column(self, i: int) -> np.ndarray:
        return self.A[i]  # A is symmetric, and rows are contiguous

    def stored(self) -> DenseProblem:
        """Return the problem itself."""
        return self

    def flip(self, z: np.ndarray, product: np.ndarray) -> np.ndarray:
        """Flip single variables while that lowers the value, the best one first."""
        z = z.copy()
        kernels.flip_dense(z, product.copy(), self.A, rounding(product), MAX_FLIPS)
        return z


class SparseProblem(BinaryProblem):
    """A problem whose matrix is stored in CSR form."""

    def __init__(self, A: Any, weights: np.ndarray, self_terms: np.ndarray) -> None:
        super().__init__(weights, self_terms)
        self.A = sp.csr_array(A)

    def dot(self, v: np.ndarray) -> np.ndarray:
        return self.A @ v

    def column(self, i: int) -> np.ndarray:
        return self.A[[i]].toarray()[0]

    def stored(self) -> SparseProblem:
        """Return the problem itself."""
        return self

    def flip(self, z: np.ndarray, product: np.ndarray) -> np.ndarray:
        """Flip single variables in sweeps; a flip costs the entries of one row."""
        z, A = z.copy(), self.A
        known = product.copy(), A.indptr, A.indices, A.data, rounding(product)
        kernels.sweep_sparse(z, *known, MAX_SWEEPS)
        return z


def rounding(product: np.ndarray) -> float:
    """Return the gain below which a flip is rounding, given A z."""
    return TOLERANCE * np.abs(product).max(initial=0)
