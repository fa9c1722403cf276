"""What every hash function shares: constant bits, equal bits, and the frame of Step 2."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from hashlearn._numerics.checks import check_not_huge
from hashlearn._registry import Registry

HASH_FUNCTIONS: Registry[HashFunction] = Registry("hash_function")
register = HASH_FUNCTIONS.register


class HashFunction(BaseEstimator):
    """Step 2: from items to bits, one binary classifier per bit.

    A subclass trains and evaluates *machines*: binary classifiers for bits that vary. This
    class spares it the rest: a constant bit gets a constant margin, and bits that are equal
    or opposite on the training items share one machine.

    Attributes
    ----------
    machine_ : ndarray of shape (n_bits,)
        Per bit the machine that decides it; -1 for a constant bit.
    sign_ : ndarray of shape (n_bits,)
        Per bit the sign of its machine's margin, or the constant margin itself.
    """

    accepts_sparse = True  # a subclass whose mathematics needs dense rows says False
    takes_weights = False  # one that weighs items, and that stagewise learning may weigh for
    weighs_items = False  # one that weighs items when asked to
    reads_blocks = False  # one that takes dense X of any number type, and converts blocks of it
    updates = False  # one that learns from further items by `partial_fit`
    encodes_in_parallel = True  # one that is to see all rows at once, on one thread, says False

    def check(self, n_samples: int) -> None:
        """Raise, before any work, if a parameter is wrong or there are too many items."""

    def fit(
        self,
        X: Any,
        codes: np.ndarray,
        verbose: int = 0,
        sample_weight: np.ndarray | None = None,
    ) -> Self:
        """Train on items X and their codes, an (n, n_bits) array of 0/1.

        `sample_weight`, of shape (n,), says how much each item matters: 2 is as good as the item
        twice, 0 as good as without it. Of the shape of the codes it says so for each bit; a
        machine that several bits share takes their mean.
        """
        self.check(codes.shape[0])
        return self.fit_prepared(self.prepare(X), codes, verbose, sample_weight)

    def prepare(self, X: Any) -> Any:
        """Return the items in the form that machines are trained on: several fits may share it."""
        return X

    def fit_prepared(
        self,
        X: Any,
        codes: np.ndarray,
        verbose: int = 0,
        sample_weight: np.ndarray | None = None,
    ) -> Self:
        """Train as `fit` does, on items that `prepare` returned."""
        check_weighing(self, sample_weight, codes)
        seen = None
        if sample_weight is not None and sample_weight.ndim == 1:
            seen = sample_weight > 0
        self.machine_, self.sign_, distinct = _distinct_bits(codes, seen)
        if not distinct.shape[1]:
            self._forget_machines()
            return self
        if sample_weight is None:
            self._fit_machines(X, distinct, verbose)
        else:
            W = _machine_weights(sample_weight, self.machine_)
            self._fit_weighted_machines(X, distinct, W, verbose)
        return self

    def partial_fit(
        self, X: Any, codes: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> Self:
        """Learn from further items without the earlier ones, where a subclass `updates`."""
        raise ValueError(
            f"{self!r} does not learn from further items; hash functions that do are "
            "'linear-svm' and 'kernel-features'."
        )

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the (n, n_bits) margins, float64; a bit is 1 where its margin is positive."""
        return self._bit_margins(X).astype(np.float64, copy=False)

    def bits(self, X: Any) -> np.ndarray:
        """Return which margins are positive; faster than to ask for the margins."""
        return self._bit_margins(X) > 0

    def _bit_margins(self, X: Any) -> np.ndarray:
        """Return the margins in the type in which they are computed."""
        varying = self.machine_ >= 0
        if not varying.any():
            return np.repeat(self.sign_[None, :], X.shape[0], axis=0)
        margins = self._machine_margins(X)
        if (self.sign_ == 1).all() and np.array_equal(self.machine_, range(margins.shape[1])):
            return margins  # the usual case: spare three passes
        return np.where(varying, margins[:, self.machine_] * self.sign_, self.sign_)

    def _forget_machines(self) -> None:
        """Remove what an earlier fit left: constant bits need no machine."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            if name not in ("machine_", "sign_"):
                delattr(self, name)

    @abstractmethod
    def _fit_machines(self, X: Any, Z: np.ndarray, verbose: int) -> None:
        """Train one machine per column of Z, an (n, n_machines) array of -1/+1."""

    def _fit_weighted_machines(self, X: Any, Z: np.ndarray, W: np.ndarray, verbose: int) -> None:
        """Train with the weights W, of Z's shape: for a subclass with `takes_weights`."""
        raise NotImplementedError

    @abstractmethod
    def _machine_margins(self, X: Any) -> np.ndarray:
        """Return the (n, n_machines) margins of the machines."""


def _distinct_bits(
    codes: np.ndarray, seen: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return machine and sign per bit, and the distinct varying bits as -1/+1 columns.

    Bits are compared on the items that are `seen`, on all by default.
    """
    positive = np.asarray(codes) > 0
    compared = positive if seen is None or seen.all() else positive[seen]
    first = compared[0]
    aligned = compared ^ first  # opposite bits look equal when both start with 0
    varying = np.flatnonzero(aligned.any(axis=0))
    packed = np.packbits(aligned[:, varying], axis=0)
    _, keep, which = np.unique(packed, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(keep)  # machines in the order of the first bit that needs each
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    machine = np.full(codes.shape[1], -1, dtype=np.int64)
    machine[varying] = rank[which.ravel()]
    chosen = varying[keep[order]]
    distinct = positive[:, chosen].view(np.int8)
    distinct *= 2
    distinct -= 1
    sign = np.where(first, 1.0, -1.0)
    sign[varying] *= sign[chosen][machine[varying]]
    return machine, sign, distinct


def check_weighing(
    hash_function: HashFunction, sample_weight: np.ndarray | None, codes: np.ndarray
) -> None:
    """Raise if weights are given to a hash function that takes none, or are no weights."""
    if sample_weight is None:
        return
    if not (hash_function.takes_weights or hash_function.weighs_items):
        raise ValueError(f"sample_weight is given, and {hash_function!r} does not weigh items.")
    if sample_weight.shape not in (codes.shape, codes.shape[:1]):
        raise ValueError(
            f"sample_weight has shape {sample_weight.shape}; it takes that of the codes, "
            f"{codes.shape}, or one weight per item, {codes.shape[:1]}."
        )
    if not (np.isfinite(sample_weight).all() and (sample_weight >= 0).all()):
        raise ValueError("sample_weight has entries that are negative or not finite.")
    check_not_huge(sample_weight)
    if sample_weight.ndim == 1 and not sample_weight.any():
        raise ValueError("sample_weight is 0 for all items; it takes a positive one for some.")


def _machine_weights(sample_weight: np.ndarray, machine: np.ndarray) -> np.ndarray:
    """Return per machine the mean weights of the bits that share it."""
    machines = range(machine.max() + 1)
    if sample_weight.ndim == 1:  # a view: no n x m numbers
        return np.broadcast_to(sample_weight[:, None], (sample_weight.size, len(machines)))
    return np.stack([sample_weight[:, machine == j].mean(axis=1) for j in machines], axis=1)


def shared_weights(W: np.ndarray) -> np.ndarray:
    """Return the weights that all machines share, (n,), where they do; else W itself.

    Examples
    --------
    >>> shared_weights(np.broadcast_to(np.array([[1.0], [2.0]]), (2, 3)))
    array([1., 2.])
    """
    return W[:, 0] if W.shape[1] == 1 or W.strides[1] == 0 else W
