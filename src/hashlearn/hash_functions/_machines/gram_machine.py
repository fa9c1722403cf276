"""Base class of kernel machines that are trained on the Gram matrix of all items."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from hashlearn.hash_functions._machines.kernel_expansion import KernelExpansion, stacked


class GramMachine(KernelExpansion):
    """A kernel machine that learns on from some of its earlier items."""

    registered: ClassVar[str]  # its name, for errors
    max_items: ClassVar[int] = 20_000  # a Gram matrix of 3.2 GB in float64
    weighs_items = True
    merges_copies = True
    updates = True

    def check(self, n_samples: int) -> None:
        """Raise if a parameter is invalid, or the Gram matrix too large."""
        super().check(n_samples)
        if n_samples > self.max_items:
            raise ValueError(
                f"hash_function={self.registered!r} needs an n x n Gram matrix: n must be at most "
                f"{self.max_items}; got {n_samples}. Use 'anchor-ridge' instead."
            )

    def partial_fit(
        self, X: Any, codes: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> Self:
        """Train on further items, and on those that stand for earlier ones.

        The first call is `fit`. Later ones keep its C and bandwidth.

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
        if not hasattr(self, "points_"):  # unfitted, or all bits were constant
            return self.fit(X, codes, sample_weight=sample_weight)
        self.check(codes.shape[0])
        points, bits, old = self._earlier(codes)
        new = np.ones(codes.shape[0]) if sample_weight is None else sample_weight
        if new.ndim == 2:
            old = np.repeat(old[:, None], new.shape[1], axis=1)
        again = clone(self).set_params(C=self.C_, sigma=self.sigma_)
        again.fit(stacked(points, X), np.concatenate([bits, codes]), 0, np.concatenate([old, new]))
        for name, value in vars(again).items():
            if name.endswith("_"):  # what is learned, not a parameter
                setattr(self, name, value)
        return self

    @abstractmethod
    def _earlier(self, codes: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
        """Return items that stand for earlier ones, their bits and weights; `codes` are new."""
