"""Step 1's frame: from an affinity and a loss to codes of the training items."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from hashlearn.affinity.base import Affinity, Groups
from hashlearn.losses.base import LOSSES, Loss, is_groupable
from hashlearn.registry import Registry

INFERENCE: Registry[Inference] = Registry("inference")
register = INFERENCE.register


class StepOne(NamedTuple):
    """What Step 1 found.

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
    """Step 1: infer codes that fit a pairwise loss."""

    @abstractmethod
    def check(self, loss: Loss) -> None:
        """Raise, before any work, if a parameter is wrong or this loss cannot work here."""

    @abstractmethod
    def check_affinity(self, affinity: Affinity, loss: Loss) -> None:
        """Raise, before any work, if this affinity cannot work here."""

    @abstractmethod
    def infer(
        self,
        affinity: Affinity,
        loss: Loss,
        n_bits: int,
        *,
        group: Any = "auto",
        random_state: np.random.RandomState,
        verbose: int = 0,
    ) -> StepOne:
        """Return codes for the items of the affinity."""


def usable_groups(affinity: Affinity, loss: Loss, n_bits: int, group: Any) -> Groups | None:
    """Return groups whose members may share one code, or None if every item stands alone."""
    if group != "auto" or not is_groupable(loss, n_bits):
        return None
    groups = affinity.groups()
    if groups is None or groups.representatives.size == affinity.n_items:
        return None
    return groups


def check_graded(loss: Loss, affinity: Affinity) -> None:
    """Raise if the affinity is graded and the loss takes +1 and -1 only."""
    if affinity.graded and not loss.graded:
        takes = ", ".join(repr(name) for name in LOSSES.names() if LOSSES.get(name).graded)
        raise ValueError(
            f"The affinity is graded, and {loss!r} takes +1 and -1 only; "
            f"use one of {takes}, or round the affinity."
        )
