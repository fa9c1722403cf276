r"""Hash functions that learn from further items without the earlier ones.

The objective of the earlier items is kept as a quadratic. Near the old weights :math:`w_0` it is
:math:`f(w_0) + \tfrac12 (w - w_0)^T H (w - w_0)`, with H the identity plus the active earlier
items, each with the share of machines that it is active in. The loss of new items is added to it
exactly.
"""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import Any, Self

import numpy as np

from hashlearn._numerics.arrays import check_block_magnitude, is_sparse
from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn.hash_functions._machines.row_products import definite
from hashlearn.hash_functions._machines.squared_hinge import (
    LinearMachines,
    Prior,
    fit_squared_hinge,
)
from hashlearn.hash_functions.base import HashFunction, shared_weights


class UpdatedHash(HashFunction):
    """Linear machines on features, with a `partial_fit`.

    `curvature_` is H in float32, or its diagonal above 4,000 columns: the identity and the mean
    Hessian of the machines' losses, from the solver's last preconditioner, scaled to the share of
    items that was active in the end.
    """

    updates = True

    C_: float
    tol: float
    max_iter: int
    center_: np.ndarray
    curvature_: np.ndarray

    def _fit_machines(self, X: Any, Z: np.ndarray, verbose: int) -> None:
        self._train(_checked_rows(X), Z, None, verbose)

    def _fit_weighted_machines(self, X: Any, Z: np.ndarray, W: np.ndarray, verbose: int) -> None:
        self._train(_checked_rows(X), Z, shared_weights(W), verbose)

    @abstractmethod
    def _train(self, X: Any, Z: np.ndarray, weight: np.ndarray | None, verbose: int) -> None:
        """Train one machine per column of Z, with weights of items, or of items and machines."""

    @one_blas_thread()  # as a fit: the same rounding whatever the threads
    def partial_fit(
        self, X: Any, codes: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> Self:
        """Learn from further items; the objective of earlier ones is kept as a quadratic.

        The first call is `fit`. Later ones keep its parameters, center, scale and anchors: items
        unlike any seen then are described poorly, and bits that depend on them stay weak. Bits no
        longer share machines. The quadratic is taken at the weights that the last call found, and
        is less exact far from them: many batches of one kind in a row forget more than a mixture.

        Parameters
        ----------
        X : array or CSR matrix of shape (n, n_features)
            The new items.
        codes : array of shape (n, n_bits)
            Their codes, 0/1.
        sample_weight : array of shape (n,) or (n, n_bits), optional
            Weights of the new items.

        Returns
        -------
        self
        """
        if not hasattr(self, "coef_"):  # unfitted, or all bits were constant
            return self.fit(X, codes, sample_weight=sample_weight)
        if not hasattr(self, "curvature_"):
            raise ValueError(
                f"This {type(self).__name__} was saved without what partial_fit needs "
                "(curvature_): fit again, and save with save(path, partial_fit=True)."
            )
        self._check_batch(X, codes)
        self._check_weights(sample_weight, codes)
        self._separate_bits()
        self._learn_on(X, np.where(np.asarray(codes) > 0, np.int8(1), np.int8(-1)), sample_weight)
        return self

    def _learn_on(self, X: Any, Z: np.ndarray, weight: np.ndarray | None) -> None:
        """Add the loss of further items to the quadratic of earlier ones, and minimise both."""
        prior = Prior(self._weights(), as_definite(self.curvature_))
        solution = fit_squared_hinge(
            self._feature_rows(X),
            Z,
            self.C_,
            tol=self.tol,
            max_iter=self.max_iter,
            sample_weight=weight,
            prior=prior,
        )
        self._keep(solution, prior)

    def without_updates(self) -> Self:
        """Return a copy without `curvature_`; its `partial_fit` raises an error."""
        light = copy(self)
        light.__dict__.pop("curvature_", None)
        return light

    @abstractmethod
    def _feature_rows(self, X: Any) -> RowBlocks:
        """Return the features that the machines are trained on."""

    @abstractmethod
    def _weights(self) -> np.ndarray:
        """Return the machines as (n_machines, n_columns + 1), in the units of the features."""

    @abstractmethod
    def _set_weights(self, coef: np.ndarray, intercept: np.ndarray) -> None:
        """Keep machines in the units of the features."""

    def _keep(self, solution: LinearMachines, prior: Prior) -> None:
        self._set_weights(solution.coef, solution.intercept)
        self.objective_, self.n_iter_ = solution.objective, solution.n_iter
        self.curvature_ = prior.plus(solution.curvature.gram).astype(np.float32)

    def _separate_bits(self) -> None:
        """Give every bit a machine of its own; that of a constant bit has only an intercept."""
        W = np.zeros((self.machine_.size, self.curvature_.shape[0]))
        varying = self.machine_ >= 0
        W[varying] = self.sign_[varying, None] * self._weights()[self.machine_[varying]]
        W[~varying, -1] = self.sign_[~varying]
        self._set_weights(W[:, :-1].T, W[:, -1])
        self.machine_ = np.arange(self.machine_.size)
        self.sign_ = np.ones(self.machine_.size)

    def _check_batch(self, X: Any, codes: np.ndarray) -> None:
        n_features = X.shape[1] if is_sparse(X) else np.asarray(X).shape[1]
        if n_features != self.center_.size:
            raise ValueError(
                f"X must have {self.center_.size} features, as in fit; got {n_features}."
            )
        if codes.shape[1] != self.machine_.size:
            raise ValueError(f"codes must have {self.machine_.size} bits; got {codes.shape[1]}.")


def _checked_rows(X: Any) -> Any:
    X = X.tocsr() if is_sparse(X) else np.asarray(X)
    check_block_magnitude(X)
    return X


def as_definite(curvature: np.ndarray) -> np.ndarray:
    """Return a matrix kept in float32, or its diagonal, as a positive definite float64 one."""
    if curvature.ndim == 1:
        return curvature.astype(np.float64)
    return definite(curvature.astype(np.float64), float(np.finfo(np.float32).eps))
