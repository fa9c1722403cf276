"""Base class of hash functions: constant bits, equal bits, and the frame of Step 2."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length

from hashlearn._numerics.checks import check_not_huge
from hashlearn._registry import Registry
from hashlearn.hash_functions._copies import counted_only, merge_copies

HASH_FUNCTIONS: Registry[HashFunction] = Registry("hash_function")
register = HASH_FUNCTIONS.register


class HashFunction(BaseEstimator):
    """Step 2: from items to bits, one binary classifier per bit.

    A subclass trains and evaluates *machines*, binary classifiers for bits that vary:
    `_fit_machines` and `_machine_margins`. This class does the rest: a constant bit gets a
    constant margin, and bits that are equal or opposite on the training items share one machine.

    Attributes
    ----------
    machine_ : ndarray of shape (n_bits,)
        The machine that decides each bit; -1 for a constant bit.
    sign_ : ndarray of shape (n_bits,)
        The sign of each bit's machine, or the constant margin itself.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.hash_functions import LinearSVMHash
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> codes = np.array([[0, 1, 1], [0, 1, 1], [1, 0, 1], [1, 0, 1]])  # opposite, constant
    >>> LinearSVMHash(C=1.0).fit(X, codes).machine_
    array([ 0,  0, -1])
    """

    accepts_sparse = True  # whether X may be sparse
    takes_frames = False  # whether X may be a data frame, with words and missing values, too
    weighs_items = False  # whether it has `_fit_weighted_machines`
    merges_copies = False  # whether copies of an item are one item of their weight in training
    takes_weights = False  # whether stagewise learning may weigh every bit of an item
    reads_blocks = False  # whether dense X may be of any number type: it converts blocks itself
    updates = False  # whether it learns from further items by `partial_fit`
    encodes_in_parallel = True  # whether several threads may ask for margins at once

    def check(self, n_samples: int) -> None:
        """Raise, before any work, if a parameter is invalid or there are too many items."""

    def fit(
        self,
        X: Any,
        codes: np.ndarray,
        verbose: int = 0,
        sample_weight: np.ndarray | None = None,
    ) -> Self:
        """Train on items X and their codes, an (n, n_bits) array of 0/1.

        `sample_weight` has shape (n,), or that of the codes for a weight per bit: a weight of 2
        counts an item twice, 0 leaves it out, and 1 for all is the same as none. A machine that
        several bits share uses the mean of their weights.
        """
        self.check(codes.shape[0])
        check_consistent_length(X, codes)
        self._check_weights(sample_weight, codes)
        X, codes, weight = counted_only(X, codes, sample_weight)
        if self.merges_copies:
            X, codes, weight = merge_copies(X, codes, weight)
        if weight is not None and (weight == 1).all():
            weight = None
        return self.fit_prepared(self.prepare(X), codes, verbose, weight)

    def prepare(self, X: Any) -> Any:
        """Return the items in the form that machines are trained on; several fits may share it."""
        return X

    def fit_prepared(
        self,
        X: Any,
        codes: np.ndarray,
        verbose: int = 0,
        sample_weight: np.ndarray | None = None,
    ) -> Self:
        """Train as `fit` does, on items that `prepare` returned."""
        self._check_weights(sample_weight, codes)
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
            f"{self!r} cannot learn from further items; use 'linear-svm', 'kernel-features', "
            "'anchor-ridge', 'kernel-ridge' or 'rbf-svm'."
        )

    def without_updates(self) -> Self:
        """Return a hash function that encodes the same, without what only `partial_fit` needs."""
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the (n, n_bits) margins, float64; a bit is 1 where its margin is positive."""
        return self._bit_margins(X).astype(np.float64, copy=False)

    def bits(self, X: Any) -> np.ndarray:
        """Return which margins are positive; faster than `decision_function`."""
        return self._bit_margins(X) > 0

    def _bit_margins(self, X: Any) -> np.ndarray:
        """Return the margins in the type that they are computed in."""
        varying = self.machine_ >= 0
        if not varying.any():
            return np.repeat(self.sign_[None, :], X.shape[0], axis=0)
        margins = self._machine_margins(X)
        if (self.sign_ == 1).all() and np.array_equal(self.machine_, range(margins.shape[1])):
            return margins  # the usual case: saves three passes
        return np.where(varying, margins[:, self.machine_] * self.sign_, self.sign_)

    def _check_weights(self, sample_weight: np.ndarray | None, codes: np.ndarray) -> None:
        """Raise if weights are given that cannot be used."""
        if sample_weight is None:
            return
        if not (self.takes_weights or self.weighs_items):
            raise ValueError(f"sample_weight is given, but {self!r} does not weigh items.")
        if sample_weight.shape not in (codes.shape, codes.shape[:1]):
            raise ValueError(
                f"sample_weight must have the shape of the codes, {codes.shape}, or one weight "
                f"per item, {codes.shape[:1]}; got {sample_weight.shape}."
            )
        if not (np.isfinite(sample_weight).all() and (sample_weight >= 0).all()):
            raise ValueError("sample_weight must not be negative, NaN or infinite.")
        check_not_huge(sample_weight)
        if sample_weight.ndim == 1 and not sample_weight.any():
            raise ValueError("sample_weight must be positive for at least one item; all are 0.")

    def _forget_machines(self) -> None:
        """Remove the attributes of an earlier fit: constant bits need no machine."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            if name not in ("machine_", "sign_"):
                delattr(self, name)

    @abstractmethod
    def _fit_machines(self, X: Any, Z: np.ndarray, verbose: int) -> None:
        """Train one machine per column of Z, an (n, n_machines) array of -1/+1."""

    def _fit_weighted_machines(self, X: Any, Z: np.ndarray, W: np.ndarray, verbose: int) -> None:
        """Train with the weights W, of the shape of Z: for a subclass that weighs items."""
        raise NotImplementedError

    @abstractmethod
    def _machine_margins(self, X: Any) -> np.ndarray:
        """Return the (n, n_machines) margins of the machines."""


def _distinct_bits(
    codes: np.ndarray, seen: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return machine and sign per bit, and the distinct varying bits as -1/+1 columns.

    Bits are compared on the items that are `seen`, by default on all.
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


def _machine_weights(sample_weight: np.ndarray, machine: np.ndarray) -> np.ndarray:
    """Return for each machine the mean weights of the bits that share it."""
    machines = range(machine.max() + 1)
    if sample_weight.ndim == 1:  # a view: takes no memory
        return np.broadcast_to(sample_weight[:, None], (sample_weight.size, len(machines)))
    return np.stack([sample_weight[:, machine == j].mean(axis=1) for j in machines], axis=1)


def shared_weights(W: np.ndarray) -> np.ndarray:
    """Return one weight per item if all machines share it, else the weights of each machine.

    Parameters
    ----------
    W : ndarray of shape (n, n_machines)
        The weights that `_fit_weighted_machines` is given.

    Returns
    -------
    weights : ndarray of shape (n,) or (n, n_machines)
        The first column of W if the user gave one weight per item, or W itself.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.hash_functions import shared_weights
    >>> shared_weights(np.broadcast_to(np.array([[1.0], [2.0]]), (2, 3)))
    array([1., 2.])
    """
    return W[:, 0] if W.shape[1] == 1 or W.strides[1] == 0 else W
