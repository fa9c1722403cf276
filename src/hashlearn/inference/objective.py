"""Step 1's objective as a function of the codes, with one bit free at a time: its face."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from hashlearn.affinity.base import Affinity
from hashlearn.inference.problems import BinaryProblem
from hashlearn.losses.base import Loss, loss_table


class Objective(ABC):
    """The sum of losses over defined ordered pairs, for items or weighted groups of them.

    Parameters
    ----------
    affinity : Affinity
        Among items, or among representatives of groups.
    loss : Loss
        A canonical loss.
    n_bits : int
        The paper's m.
    weights : ndarray of shape (n,)
        How many items each variable stands for.
    inside : ndarray of shape (n,)
        How many similar ordered pairs lie inside each variable's group.

    Attributes
    ----------
    codes : ndarray of shape (n, n_bits)
        In {-1, +1}; a bit that is not learned yet is 0 and counts nowhere.
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
        """Give bit k of all variables."""
        old = self.codes[:, k].copy()
        self.codes[:, k] = z
        self._bit_changed(k, old)

    @property
    def can_move_codes(self) -> bool:
        """Whether this form knows how to move whole codes, not only bits."""
        return False

    def moved_codes(self) -> np.ndarray:
        """Return codes that are no worse than those that are, and farther apart."""
        return self.codes

    def is_optimal(self) -> bool:
        """Tell whether the codes are known to be as good as any."""
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
        """Bring what is derived from the codes up to date, where a form keeps such a thing."""
