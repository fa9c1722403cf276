"""EE loss: elastic embedding, a linear pull and an exponential push."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn.losses.base import Loss, register


@register("ee")
class EELoss(Loss):
    r"""Elastic embedding: :math:`d` for similar, :math:`\lambda e^{-d/m}` for dissimilar pairs.

    Parameters
    ----------
    weight : float, default=100
        The trade-off :math:`\lambda`: how hard dissimilar pairs are pushed apart.

    References
    ----------
    .. [1] Carreira-Perpinan, "The Elastic Embedding Algorithm for Dimensionality Reduction",
       ICML 2010.

    Examples
    --------
    >>> from hashlearn.losses import EELoss
    >>> float(EELoss()(s=4, y=1, n_bits=8))
    2.0
    """

    def __init__(self, weight: float = 100.0) -> None:
        self.weight = weight

    def __call__(self, s: Any, y: Any, n_bits: int) -> Any:
        """Return the loss of pairs with Hamming affinity `s` and affinity `y`."""
        distance = (n_bits - s) / 2
        return np.where(np.greater(y, 0), distance, self.weight * np.exp(-distance / n_bits))
