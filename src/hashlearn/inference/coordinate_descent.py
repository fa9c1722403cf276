"""Algorithm 1 of the two-step paper: block coordinate descent, one bit at a time."""

from __future__ import annotations

from contextlib import nullcontext
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from hashlearn._numerics.blas import one_blas_thread
from hashlearn._progress import track
from hashlearn.affinity import Affinity, Groups, check_dissimilar
from hashlearn.files.checkpoint import remember
from hashlearn.inference._objectives import Objective, make_objective
from hashlearn.inference.base import (
    INFERENCE,
    SOLVERS,
    Inference,
    Solver,
    StepOne,
    as_item_weights,
    register,
)
from hashlearn.inference.bit_by_bit import BitByBit
from hashlearn.losses import Loss, is_groupable, tabulate

MIN_BLAS_ITEMS = 500  # below, matrix libraries use one thread anyway
STARTS = ("random", "ones", "empty")


@register("coordinate-descent")
class CoordinateDescent(Inference):
    """Algorithm 1: for each bit in turn solve the binary quadratic problem of that bit.

    A bit is replaced only if the objective falls, so the objective never rises. With 'sign-flip',
    a quadratic loss and more than 64 classes, whole codes are moved too, before the cycles and
    after them, so that classes get distinct codes far apart; codes within 1e-4 of a lower bound
    of the objective are left as they are.

    Parameters
    ----------
    solver : str or Solver, default="sign-flip"
        How a binary problem is solved: 'sign-flip', 'spectral', 'spectral-lbfgsb' (the
        paper's), 'random-lbfgsb' (its alternative) or 'graph-cut'.
    n_cycles : int, default=None
        The number of times that all bits are visited, the paper's r. None: the solver's
        default, which is 2 for 'sign-flip' and the paper's 1 for the others.
    start : {"random", "ones", "empty"}, default="random"
        Bits that are not learned yet: random signs, all +1, or left out of the loss. The paper
        does not specify it; random signs end lowest (docs/measurements.md).

    References
    ----------
    .. [1] Lin et al., "A General Two-Step Approach to Learning-Based Hashing", ICCV 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.affinity import LabelAffinity
    >>> from hashlearn.inference import CoordinateDescent
    >>> from hashlearn.losses import BRELoss
    >>> step_one = CoordinateDescent().infer(
    ...     LabelAffinity([0, 0, 1]), BRELoss(), 4, random_state=np.random.RandomState(0)
    ... )
    >>> bool((step_one.codes[0] == step_one.codes[1]).all())
    True
    >>> int((step_one.codes[0] != step_one.codes[2]).sum())
    4
    """

    one_by_one = True

    def __init__(
        self, solver: Any = "sign-flip", n_cycles: int | None = None, start: str = "random"
    ) -> None:
        self.solver = solver
        self.n_cycles = n_cycles
        self.start = start

    def check(self, loss: Loss) -> None:
        """Raise if a parameter is wrong, or all-equal codes are the loss's optimum."""
        self.make_solver().check()
        if self.start not in STARTS:
            raise ValueError(f"start must be one of {STARTS}; got {self.start!r}.")
        if self.n_cycles is not None:
            check_scalar(self.n_cycles, "n_cycles", Integral, min_val=1)
        if loss.needs_balance:
            raise ValueError(
                f"{loss!r} has all-equal codes as its optimum, which Algorithm 1 would find; "
                "use inference='eigenmap', whose bits are balanced."
            )

    def check_affinity(self, affinity: Affinity, loss: Loss) -> None:
        """Raise if no pair is dissimilar, or if the loss cannot take a graded affinity."""
        check_dissimilar(affinity)
        super().check_affinity(affinity, loss)

    def infer(
        self,
        affinity: Affinity,
        loss: Loss,
        n_bits: int,
        *,
        group: Any = "auto",
        sample_weight: np.ndarray | None = None,
        random_state: np.random.RandomState,
        verbose: int = 0,
    ) -> StepOne:
        """Return codes for the items of the affinity; see `Inference.infer`."""
        loss = tabulate(loss, n_bits)
        item_weights = as_item_weights(sample_weight, affinity.n_items)
        found = affinity.groups() if group == "auto" and is_groupable(loss, n_bits) else None
        is_shared = found is not None and found.representatives.size < affinity.n_items
        groups = None
        # without weights, groups of one item each are the items as they are
        if found is not None and (is_shared or sample_weight is not None):
            groups = _heaviest_first(found, item_weights)
        objective, factor = _objective(affinity, groups, loss, n_bits, item_weights, random_state)
        # matrix-vector products on two threads wait for each other for longer than they take;
        # for small problems, switching costs more than it saves
        is_large = objective.codes.shape[0] >= MIN_BLAS_ITEMS
        with one_blas_thread() if is_large else nullcontext():
            history = self._descend(objective, random_state, verbose)
        codes = (objective.codes > 0).astype(np.uint8)
        if groups is not None:
            codes = codes[groups.labels]
        labels = found.labels if found is not None and is_shared else None
        return StepOne(codes, factor * np.array(history), labels)

    def _descend(
        self, objective: Objective, random_state: np.random.RandomState, verbose: int
    ) -> list[float]:
        """Run the cycles; return the objective after every update, the last with all moves."""
        solver = self.make_solver()
        n_cycles = self.n_cycles or solver.n_cycles
        _start(objective, self.start, random_state)
        starts_well = solver.moves_codes and self.start == "random" and _move_codes(objective)
        history: list[float] = []
        steps = ((cycle, k) for cycle in range(n_cycles) for k in range(objective.n_bits))
        value, is_optimal = objective.value(), starts_well and objective.is_optimal()
        for cycle, k in track(steps, "Step 1: codes", n_cycles * objective.n_bits, verbose):
            if not is_optimal:
                is_known = cycle > 0 or starts_well
                value = _update(objective, k, value, solver, is_known, random_state)
            if objective.codes[0].all():  # with start="empty", once every bit counts
                history.append(value)
        if solver.moves_codes and not is_optimal and _move_codes(objective):
            history[-1] = objective.value()
        return history

    def bit_by_bit(
        self,
        affinity: Affinity,
        loss: Loss,
        n_bits: int,
        *,
        sample_weight: np.ndarray | None = None,
        random_state: np.random.RandomState,
    ) -> BitByBit:
        """Return bits to infer one at a time, each given the final values of those before it.

        Parameters
        ----------
        affinity, loss, n_bits, sample_weight, random_state
            As in `infer`; items are not grouped.
        """
        loss = tabulate(loss, n_bits)
        weights = as_item_weights(sample_weight, affinity.n_items)
        inside = np.zeros(affinity.n_items)
        made = make_objective(affinity, loss, n_bits, weights, inside, random_state)
        return BitByBit(*made, self.make_solver(), random_state)

    def make_solver(self) -> Solver:
        """Return the solver of single bits."""
        if isinstance(self.solver, Solver):
            return self.solver
        return SOLVERS.create(self.solver)


def as_inference(inference: Any, loss: Loss) -> Inference:
    """Return an inference method from a registered name, a solver's name or an instance.

    Parameters
    ----------
    inference : str or Inference
        "auto", a name in `INFERENCE` or in `SOLVERS`, or an instance.
    loss : Loss
        Decides what "auto" is.

    Returns
    -------
    inference : Inference

    Examples
    --------
    >>> from hashlearn.inference import as_inference
    >>> from hashlearn.losses import KSHLoss
    >>> as_inference("spectral-lbfgsb", KSHLoss())
    CoordinateDescent(solver='spectral-lbfgsb')
    """
    if isinstance(inference, Inference):
        return inference
    if not isinstance(inference, str):
        raise TypeError(f"inference must be a name or an Inference; got {inference!r}.")
    if inference == "auto":
        # a loss that pushes no pair apart needs balanced bits; else two fast cycles end lowest
        inference = "eigenmap" if loss.needs_balance else "sign-flip"
    if inference in SOLVERS.names():
        return CoordinateDescent(solver=inference)
    if inference in INFERENCE.names():
        return INFERENCE.create(inference)
    known = ", ".join(map(repr, ["auto", *SOLVERS.names(), *INFERENCE.names()]))
    raise ValueError(f"inference={inference!r} is not known; it must be one of {known}.")


def _heaviest_first(groups: Groups, item_weights: np.ndarray) -> Groups:
    """Return the groups in an order that shuffled items, or copies for weights, do not change.

    Groups of equal weight stay in the order of their first items.
    """
    weights = np.bincount(groups.labels, item_weights)
    order = np.argsort(-weights, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return Groups(rank[groups.labels], groups.representatives[order], groups.inside[order])


def _update(
    objective: Objective,
    k: int,
    before: float,
    solver: Solver,
    is_known: bool,
    random_state: np.random.RandomState,
) -> float:
    """Replace bit k if the objective falls; return the objective.

    The solver starts from the present bit only where that is known to be worth it.
    """
    old = objective.codes[:, k].copy()
    start = old if is_known else np.zeros_like(old)
    z = remember(
        f"Step 1: bit {k}",
        lambda: solver.minimise(objective.problem(k), start, random_state),
        random_state,
    )
    objective.set_bit(k, z)
    value = objective.value()
    if old.any() and not value < before:  # never worse
        objective.set_bit(k, old)
        return before
    return value


def _move_codes(objective: Objective) -> bool:
    """Move whole codes if the objective can; return whether it can."""
    if not objective.can_move_codes:
        return False
    codes = remember("Step 1: whole codes", objective.moved_codes)
    for k, z in enumerate(codes.T):
        objective.set_bit(k, z)
    return True


def _objective(
    affinity: Affinity,
    groups: Groups | None,
    loss: Loss,
    n_bits: int,
    item_weights: np.ndarray,
    random_state: np.random.RandomState,
) -> tuple[Objective, float]:
    """Return the objective over items, or over groups of exchangeable ones."""
    inside = affinity.inside(item_weights, groups)
    weights = item_weights
    if groups is not None:
        weights = np.bincount(groups.labels, weights=item_weights)
        affinity = affinity[groups.representatives]
    return make_objective(affinity, loss, n_bits, weights, inside, random_state)


def _start(objective: Objective, start: str, random_state: np.random.RandomState) -> None:
    """Give every bit its first value, unless bits are left out until they are learned."""
    if start == "empty":
        return
    Z = np.ones_like(objective.codes)
    if start == "random":
        Z = remember(
            "Step 1: start",
            lambda: 2 * random_state.randint(2, size=Z.shape, dtype=np.int8) - 1,
            random_state,
        )
    for k, z in enumerate(Z.T):
        objective.set_bit(k, z)
