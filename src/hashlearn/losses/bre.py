"""BRE loss: squared error between relative Hamming distance and its target."""

from __future__ import annotations

from typing import Any

from hashlearn.losses.base import Loss, register


@register("bre")
class BRELoss(Loss):
    r"""Squared error on the Hamming distance, :math:`(d/m - (1 - y)/2)^2`.

    The loss of binary reconstructive embeddings [1]_, whose targets are 0 for similar and 1
    for dissimilar pairs. With :math:`d = (m - s)/2` it is KSH's divided by :math:`4 m^2`.

    References
    ----------
    .. [1] Kulis and Darrell, "Learning to Hash with Binary Reconstructive Embeddings",
       NIPS 2009.

    Examples
    --------
    >>> from hashlearn.losses import BRELoss
    >>> BRELoss()(s=-8, y=1, n_bits=8)
    1.0
    """

    quadratic = True
    graded = True

    def __call__(self, s: Any, y: Any, n_bits: int) -> Any:
        """Return the loss of pairs with Hamming affinity `s` and affinity `y`."""
        distance = (n_bits - s) / 2
        return (distance / n_bits - (1 - y) / 2) ** 2
