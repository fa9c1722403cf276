"""The forms of Step 1's objective that hold pairs, and the choice of a form.

Every pair as a position in a table, graded pairs by formula, or stored pairs only; where a
product with the affinity is cheap, quadratic losses need none (`quadratic_objective`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.threads import map_blocks, n_threads
from hashlearn.affinity.base import Affinity
from hashlearn.affinity.labels import LabelAffinity
from hashlearn.affinity.multilabel import MultilabelAffinity
from hashlearn.affinity.neighbors import NeighborAffinity
from hashlearn.affinity.pairs import SparseAffinity
from hashlearn.inference import kernels
from hashlearn.inference.objective import Objective
from hashlearn.inference.problems import BinaryProblem, DenseProblem, SparseProblem
from hashlearn.inference.quadratic_objective import QuadraticObjective
from hashlearn.losses.base import Loss, canonical, difference_table

MIN_THREADED_ITEMS = 500  # below, starting threads takes longer than the work
MAX_TINY_ITEMS = 64  # up to here pairs in a matrix cost less than the products that avoid it
MAX_DENSE_ITEMS = 20_000  # T and A together take 2.4 GB at this number


class DenseObjective(Objective):
    """All pairs, as positions in the table of losses; see `kernels`."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        n, m = self.affinity.n_items, self.n_bits
        # float32 halves the traffic of products; values decide in float64
        self.dtype = np.float32 if n > 500 else np.float64
        Y = self.affinity.block(slice(None)).astype(np.int16)
        self.T = (Y + 1) * np.int16(2 * m + 1) + np.int16(m)
        self.A = np.empty((n, n), dtype=self.dtype)
        n_ranges = n_threads() if n >= MIN_THREADED_ITEMS else 1
        self.bounds = np.linspace(0, n, n_ranges + 1).astype(int).tolist()
        self.steps = np.pad(difference_table(self.table), ((0, 0), (1, 1))).astype(self.dtype)

    def problem(self, k: int) -> BinaryProblem:
        """Return the problem of bit k, the other bits fixed."""
        z = self.codes[:, k].astype(np.int16)
        weights = self.weights.astype(self.dtype)
        self._over_rows(kernels.fill_rows, z, self.steps.ravel(), weights, self.A)
        return DenseProblem(self.A, self.weights, self._self_terms(k))

    def _between(self) -> float:
        sums = np.empty(self.weights.size)
        self._over_rows(kernels.sum_rows, self.table.ravel(), self.weights, sums)
        return float(sums.sum())

    def _bit_changed(self, k: int, old: np.ndarray) -> None:
        new = self.codes[:, k].astype(np.int16)
        self._over_rows(kernels.move_rows, new, old.astype(np.int16))

    def _over_rows(self, kernel: Callable[..., None], *arguments: np.ndarray) -> None:
        """Run a kernel over all rows of T, on threads where that pays."""
        map_blocks(lambda start, stop: kernel(self.T, *arguments, start, stop), self.bounds)


class GradedObjective(Objective):
    """All pairs of a graded affinity: real y have no table, the formula is evaluated."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.Y = self.affinity.block(slice(None)).astype(np.float64)

    def problem(self, k: int) -> BinaryProblem:
        """Return the problem of bit k, the other bits fixed."""
        others = np.delete(self.codes, k, axis=1).astype(np.float64)
        s = others @ others.T
        A = self._losses(s + 1) - self._losses(s - 1)
        return DenseProblem(A, self.weights, self._self_terms(k))

    def _between(self) -> float:
        Z = self.codes.astype(np.float64)
        return float(self._losses(Z @ Z.T).sum())

    def _losses(self, s: np.ndarray) -> np.ndarray:
        losses = np.where(self.Y != 0, self.loss(s, self.Y, self.n_bits), 0.0)
        return self.weights[:, None] * losses * self.weights


class SparseObjective(Objective):
    """Stored pairs only: the Hamming affinity s of each, in the order of the sparse matrix."""

    affinity: SparseAffinity

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.Y = self.affinity.matrix
        items = np.arange(self.Y.shape[0], dtype=np.int32)
        self.rows = np.repeat(items, np.diff(self.Y.indptr))
        self.pair_weights = self.weights[self.rows] * self.weights[self.Y.indices]
        self.s = np.zeros(self.Y.nnz, dtype=np.int16)

    def problem(self, k: int) -> BinaryProblem:
        """Return the problem of bit k, the other bits fixed."""
        others = self.s - self._products(self.codes[:, k])
        steps = difference_table(self.table)
        data = steps[self.Y.data + 1, others + self.n_bits - 1] * self.pair_weights
        A = sp.csr_array((data, self.Y.indices, self.Y.indptr), shape=self.Y.shape)
        return SparseProblem(A, self.weights, self._self_terms(k))

    def _between(self) -> float:
        losses = self.table[self.Y.data + 1, self.s + self.n_bits]
        return float(losses @ self.pair_weights)

    def _bit_changed(self, k: int, old: np.ndarray) -> None:
        self.s += self._products(self.codes[:, k]) - self._products(old)

    def _products(self, z: np.ndarray) -> np.ndarray:
        return (z[self.rows] * z[self.Y.indices]).astype(np.int16)


def _has_products(affinity: Affinity) -> bool:
    """Tell whether products with the affinity replace its pairs, and are worth it.

    They do where every pair is +1 or -1: an undefined one, a zero of Y, must not count.
    """
    replace_pairs = affinity.complete and not affinity.graded
    return replace_pairs and affinity.cheap_products and affinity.n_items > MAX_TINY_ITEMS


def make_objective(
    affinity: Affinity,
    loss: Loss,
    n_bits: int,
    weights: np.ndarray,
    inside: np.ndarray,
    random_state: np.random.RandomState,
) -> tuple[Objective, float]:
    """Return the objective in the form that suits, and the factor of the loss it is in."""
    loss, factor = canonical(loss, n_bits)
    if isinstance(affinity, SparseAffinity):
        form: type[Objective] = SparseObjective
    elif loss.quadratic and _has_products(affinity):
        form = QuadraticObjective
    elif affinity.graded:
        form = GradedObjective
    elif affinity.n_items <= MAX_DENSE_ITEMS:
        form = DenseObjective
    elif isinstance(affinity, NeighborAffinity | LabelAffinity | MultilabelAffinity):
        form, affinity = SparseObjective, affinity.sample_pairs(random_state)
        warnings.warn(
            f"{loss!r} on more than {MAX_DENSE_ITEMS} items or classes uses {affinity!r}, a sample "
            "of the dissimilar ones, and codes suffer where neighbours are few; 'ksh' and 'bre' "
            "use all pairs.",
            stacklevel=2,
        )
    else:
        raise ValueError(
            f"{affinity.n_items} items or groups with {loss!r} would need all pairs in memory; "
            f"at most {MAX_DENSE_ITEMS} do. Use 'ksh' or 'bre', give sparse pairs, or fewer items."
        )
    return form(affinity, loss, n_bits, weights, inside), factor
