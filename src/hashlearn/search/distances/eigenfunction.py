"""The distance of multidimensional spectral hashing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.search._kernels.distances import (
    BITS_OF_BYTE,
    add_factors,
    asinh_of_product,
    below_top,
    table_sums,
    with_exact_sums,
)
from hashlearn.search.distances.base import Distance, register

SIGNS_OF_BYTE = 1.0 - 2.0 * BITS_OF_BYTE  # -1 where a bit differs
LARGEST_LOG = 40.0  # of a factor other than 0: it is at most n_bits + 1, and at least TINY
TINY = 2.0**-52
ROUNDING = 1e-9  # what the bound allows for, per factor


@register("eigenfunction")
class EigenfunctionDistance(Distance):
    r"""Bits as signs of one-dimensional eigenfunctions, whose products are counted too [1]_.

    A Gaussian affinity over several dimensions is the product of those over each, and its
    eigenfunctions are products of one-dimensional ones. With the eigenvalues :math:`\lambda_k` of
    the bits and :math:`b \in \{-1, +1\}` all these products together make the affinity

    .. math:: H(i, j) = \prod_d \Bigl( 1 + \sum_{k \in d} \lambda_k b_{ik} b_{jk} \Bigr) - 1,

    though only the one-dimensional bits are stored. The distance is :math:`\operatorname{asinh}
    H(i, i) - \operatorname{asinh} H(i, j)`: the order of the affinity, on a scale that spreads
    it, since H grows exponentially with the number of dimensions. Products are kept as sums of
    logarithms, which no number of dimensions takes beyond the largest float.

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
    >>> from hashlearn import EigenfunctionDistance
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
                "eigenvalues and dimensions must be one number and one integer per bit; got shapes "
                f"{eigenvalues.shape} and {dimensions.shape}, dtypes {eigenvalues.dtype} and "
                f"{dimensions.dtype}."
            )
        if not ((eigenvalues > 0) & (eigenvalues <= 1)).all():
            raise ValueError(
                "eigenvalues must be above 0 and at most 1; got "
                f"{eigenvalues.min():g} to {eigenvalues.max():g}."
            )
        super().check(n_bits)

    def largest(self, n_bits: int) -> float:
        """Return a bound: factors at their ends, one of them below 0 if any can be."""
        sums = self._sums()
        top = np.log1p(sums).sum()
        if (sums > 1).any():
            lowest = asinh_of_product(top + np.log(np.max((sums - 1) / (sums + 1))), True)
        else:
            lowest = asinh_of_product(np.log(np.maximum(1 - sums, TINY)).sum(), False)
        return float(asinh_of_product(top, False) - lowest) + ROUNDING * sums.size

    def _between(self, queries: np.ndarray, database: np.ndarray, n_bits: int) -> np.ndarray:
        eigenvalues = self._values()
        small, large = _bits_by_dimension(np.asarray(self.dimensions))
        products = _Products((len(queries), len(database)), self._log_step())
        if small:
            codes = _rearranged(queries, database, [np.concatenate(parts) for parts in small])
            tables = _Products((len(small), 256), products.step)
            for factors in _factors_of_bytes(small, eigenvalues):
                tables.multiply(factors)
            products.logs += table_sums(*codes, tables.logs)
            if tables.n_negative.any():
                products.n_negative += table_sums(*codes, tables.n_negative)
        for bits in large:
            pieces = np.split(bits, range(8, bits.size, 8))
            sums = np.array([_sum_table(eigenvalues[piece]) for piece in pieces])
            products.multiply(1 + table_sums(*_rearranged(queries, database, pieces), sums))
        return below_top(self._top_log(), products.logs, products.n_negative)

    def _values(self) -> np.ndarray:
        return with_exact_sums(np.asarray(self.eigenvalues, dtype=np.float64))

    def _sums(self) -> np.ndarray:
        """Return the sum of the eigenvalues of each dimension."""
        _, dimension = np.unique(self.dimensions, return_inverse=True)
        return np.bincount(dimension, weights=self._values())

    def _log_step(self) -> float:
        """Return a power of 2 so large that sums of its multiples, one per factor, are exact."""
        _, exponent = np.frexp(LARGEST_LOG * np.unique(self.dimensions).size)
        return float(np.ldexp(1.0, exponent - 53))

    def _top_log(self) -> float:
        """Return the logarithm of the product of equal codes."""
        product = _Products((1, 1), self._log_step())
        for factor in 1 + self._sums():
            product.multiply(np.array([[factor]]))
        return product.logs[0, 0]


class _Products:
    """Products of factors of any sign, as sums of the logarithms of their sizes."""

    def __init__(self, shape: tuple[int, int], step: float) -> None:
        self.logs, self.n_negative = np.zeros(shape), np.zeros(shape)
        self.step = step

    def multiply(self, factors: np.ndarray) -> None:
        add_factors(factors, self.step, self.logs, self.n_negative)


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


def _factors_of_bytes(
    small: list[list[np.ndarray]], eigenvalues: np.ndarray
) -> Iterator[np.ndarray]:
    """Yield (n_bytes, 256) factors, one of a dimension in each byte; 1 where a byte has no more."""
    for place in range(max(map(len, small))):
        factors = np.ones((len(small), 256))
        for byte, parts in enumerate(small):
            if place < len(parts):
                first = sum(map(len, parts[:place]))
                factors[byte] += _sum_table(eigenvalues[parts[place]], first)
        yield factors


def _rearranged(
    queries: np.ndarray, database: np.ndarray, bytes_: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return codes whose bytes hold the bits given for each; the database's byte by byte."""
    places = np.concatenate([np.pad(b, (0, 8 - b.size), constant_values=-1) for b in bytes_])

    def rearranged(packed: np.ndarray) -> np.ndarray:
        bits = np.unpackbits(packed, axis=1)[:, places]
        bits[:, places < 0] = 0
        return np.packbits(bits, axis=1)

    return np.ascontiguousarray(rearranged(queries)), np.ascontiguousarray(rearranged(database).T)
