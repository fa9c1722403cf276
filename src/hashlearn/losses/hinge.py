"""Hinge loss of minimal loss hashing: near enough, or far enough."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn.losses.base import Loss, register


@register("hinge")
class HingeLoss(Loss):
    r"""Two hinges around a distance :math:`\rho`.

    :math:`\max(d - \rho + 1, 0)` for similar, :math:`\lambda \max(\rho - d + 1, 0)` for
    dissimilar pairs [1]_.

    Parameters
    ----------
    rho : float, default=None
        The Hamming distance that separates near from far; m/4 if None.
    weight : float, default=0.5
        The trade-off :math:`\lambda` between the two kinds of pairs.

    References
    ----------
    .. [1] Norouzi and Fleet, "Minimal Loss Hashing for Compact Binary Codes", ICML 2011.

    Examples
    --------
    >>> from hashlearn.losses import HingeLoss
    >>> float(HingeLoss()(s=0, y=1, n_bits=8))
    3.0
    """

    def __init__(self, rho: float | None = None, weight: float = 0.5) -> None:
        self.rho = rho
        self.weight = weight

    def __call__(self, s: Any, y: Any, n_bits: int) -> Any:
        """Return the loss of pairs with Hamming affinity `s` and affinity `y`."""
        rho = n_bits / 4 if self.rho is None else self.rho
        distance = (n_bits - s) / 2
        near = np.maximum(distance - rho + 1, 0)
        far = self.weight * np.maximum(rho - distance + 1, 0)
        return np.where(np.greater(y, 0), near, far)
