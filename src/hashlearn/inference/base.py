"""Step 1's frame: from an affinity and a loss to codes of the training items."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from hashlearn._registry import Registry
from hashlearn.affinity.base import Affinity, Groups
from hashlearn.losses.base import LOSSES, Loss, is_groupable

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
            How often each item counts, more than 0; a whole number equals repetition, where
            copies of an item are what `Affinity.__getitem__` says. None: once.
        random_state : RandomState
            The source of chance.
        verbose : int, default=0
            Whether to show progress.
        """


def as_item_weights(sample_weight: np.ndarray | None, n_items: int) -> np.ndarray:
    """Return the weight of every item as float64, checked."""
    if sample_weight is None:
        return np.ones(n_items)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_items,):
        raise ValueError(f"sample_weight has shape {weights.shape}; it takes ({n_items},).")
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise ValueError(
            f"sample_weight goes from {weights.min()} to {weights.max()}; it takes finite "
            "numbers above 0 (leave out the items of weight 0)."
        )
    return weights


def usable_groups(affinity: Affinity, loss: Loss, n_bits: int, group: Any) -> Groups | None:
    """Return groups whose members may share one code, or None if every item stands alone."""
    if group != "auto" or not is_groupable(loss, n_bits):
        return None
    groups = affinity.groups()
    if groups is None or groups.representatives.size == affinity.n_items:
        return None
    return groups


def weighted_singles(affinity: Affinity, loss: Loss, n_bits: int, group: Any) -> Groups | None:
    """Return a group for each item, where copies in place of weights would be grouped."""
    if group != "auto" or not is_groupable(loss, n_bits) or affinity.groups() is None:
        return None
    items = np.arange(affinity.n_items)
    return Groups(items, items, np.zeros_like(items))


def heaviest_first(groups: Groups, item_weights: np.ndarray) -> Groups:
    """Return the groups in an order that shuffled items, or copies for weights, do not change.

    Groups of equal weight stay in the order of their first items.
    """
    weights = np.bincount(groups.labels, item_weights)
    order = np.argsort(-weights, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return Groups(rank[groups.labels], groups.representatives[order], groups.inside[order])


def check_graded(loss: Loss, affinity: Affinity) -> None:
    """Raise if the affinity is graded and the loss takes +1 and -1 only."""
    if affinity.graded and not loss.graded:
        takes = ", ".join(repr(name) for name in LOSSES.names() if LOSSES.get(name).graded)
        raise ValueError(
            f"The affinity is graded, and {loss!r} takes +1 and -1 only; "
            f"use one of {takes}, or round the affinity."
        )
