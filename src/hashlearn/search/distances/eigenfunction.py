"""The distance of multidimensional spectral hashing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.search.distances.base import Distance, register
from hashlearn.search.distances.kernels import BITS_OF_BYTE, product_distances

SIGNS_OF_BYTE = 1.0 - 2.0 * BITS_OF_BYTE  # -1 where a bit differs
LARGEST_LOG = 700.0  # exp of 709 is the last finite one
ROUNDING = 1e-9  # what the bound allows for in a distance of up to about 1,400


@register("eigenfunction")
class EigenfunctionDistance(Distance):
    r"""Bits as signs of one-dimensional eigenfunctions, whose products are counted too [1]_.

    A Gaussian affinity over several dimensions is the product of those over each, and its
    eigenfunctions are products of one-dimensional ones. With the eigenvalues :math:`\lambda_k` of
    the bits and :math:`b \in \{-1, +1\}` all these products together make the affinity

    .. math:: H(i, j) = \prod_d \Bigl( 1 + \sum_{k \in d} \lambda_k b_{ik} b_{jk} \Bigr) - 1,

    though only the one-dimensional bits are stored. The distance is :math:`\operatorname{asinh}
    H(i, i) - \operatorname{asinh} H(i, j)`: the order of the affinity, on a scale that spreads
    it, since H grows exponentially with the number of dimensions.

    Parameters
    ----------
    eigenvalues : array-like of shape (n_bits,)
        Of each bit's eigenfunction, above 0, at most 1.
    dimensions : array-like of int of shape (n_bits,)
        The dimension that each bit belongs to, in any numbering.

    References
    ----------
    .. [1] Weiss, Fergus and Torralba, "Multidimensional Spectral Hashing", ECCV 2012.

    Examples
    --------
    >>> import numpy as np
    >>> distance = EigenfunctionDistance(np.array([0.9, 0.5, 0.8]), np.array([0, 0, 1]))
    >>> codes = np.packbits([[0, 0, 0], [0, 1, 0], [1, 1, 0]], axis=1)
    >>> distance.between(codes[:1], codes).round(2)
    array([[0.  , 0.71, 3.23]])
    """

    def __init__(self, eigenvalues: ArrayLike, dimensions: ArrayLike) -> None:
        self.eigenvalues = eigenvalues
        self.dimensions = dimensions

    @property
    def n_bits(self) -> int:
        """One bit per eigenvalue."""
        return np.size(self.eigenvalues)

    def check(self, n_bits: int) -> None:
        """Raise if there is not one eigenvalue and one dimension per bit."""
        eigenvalues, dimensions = np.asarray(self.eigenvalues), np.asarray(self.dimensions)
        if (
            eigenvalues.ndim != 1
            or eigenvalues.shape != dimensions.shape
            or not eigenvalues.size
            or eigenvalues.dtype.kind not in "biuf"
            or dimensions.dtype.kind not in "iu"
        ):
            raise ValueError(
                f"eigenvalues has shape {eigenvalues.shape} and dtype {eigenvalues.dtype}, "
                f"dimensions {dimensions.shape} and {dimensions.dtype}: they take one number and "
                "one integer per bit."
            )
        if not ((eigenvalues > 0) & (eigenvalues <= 1)).all():
            raise ValueError(
                f"eigenvalues goes from {eigenvalues.min():g} to {eigenvalues.max():g}: it takes "
                "numbers above 0, at most 1."
            )
        if np.log1p(self._sums()).sum() > LARGEST_LOG:
            raise ValueError(
                f"eigenvalues of {eigenvalues.size} bits give an affinity beyond the largest float."
            )
        super().check(n_bits)

    def largest(self, n_bits: int) -> float:
        """Return a bound: factors at their ends, one of them below 0 if any can be."""
        sums = self._sums()
        highest = np.prod(1 + sums)
        lowest = np.prod(1 - sums)
        if (sums > 1).any():
            lowest = highest * np.min((1 - sums) / (1 + sums))
        return float(np.arcsinh(highest - 1) - np.arcsinh(lowest - 1)) + ROUNDING

    def _between(self, queries: np.ndarray, database: np.ndarray, n_bits: int) -> np.ndarray:
        places, tables, starts = self._factors()
        return product_distances(
            np.ascontiguousarray(_rearranged(queries, places)),
            np.ascontiguousarray(_rearranged(database, places).T),
            tables,
            starts,
        )

    def _sums(self) -> np.ndarray:
        """Return the sum of the eigenvalues of each dimension."""
        _, dimension = np.unique(self.dimensions, return_inverse=True)
        return np.bincount(dimension, weights=np.asarray(self.eigenvalues, dtype=np.float64))

    def _factors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return which bits go to which byte, each byte's table, and the bytes of each factor."""
        eigenvalues = np.asarray(self.eigenvalues, dtype=np.float64)
        small, large = _bits_by_dimension(np.asarray(self.dimensions))
        places = [np.concatenate(parts) for parts in small]
        tables = [_product_table([eigenvalues[bits] for bits in parts]) for parts in small]
        starts = [*range(len(small) + 1)]
        for bits in large:
            pieces = np.split(bits, range(8, bits.size, 8))
            places += pieces
            tables += [_sum_table(eigenvalues[piece]) for piece in pieces]
            tables[-len(pieces)] += 1.0
            starts.append(len(tables))
        padded = np.array([np.pad(byte, (0, 8 - byte.size), constant_values=-1) for byte in places])
        return padded.ravel(), np.array(tables), np.array(starts)


def _bits_by_dimension(
    dimensions: np.ndarray,
) -> tuple[list[list[np.ndarray]], list[np.ndarray]]:
    """Return the dimensions that share bytes, several in each, and those of more than a byte."""
    bits = [np.flatnonzero(dimensions == dimension) for dimension in np.unique(dimensions)]
    small: list[list[np.ndarray]] = []
    room = 0
    for one in sorted((one for one in bits if one.size <= 8), key=len, reverse=True):
        if one.size > room:
            small.append([])
            room = 8
        small[-1].append(one)
        room -= one.size
    return small, [one for one in bits if one.size > 8]


def _sum_table(eigenvalues: np.ndarray, first: int = 0) -> np.ndarray:
    """Return the sums of eigenvalues, each with the sign of its bit, for every differing byte."""
    return SIGNS_OF_BYTE[:, first : first + eigenvalues.size] @ eigenvalues


def _product_table(parts: list[np.ndarray]) -> np.ndarray:
    """Return the product of the factors of several dimensions that share a byte."""
    firsts = np.cumsum([0, *map(len, parts)])
    factors = [1 + _sum_table(part, first) for part, first in zip(parts, firsts, strict=False)]
    return np.prod(factors, axis=0)


def _rearranged(packed: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return packed codes with their bits at other places, 0 where the place is -1."""
    bits = np.unpackbits(packed, axis=1)[:, places]
    bits[:, places < 0] = 0
    return np.packbits(bits, axis=1)
