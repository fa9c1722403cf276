"""ExpH loss: exponential of the Hamming distance."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn.losses.base import Loss, register


@register("exph")
class ExpHLoss(Loss):
    r"""Exponential loss on the Hamming distance, :math:`\exp(d/m)` or :math:`\exp(1 - d/m)`.

    The first for similar, the second for dissimilar pairs [1]_. Both are
    :math:`e^{1/2} \exp(-y s / (2m))`, which accepts graded y too.

    References
    ----------
    .. [1] Lin et al., "A General Two-Step Approach to Learning-Based Hashing", ICCV 2013.

    Examples
    --------
    >>> from hashlearn.losses import ExpHLoss
    >>> float(ExpHLoss()(s=8, y=1, n_bits=8))
    1.0
    """

    graded = True

    def __call__(self, s: Any, y: Any, n_bits: int) -> Any:
        """Return the loss of pairs with Hamming affinity `s` and affinity `y`."""
        return np.exp(0.5 - y * s / (2 * n_bits))
