"""Step 1's objective for quadratic losses, which need no pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn.affinity.labels import LabelAffinity
from hashlearn.affinity.multilabel import MultilabelAffinity
from hashlearn.affinity.neighbors import NeighborAffinity
from hashlearn.inference.class_codes import improve_class_codes
from hashlearn.inference.code_bounds import least_class_loss
from hashlearn.inference.label_set_problem import LabelSetProblem
from hashlearn.inference.objective import Objective
from hashlearn.inference.problems import (
    BinaryProblem,
    ClassProblem,
    GraphProblem,
    QuadraticProblem,
    bit_sums,
    code_ranges,
)

OPTIMALITY = 1e-4  # above a lower bound, relative: less is not worth a cycle


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
        self.bounds = code_ranges(len(self.codes))
        self.own = (self.weights**2).sum()
        total = self.weights.sum() ** 2 - self.own
        self.constant = self.n_bits**2 * total  # y^2 = 1 for every pair

    def problem(self, k: int) -> BinaryProblem:
        """Return the problem of bit k, the other bits fixed."""
        counted = self.codes[0] != 0
        counted[k] = False
        # the factor 4 of KSH's difference is left out of A, and of the diagonal with it
        self_terms = self._self_terms(k) / 4
        form = self._form()
        return form(self.codes, counted, self.affinity, self.weights, self_terms)

    def _form(self) -> type[QuadraticProblem]:
        if isinstance(self.affinity, LabelAffinity):
            return ClassProblem
        if isinstance(self.affinity, MultilabelAffinity):
            return LabelSetProblem
        return GraphProblem if isinstance(self.affinity, NeighborAffinity) else QuadraticProblem

    @property
    def can_move_codes(self) -> bool:
        """Whether each variable is a class of its own."""
        return isinstance(self.affinity, LabelAffinity) and not self.affinity.n_similar

    def moved_codes(self) -> np.ndarray:
        """Return codes of classes that are no worse than those that are, and farther apart."""
        return improve_class_codes(self.codes, self.weights)

    def is_optimal(self) -> bool:
        """Tell whether classes are so near a lower bound that a cycle is not worth it."""
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
