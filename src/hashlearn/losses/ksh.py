"""KSH loss: squared error between Hamming affinity and its target."""

from __future__ import annotations

from typing import Any

from hashlearn.losses.base import Loss, register


@register("ksh")
class KSHLoss(Loss):
    r"""Squared error on the Hamming affinity, :math:`(s - m y)^2`.

    The loss of supervised hashing with kernels [1]_; BRE's is the same up to a factor.

    References
    ----------
    .. [1] Liu et al., "Supervised Hashing with Kernels", CVPR 2012.

    Examples
    --------
    >>> from hashlearn.losses import KSHLoss
    >>> KSHLoss()(s=32, y=1, n_bits=32)
    0
    """

    quadratic = True
    graded = True

    def __call__(self, s: Any, y: Any, n_bits: int) -> Any:
        """Return the loss of pairs with Hamming affinity `s` and affinity `y`."""
        return (s - n_bits * y) ** 2
