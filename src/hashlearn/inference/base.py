"""Base classes of Step 1: inference methods, and solvers of the problem of one bit."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from hashlearn._registry import Registry
from hashlearn.affinity import Affinity
from hashlearn.inference._problems import BinaryProblem
from hashlearn.losses import LOSSES, Loss

INFERENCE: Registry[Inference] = Registry("inference")
register = INFERENCE.register

SOLVERS: Registry[Solver] = Registry("solver")
register_solver = SOLVERS.register


class StepOne(NamedTuple):
    """The result of Step 1.

    Attributes
    ----------
    codes : ndarray of shape (n_items, n_bits)
        The codes, 0/1.
    objective : ndarray
        The loss over defined ordered pairs after every bit update.
    groups : ndarray of shape (n_items,) or None
        The group of every item, if exchangeable items shared one code.
    """

    codes: np.ndarray
    objective: np.ndarray
    groups: np.ndarray | None


class Inference(BaseEstimator):
    """Step 1: infer codes that fit a pairwise loss.

    The caller runs `check` as soon as the loss is known and `check_affinity` as soon as the
    affinity is, before any long work. `infer` does not repeat them.

    Attributes
    ----------
    one_by_one : bool
        Whether bits can be inferred one at a time, by `bit_by_bit`. Default: False.
    """

    one_by_one = False

    @abstractmethod
    def check(self, loss: Loss) -> None:
        """Raise if a parameter is wrong or this loss cannot be used here."""

    def check_affinity(self, affinity: Affinity, loss: Loss) -> None:
        """Raise if this affinity cannot be used here; at least, if the loss cannot take it."""
        if affinity.graded and not loss.graded:
            graded = ", ".join(repr(name) for name in LOSSES.names() if LOSSES.get(name).graded)
            raise ValueError(
                f"{loss!r} needs an affinity of +1 and -1 only, and this one is graded; "
                f"use one of {graded}, or round the affinity."
            )

    @abstractmethod
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
        """Return codes for the items of the affinity.

        Parameters
        ----------
        affinity : Affinity
            What should be near.
        loss : Loss
            How wrong a pair is.
        n_bits : int
            Bits per code.
        group : "auto" or False, default="auto"
            Whether exchangeable items share one code.
        sample_weight : ndarray of shape (n_items,), default=None
            The weight of each item, more than 0; a whole number is equivalent to as many copies
            of the item (see `Affinity.__getitem__`). None: 1 each.
        random_state : RandomState
            The random state to draw with.
        verbose : int, default=0
            If above 0, progress is shown.

        Returns
        -------
        step_one : StepOne
        """


class Solver(BaseEstimator):
    """Minimises the binary quadratic problem of one bit.

    Attributes
    ----------
    n_cycles : int
        The number of cycles that Algorithm 1 makes with this solver, if not given. Default: 1.
    moves_codes : bool
        Whether whole codes are moved too, before and after the cycles. Default: False.
    """

    n_cycles = 1
    moves_codes = False

    def check(self) -> None:
        """Raise if a parameter is wrong."""

    @abstractmethod
    def minimise(
        self, problem: BinaryProblem, start: np.ndarray, random_state: np.random.RandomState
    ) -> np.ndarray:
        """Return signs z with z^T A z small; `start` is the present bit, 0 if unlearned."""


def as_item_weights(sample_weight: np.ndarray | None, n_items: int) -> np.ndarray:
    """Return the weight of every item as float64, checked.

    Parameters
    ----------
    sample_weight : ndarray of shape (n_items,) or None
        Numbers above 0; None: 1 each.
    n_items : int
        The number of items.

    Returns
    -------
    weights : ndarray of shape (n_items,)

    Examples
    --------
    >>> from hashlearn.inference import as_item_weights
    >>> as_item_weights(None, 2)
    array([1., 1.])
    """
    if sample_weight is None:
        return np.ones(n_items)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_items,):
        raise ValueError(f"sample_weight must have shape ({n_items},); got {weights.shape}.")
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise ValueError(
            "sample_weight must be finite and above 0 (leave out the items of weight 0); got "
            f"values from {weights.min()} to {weights.max()}."
        )
    return weights
