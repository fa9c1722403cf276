"""The distance of spherical hashing."""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.words import as_words, by_word
from hashlearn.search._kernels.distances import spherical_distances
from hashlearn.search.distances.base import Distance, register


@register("spherical")
class SphericalHamming(Distance):
    r"""Bits that differ over 1-bits in common, :math:`|a \oplus b| / |a \wedge b|` [1]_.

    A 1-bit says that an item lies inside of a sphere; the more spheres hold two items, the
    smaller is the region that can hold both. Equal codes are at distance 0. Codes without a common
    1-bit share no sphere that bounds them: they are at `n_bits` plus the bits that differ, behind
    all codes that share one, whose distance is below `n_bits`.

    References
    ----------
    .. [1] Heo et al., "Spherical Hashing", CVPR 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn import SphericalHamming
    >>> codes = np.packbits([[1, 1, 0], [1, 1, 1], [1, 0, 0], [0, 0, 1]], axis=1)
    >>> SphericalHamming().between(codes[:1], codes, n_bits=3)
    array([[0. , 0.5, 1. , 6. ]])
    """

    def largest(self, n_bits: int) -> float:
        """Return that of opposite codes, `2 * n_bits`."""
        return 2.0 * n_bits

    def scaled(self, distances: np.ndarray, n_bits: int) -> np.ndarray:
        """Return the share of the 1-bits of either code that differ, which spreads evenly."""
        return distances / (1.0 + distances)

    def _between(self, queries: np.ndarray, database: np.ndarray, n_bits: int) -> np.ndarray:
        return spherical_distances(as_words(queries), by_word(database), n_bits)
