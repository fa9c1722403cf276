r"""The prior of linear machines: a quadratic around earlier weights.

.. math:: \tfrac12 (w - w_0)^T H (w - w_0)

The ridge has :math:`w_0 = 0` and :math:`H = I`. For machines that were trained before,
:math:`w_0` are their weights and H is the curvature of their objective.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hashlearn.hash_functions._machines.row_products import with_diagonal


@dataclass
class Prior:
    """The quadratic that is added to the loss; by default the ridge.

    Attributes
    ----------
    center : ndarray of shape (n_machines, n_columns) or float
        The weights w_0, the intercept last.
    curvature : ndarray of shape (n_columns, n_columns) or (n_columns,), or None
        H, shared by all machines: a matrix, its diagonal, or None for I.

    Examples
    --------
    >>> Prior().value(np.array([[3.0, 4.0]]))
    array([12.5])
    """

    center: np.ndarray | float = 0.0
    curvature: np.ndarray | None = None

    def __getitem__(self, machines: np.ndarray) -> Prior:
        """Return the prior of some machines."""
        if isinstance(self.center, float):
            return self
        return Prior(self.center[machines], self.curvature)

    def product(self, V: np.ndarray) -> np.ndarray:
        """Return H times each row of V."""
        if self.curvature is None:
            return V
        return V * self.curvature if self.curvature.ndim == 1 else V @ self.curvature

    def gradient(self, W: np.ndarray) -> np.ndarray:
        """Return the gradient of each machine."""
        return self.product(W - self.center)

    def value(self, W: np.ndarray) -> np.ndarray:
        """Return the value of each machine."""
        away = W - self.center
        return np.einsum("ij,ij->i", away, self.product(away)) / 2

    def plus(self, gram: np.ndarray) -> np.ndarray:
        """Return H plus a matrix, or plus a diagonal if that is given."""
        own = np.ones(len(gram)) if self.curvature is None else self.curvature
        if gram.ndim == 1:
            return gram + (own if own.ndim == 1 else np.diagonal(own))
        return with_diagonal(gram, own) if own.ndim == 1 else gram + own
