"""Bits inferred one at a time, each given the final values of those before it."""

from __future__ import annotations

import numpy as np

from hashlearn.inference._objectives import Objective
from hashlearn.inference._problems import BinaryProblem
from hashlearn.inference.base import Solver


class BitByBit:
    """Bits inferred one at a time: infer a bit, decide its final values, keep these, go on.

    Stagewise learning keeps the outputs of a bit's hash function, so that later bits see its
    errors. Bits that are not kept yet are left out of the loss. `CoordinateDescent.bit_by_bit`
    makes it.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.affinity import LabelAffinity
    >>> from hashlearn.inference import CoordinateDescent
    >>> from hashlearn.losses import KSHLoss
    >>> bits = CoordinateDescent().bit_by_bit(
    ...     LabelAffinity([0, 0, 1]), KSHLoss(), 1, random_state=np.random.RandomState(0)
    ... )
    >>> bit = bits.infer(0)
    >>> bool(bit[0] == bit[1]), bool(bit[0] == bit[2])
    (True, False)
    >>> bits.keep(0, bit)
    0.0
    """

    def __init__(
        self,
        objective: Objective,
        factor: float,
        solver: Solver,
        random_state: np.random.RandomState,
    ) -> None:
        self._objective = objective
        self._factor = factor
        self._solver = solver
        self._random_state = random_state

    def infer(self, k: int) -> np.ndarray:
        """Return bit k of every item as booleans, given the bits that are kept."""
        self._problem = self._objective.problem(k).stored()
        unlearned = np.zeros(self._problem.size, dtype=np.int8)
        return self._solver.minimise(self._problem, unlearned, self._random_state) > 0

    def influence(self) -> np.ndarray:
        """Return how much each item's last inferred bit can change, with mean 1."""
        return _influence(self._problem)

    def keep(self, k: int, bit: np.ndarray) -> float:
        """Fix the values of bit k; return the loss over the bits that are kept."""
        self._objective.set_bit(k, np.where(bit, 1, -1))
        return self._factor * self._objective.value()


def _influence(problem: BinaryProblem) -> np.ndarray:
    """Return the sum over j of abs(a_ij) for every item, with mean 1."""
    totals = np.asarray(abs(problem.stored().A).sum(axis=1), dtype=np.float64).ravel()
    return totals / totals.mean() if totals.any() else np.ones_like(totals)
