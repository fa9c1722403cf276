"""Binary problems of quadratic losses, whose matrix is known through products only."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn._numerics.integer_products import dot_rows, pattern_dot
from hashlearn._numerics.threads import map_blocks
from hashlearn.affinity import Affinity
from hashlearn.inference import _kernels as kernels
from hashlearn.inference._problems import MAX_SWEEPS, BinaryProblem, rounding

MAX_BLOCK = 20_000  # codes in a block
MANY_SETS = 20_000  # above, sweeps over graded sets stop early: the objective ends 0.1 % higher
FEW_SWEEPS = 10
MAX_COUNT = 2**31  # n_items x n_bits: below, sums over both fit into int32


class QuadraticProblem(BinaryProblem):
    """The problem of a quadratic loss: A = W (Z Z^T - m Y) W, never stored.

    Z holds all bits, as small integers; `counted` is 1 for the bits that are in Z Z^T, 0 for the
    bit in question and for unlearned ones. Y is a complete affinity, graded or not, W the diagonal
    of weights.
    """

    needs = ""  # the attribute of an affinity that makes flips cheap here
    structure: Any = None  # its value

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
        self.bounds = block_bounds(len(Z))
        if self.needs:
            self.structure = getattr(affinity, self.needs)

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
        map_blocks(lambda a, b: dot_rows(self.Z, sums, out, a, b), self.bounds)
        return out

    def column(self, i: int) -> np.ndarray:
        """Return column i of A."""
        y = self.affinity.block(np.array([i]))[0]
        own, agreement = (self.counted * self.Z[i]).astype(np.float64), np.empty(self.size)
        dot_rows(self.Z, own, agreement, 0, self.size)
        column = self.weights * (agreement - self.n_bits * y.astype(np.float64)) * self.weights[i]
        column[i] = 0
        return column

    def _sweep(
        self,
        z: np.ndarray,
        product: np.ndarray,
        of_item: np.ndarray,
        own: np.ndarray,
        kept: np.ndarray,
        rows: tuple[np.ndarray, ...],
        factored: bool = False,
    ) -> np.ndarray:
        """Flip single variables in sweeps, where Y is known by sets; see `kernels.sweep_sets`."""
        z = z.copy()
        known = self.weights, kept, own, of_item, self.Z, self.counted, rounding(product)
        max_sweeps = FEW_SWEEPS if factored and self.size > MANY_SETS else MAX_SWEEPS
        kernels.sweep_sets(z, *known, max_sweeps, rows, factored)
        return z


class ClassProblem(QuadraticProblem):
    """The problem of a quadratic loss on classes."""

    needs = "classes"

    def flip(self, z: np.ndarray, product: np.ndarray) -> np.ndarray:
        """Flip single variables in sweeps; a flip costs the bits of one item."""
        sums = np.bincount(self.structure, weights=self.weights * z)
        positions = np.arange(sums.size + 1, dtype=np.int32)  # as those of sparse matrices
        only_itself = positions, positions[:-1]
        return self._sweep(z, product, self.structure, np.ones(sums.size), sums, only_itself)


class LabelSetProblem(QuadraticProblem):
    """The problem of a quadratic loss on label sets."""

    needs = "label_sets"
    rough_above = 2_000

    def moved(self, z: np.ndarray, product: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return A times other signs: only sets of items that moved are read, if few did."""
        return product + self.dot(other - z)

    def flip(self, z: np.ndarray, product: np.ndarray) -> np.ndarray:
        """Flip single variables in sweeps; a flip costs one row of the pairs of label sets."""
        pairs, of_item, own = self.structure
        kept = pairs.kept(np.bincount(of_item, weights=self.weights * z))
        known = of_item, own.astype(np.float64), kept, pairs.compiled_rows(), pairs.factored
        return self._sweep(z, product, *known)


class GraphProblem(QuadraticProblem):
    """The problem of a quadratic loss on a neighbour graph, Y = 2 S - 1."""

    needs = "similar_pairs"

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
        # every item is a set of its own, which is not similar to itself
        items, own = np.arange(self.size), np.full(self.size, -1.0)
        near = pattern_dot(self.structure, self.weights * z)
        rows = self.structure.indptr, self.structure.indices
        return self._sweep(z, product, items, own, near, rows)

    def _flip_equal(self, z: np.ndarray) -> np.ndarray:
        """Flip variables of weight 1: with integers, which are faster and exact."""
        z, graph = z.astype(np.int32), self.structure
        near = pattern_dot(graph, z)
        kernels.sweep_graph(
            z, near, graph.indptr, graph.indices, self.Z, self.counted, self.n_bits, MAX_SWEEPS
        )
        return z.astype(np.float64)


STRUCTURED = (ClassProblem, LabelSetProblem, GraphProblem)


def product_problem(affinity: Affinity) -> type[QuadraticProblem]:
    """Return the problem with the cheapest flips that the affinity offers what it needs."""
    for problem in STRUCTURED:
        if getattr(affinity, problem.needs) is not None:
            return problem
    return QuadraticProblem


def bit_sums(Z: np.ndarray, u: np.ndarray, bounds: list[int]) -> np.ndarray:
    """Return Z^T u for codes, which are not copied; the bounds are those of their blocks."""
    return np.sum(map_blocks(lambda a, b: kernels.bit_sums(Z, u, a, b), bounds), axis=0)


def block_bounds(n_codes: int) -> list[int]:
    """Return the bounds of equal blocks of codes, which do not depend on the number of threads."""
    return np.linspace(0, n_codes, -(-n_codes // MAX_BLOCK) + 1).astype(int).tolist()
