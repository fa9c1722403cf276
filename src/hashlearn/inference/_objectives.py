"""Step 1's objective as a function of the codes, with one bit free at a time.

Its forms hold every pair as a position in a table, graded pairs by formula, or stored pairs only.
For quadratic losses and an affinity with cheap products, one form holds no pairs at all.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.threads import map_blocks, n_threads
from hashlearn.affinity import Affinity
from hashlearn.inference import _kernels as kernels
from hashlearn.inference._code_bounds import least_class_loss
from hashlearn.inference._code_moves import improve_class_codes
from hashlearn.inference._problems import BinaryProblem, DenseProblem, SparseProblem
from hashlearn.inference._product_problems import bit_sums, block_bounds, product_problem
from hashlearn.losses import KSHLoss, Loss, difference_table, loss_table, tabulate

MIN_THREADED_ITEMS = 500  # below, starting threads takes longer than the work
MAX_TINY_ITEMS = 64  # up to here pairs in a matrix cost less than the products that avoid it
MAX_DENSE_ITEMS = 20_000  # T and A together take 2.4 GB at this number
MAX_GRADED_ITEMS = 20_000  # a few matrices of float64, 3.2 GB each at this number
OPTIMALITY = 1e-4  # above a lower bound, relative: less is not worth a cycle


class Objective(ABC):
    """The sum of losses over defined ordered pairs, for items or weighted groups of them.

    The affinity is among items, or among representatives of groups. A variable stands for
    `weights` items, with `inside` similar ordered pairs among them. `codes` are in {-1, +1}; a bit
    that is not learned yet is 0 and does not count.
    """

    def __init__(
        self,
        affinity: Affinity,
        loss: Loss,
        n_bits: int,
        weights: np.ndarray,
        inside: np.ndarray,
    ) -> None:
        self.affinity = affinity
        self.loss = loss
        self.n_bits = n_bits
        self.weights = weights.astype(np.float64)
        self.inside = inside.astype(np.float64)
        self.table = loss_table(loss, n_bits)
        self.codes = np.zeros((affinity.n_items, n_bits), dtype=np.int8)

    def value(self) -> float:
        """Return the objective of the codes."""
        equal = self.table[2, self._n_learned() + self.n_bits]
        return self._between() + float(equal * self.inside.sum())

    def set_bit(self, k: int, z: np.ndarray) -> None:
        """Set bit k of all variables."""
        old = self.codes[:, k].copy()
        self.codes[:, k] = z
        self._bit_changed(k, old)

    @property
    def can_move_codes(self) -> bool:
        """Whether this form can move whole codes, not only bits."""
        return False

    def moved_codes(self) -> np.ndarray:
        """Return codes that cost no more than the present ones, and lie farther apart."""
        return self.codes

    def is_optimal(self) -> bool:
        """Return whether the codes are known to be as good as any."""
        return False

    def _self_terms(self, k: int) -> np.ndarray:
        equal = self._n_learned() - abs(int(self.codes[0, k])) + self.n_bits
        return self.inside * (self.table[2, equal + 1] - self.table[2, equal - 1])

    def _n_learned(self) -> int:
        return int(np.abs(self.codes[0]).sum())

    @abstractmethod
    def problem(self, k: int) -> BinaryProblem:
        """Return the problem of bit k, the other bits fixed."""

    @abstractmethod
    def _between(self) -> float:
        """Return the objective's part over pairs of different variables."""

    def _bit_changed(self, k: int, old: np.ndarray) -> None:  # noqa: B027
        """Update what a form derives from the codes."""


class DenseObjective(Objective):
    """All pairs, as positions in the table of losses; see `_kernels`."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        n, m = self.affinity.n_items, self.n_bits
        # float32 halves the traffic of products; values decide in float64
        self.dtype = np.float32 if n > 500 else np.float64
        Y = self.affinity.block(slice(None)).astype(np.int16)
        self.T = (Y + 1) * np.int16(2 * m + 1) + np.int16(m)
        self.A = np.empty((n, n), dtype=self.dtype)
        n_blocks = n_threads() if n >= MIN_THREADED_ITEMS else 1
        self.bounds = np.linspace(0, n, n_blocks + 1).astype(int).tolist()
        self.steps = np.pad(difference_table(self.table), ((0, 0), (1, 1))).astype(self.dtype)

    def problem(self, k: int) -> BinaryProblem:
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
        is_complete = self.affinity.complete
        self.defined = ~np.eye(len(self.Y), dtype=bool) if is_complete else self.Y != 0

    def problem(self, k: int) -> BinaryProblem:
        others = np.delete(self.codes, k, axis=1).astype(np.float64)
        s = others @ others.T
        A = self._losses(s + 1) - self._losses(s - 1)
        return DenseProblem(A, self.weights, self._self_terms(k))

    def _between(self) -> float:
        Z = self.codes.astype(np.float64)
        return float(self._losses(Z @ Z.T).sum())

    def _losses(self, s: np.ndarray) -> np.ndarray:
        losses = np.where(self.defined, self.loss(s, self.Y, self.n_bits), 0.0)
        return self.weights[:, None] * losses * self.weights


class SparseObjective(Objective):
    """Stored pairs only: the Hamming affinity s of each, in the order of the sparse matrix."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.Y = self.affinity.as_sparse()
        items = np.arange(self.Y.shape[0], dtype=np.int32)
        self.rows = np.repeat(items, np.diff(self.Y.indptr))
        self.pair_weights = self.weights[self.rows] * self.weights[self.Y.indices]
        self.s = np.zeros(self.Y.nnz, dtype=np.int16)
        self.steps = difference_table(self.table)

    def problem(self, k: int) -> BinaryProblem:
        others = self.s - self._products(self.codes[:, k])
        data = self.steps[self.Y.data + 1, others + self.n_bits - 1] * self.pair_weights
        A = sp.csr_array((data, self.Y.indices, self.Y.indptr), shape=self.Y.shape)
        return SparseProblem(A, self.weights, self._self_terms(k))

    def _between(self) -> float:
        losses = self.table[self.Y.data + 1, self.s + self.n_bits]
        return float(losses @ self.pair_weights)

    def _bit_changed(self, k: int, old: np.ndarray) -> None:
        self.s += self._products(self.codes[:, k]) - self._products(old)

    def _products(self, z: np.ndarray) -> np.ndarray:
        return (z[self.rows] * z[self.Y.indices]).astype(np.int16)


class QuadraticObjective(Objective):
    """KSH's loss on a complete affinity, in O(n m) memory.

    The sum of (s - m y)^2 over pairs needs the m x m Gram matrix of the bits, one number
    z^T Y z per bit, and counts.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.agreement = np.zeros(self.n_bits)  # z^T W Y W z per bit
        self.gram = np.zeros((self.n_bits, self.n_bits))  # Z^T W Z
        self.squares = np.zeros(self.n_bits)  # of the Gram matrix, summed per row
        self.bounds = block_bounds(len(self.codes))
        self.form = product_problem(self.affinity)
        self.own = (self.weights**2).sum()
        self.constant = self.n_bits**2 * self.affinity.sum_of_squares(self.weights)

    def problem(self, k: int) -> BinaryProblem:
        counted = self.codes[0] != 0
        counted[k] = False
        # the factor 4 of KSH's difference is left out of A, and of the diagonal with it
        self_terms = self._self_terms(k) / 4
        return self.form(self.codes, counted, self.affinity, self.weights, self_terms)

    @property
    def can_move_codes(self) -> bool:
        """Whether each variable is a class of its own."""
        return self.affinity.classes is not None and not self.affinity.n_similar

    def moved_codes(self) -> np.ndarray:
        """Return codes of classes that cost no more than the present ones, farther apart."""
        return improve_class_codes(self.codes, self.weights)

    def is_optimal(self) -> bool:
        """Return whether classes are so near a lower bound that a cycle is not worth it."""
        if not self.can_move_codes:
            return False
        return self.value() <= (1 + OPTIMALITY) * least_class_loss(self.weights, self.n_bits)

    def _between(self) -> float:
        squares = self.squares.sum() - self.own * self._n_learned() ** 2
        return float(squares - 2 * self.n_bits * self.agreement.sum() + self.constant)

    def _bit_changed(self, k: int, old: np.ndarray) -> None:
        if np.array_equal(old, self.codes[:, k]):
            return
        z = self.weights * self.codes[:, k]
        self.agreement[k] = z @ self.affinity.dot(z)
        row = bit_sums(self.codes, z, self.bounds)
        self.squares += row**2 - self.gram[k] ** 2
        self.squares[k] = (row**2).sum()
        self.gram[k] = self.gram[:, k] = row


def make_objective(
    affinity: Affinity,
    loss: Loss,
    n_bits: int,
    weights: np.ndarray,
    inside: np.ndarray,
    random_state: np.random.RandomState,
) -> tuple[Objective, float]:
    """Return the objective in the cheapest form, and the factor of the loss it is in."""
    loss, factor = _canonical(loss, n_bits)
    form: type[Objective] = DenseObjective
    if affinity.stored_pairs is not None:
        form = SparseObjective
    elif loss.quadratic and _has_products(affinity):
        form = QuadraticObjective
    elif affinity.graded:
        form = GradedObjective
        _check_size(affinity)
    elif affinity.n_items > MAX_DENSE_ITEMS:
        form, affinity = SparseObjective, affinity.sample_pairs(random_state)
        warnings.warn(
            f"{loss!r} on more than {MAX_DENSE_ITEMS} items or classes uses {affinity!r}, a sample "
            "of the dissimilar ones, and codes suffer where neighbours are few; 'ksh' and 'bre' "
            "use all pairs.",
            stacklevel=2,
        )
    return form(affinity, loss, n_bits, weights, inside), factor


def _check_size(affinity: Affinity) -> None:
    if affinity.n_items > MAX_GRADED_ITEMS:
        remedy = "Learn from fewer items."
        if affinity.cheap_products:
            remedy = (
                "Use 'ksh' or 'bre', which need no pairs of label sets, or similarity='shared'."
            )
        raise ValueError(
            "On a graded affinity all pairs of items or groups are in memory, of at most "
            f"{MAX_GRADED_ITEMS:,}; got {affinity!r}. {remedy}"
        )


def _has_products(affinity: Affinity) -> bool:
    """Return whether products with the affinity can replace its pairs, and are worth it.

    They can where every pair is defined: an undefined one, a zero of Y, must not count.
    """
    can_replace = affinity.complete and affinity.cheap_products
    return can_replace and affinity.n_items > MAX_TINY_ITEMS


def _canonical(loss: Loss, n_bits: int) -> tuple[Loss, float]:
    """Return the loss to solve with and its factor: every quadratic loss is KSH's, scaled.

    With KSH's loss the pairs' weights are integers, so equal problems get equal codes.
    """
    if not loss.quadratic:
        return loss, 1.0
    ksh, table = tabulate(KSHLoss(), n_bits), loss_table(loss, n_bits)
    factor = float(table[0, n_bits]) / n_bits**2  # KSH's at s = 0 is m^2
    rounding = 1e-8 * table.max()
    if factor <= 0 or not np.allclose(table, factor * loss_table(ksh, n_bits), atol=rounding):
        raise ValueError(
            f"{loss!r} has quadratic=True, so it must be a positive factor times KSH's; it is not."
        )
    return ksh, factor
