"""SPLH loss: exponential of the disagreement between affinity and Hamming affinity."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn.losses.base import Loss, register


@register("splh")
class SPLHLoss(Loss):
    r"""Exponential loss on the Hamming affinity, :math:`\exp(-y s / m)`.

    An exponential around the objective of sequential projection learning [1]_.

    References
    ----------
    .. [1] Wang, Kumar and Chang, "Sequential Projection Learning for Hashing with Compact
       Codes", ICML 2010.

    Examples
    --------
    >>> from hashlearn.losses import SPLHLoss
    >>> float(SPLHLoss()(s=0, y=1, n_bits=8))
    1.0
    """

    graded = True

    def __call__(self, s: Any, y: Any, n_bits: int) -> Any:
        """Return the loss of pairs with Hamming affinity `s` and affinity `y`."""
        return np.exp(-y * s / n_bits)
