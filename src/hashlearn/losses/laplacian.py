"""Laplacian affinity loss of self-taught hashing: similar pairs pull, nothing pushes."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn.losses.base import Loss, register


@register("laplacian")
class LaplacianLoss(Loss):
    r"""Hamming distance of similar pairs, :math:`\max(y, 0)\, d`.

    Dissimilar pairs cost nothing, so all-equal codes are its optimum: it has to be minimised
    over balanced, uncorrelated bits, as self-taught hashing does [1]_.

    References
    ----------
    .. [1] Zhang et al., "Self-Taught Hashing for Fast Similarity Search", SIGIR 2010.

    Examples
    --------
    >>> from hashlearn.losses import LaplacianLoss
    >>> float(LaplacianLoss()(s=4, y=1, n_bits=8))
    2.0
    """

    graded = True
    needs_balance = True

    def __call__(self, s: Any, y: Any, n_bits: int) -> Any:
        """Return the loss of pairs with Hamming affinity `s` and affinity `y`."""
        return np.maximum(y, 0) * (n_bits - s) / 2
