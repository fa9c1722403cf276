"""What every hash function shares: constant bits, equal bits, and the frame of Step 2."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from hashlearn.registry import Registry

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
    takes_weights = False  # and one that can weigh items, per bit, says True

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

        `sample_weight`, of the shape of the codes, says how much each bit of each item matters;
        a machine that several bits share takes their mean.
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
        _check_weights(self, sample_weight, codes)
        self.machine_, self.sign_, distinct = _distinct_bits(codes)
        if not distinct.shape[1]:
            return self
        if sample_weight is None:
            self._fit_machines(X, distinct, verbose)
        else:
            W = _machine_weights(sample_weight, self.machine_)
            self._fit_weighted_machines(X, distinct, W, verbose)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the (n, n_bits) margins; a bit is 1 where its margin is positive."""
        varying = self.machine_ >= 0
        if not varying.any():
            return np.repeat(self.sign_[None, :], X.shape[0], axis=0)
        margins = self._machine_margins(X)[:, self.machine_]
        return np.where(varying, margins * self.sign_, self.sign_)

    @abstractmethod
    def _fit_machines(self, X: Any, Z: np.ndarray, verbose: int) -> None:
        """Train one machine per column of Z, an (n, n_machines) array of -1/+1."""

    def _fit_weighted_machines(self, X: Any, Z: np.ndarray, W: np.ndarray, verbose: int) -> None:
        """Train with the weights W, of Z's shape: for a subclass with `takes_weights`."""
        raise NotImplementedError

    @abstractmethod
    def _machine_margins(self, X: Any) -> np.ndarray:
        """Return the (n, n_machines) margins of the machines."""


def _distinct_bits(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return machine and sign per bit, and the distinct varying bits as -1/+1 columns."""
    Z = np.where(codes > 0, 1, -1).astype(np.int8)
    first = Z[0].astype(np.float64)
    varying = np.flatnonzero(np.ptp(Z, axis=0))
    aligned = Z[:, varying] * Z[0, varying]  # opposite bits look equal when both start with +1
    packed = np.packbits(aligned > 0, axis=0)
    _, keep, which = np.unique(packed, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(keep)  # machines in the order of the first bit that needs each
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    machine = np.full(Z.shape[1], -1, dtype=np.int64)
    machine[varying] = rank[which.ravel()]
    distinct = Z[:, varying[keep[order]]]
    sign = first
    sign[varying] *= distinct[0, machine[varying]]
    return machine, sign, distinct


def _check_weights(
    hash_function: HashFunction, sample_weight: np.ndarray | None, codes: np.ndarray
) -> None:
    """Raise if weights are given to a hash function that takes none, or are no weights."""
    if sample_weight is None:
        return
    if not hash_function.takes_weights:
        raise ValueError(f"sample_weight is given, and {hash_function!r} does not weigh items.")
    if sample_weight.shape != codes.shape:
        raise ValueError(
            f"sample_weight has shape {sample_weight.shape}; it takes that of the codes, "
            f"{codes.shape}."
        )
    if not (np.isfinite(sample_weight).all() and (sample_weight >= 0).all()):
        raise ValueError("sample_weight has entries that are negative or not finite.")


def _machine_weights(sample_weight: np.ndarray, machine: np.ndarray) -> np.ndarray:
    """Return per machine the mean weights of the bits that share it."""
    machines = range(machine.max() + 1)
    return np.stack([sample_weight[:, machine == j].mean(axis=1) for j in machines], axis=1)
