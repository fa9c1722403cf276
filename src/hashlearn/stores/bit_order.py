"""The other order of bits in a byte, for engines whose first bit is the lowest."""

from __future__ import annotations

import numpy as np

_BYTES = np.arange(256, dtype=np.uint8)[:, np.newaxis]
_REVERSED = np.packbits(np.unpackbits(_BYTES, axis=1), axis=1, bitorder="little").ravel()


def reverse_bits(packed: np.ndarray) -> np.ndarray:
    """Turn the bits of every byte around: packed codes into the other order, or back.

    Parameters
    ----------
    packed : ndarray of uint8
        Packed codes, first bit highest or first bit lowest.

    Returns
    -------
    reversed : ndarray of uint8
        The same codes in the other order.

    Examples
    --------
    >>> reverse_bits(np.array([[0b10000000, 0b11010000]], dtype=np.uint8))
    array([[ 1, 11]], dtype=uint8)
    """
    return _REVERSED[packed]
