"""Real distances between packed codes."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from hashlearn._numerics.words import check_same_width
from hashlearn._registry import Registry
from hashlearn.search.packing import check_packed

DISTANCES: Registry[Distance] = Registry("distance")
register = DISTANCES.register


class Distance(BaseEstimator):
    """A distance between codes, at least 0.

    A subclass is registered and stores parameters. It defines `largest` and `_between`, `n_bits`
    if it fits codes of one length only, and `scaled` if its values do not spread evenly.
    """

    @property
    def n_bits(self) -> int | None:
        """The length of the codes that it fits; None for any."""
        return None

    def check(self, n_bits: int) -> None:
        """Raise if the parameters are wrong, or do not fit codes of `n_bits` bits."""
        if self.n_bits not in (None, n_bits):
            raise ValueError(
                f"distance has parameters for {self.n_bits} bits; the codes have n_bits={n_bits}."
            )

    @abstractmethod
    def largest(self, n_bits: int) -> float:
        """Return a bound that no distance between codes of `n_bits` bits exceeds."""

    def scaled(self, distances: np.ndarray, n_bits: int) -> np.ndarray:
        """Return distances on a scale from 0 to 1, whose equal steps are the radii of curves.

        Parameters
        ----------
        distances : ndarray of float64
            Of codes of `n_bits` bits.
        n_bits : int

        Returns
        -------
        scaled : ndarray of the same shape
            In the order of the distances.
        """
        largest = self.largest(n_bits)
        return distances / largest if largest > 0 else np.zeros_like(distances)

    def between(
        self, queries: ArrayLike, database: ArrayLike, n_bits: int | None = None
    ) -> np.ndarray:
        """Return all distances between two sets of codes.

        Parameters
        ----------
        queries : array-like of shape (n_queries, width), uint8
            Packed codes.
        database : array-like of shape (n, width), uint8
            Packed codes.
        n_bits : int, optional
            Bits per code; by default those that the distance has parameters for, or 8 * width.

        Returns
        -------
        distances : ndarray of shape (n_queries, n), float64
            A pair's distance does not depend on the other codes, to the last digit.
        """
        queries = check_packed(queries, name="queries")
        database = check_packed(database, name="database")
        check_same_width(queries, database)
        n_bits = check_distance(self, n_bits, width=queries.shape[1])
        return self._between(queries, database, n_bits)

    @abstractmethod
    def _between(self, queries: np.ndarray, database: np.ndarray, n_bits: int) -> np.ndarray:
        """Return the distances of checked codes; called from several threads."""


def check_distance(distance: Any, n_bits: int | None = None, *, width: int | None = None) -> int:
    """Raise if `distance` is not a Distance, or does not fit some codes.

    Parameters
    ----------
    distance : Distance
    n_bits : int, optional
        Bits per code; by default those that the distance has parameters for, or 8 * width.
    width : int, optional
        Bytes per code, if `n_bits` must fit them.

    Returns
    -------
    n_bits : int
        Bits per code.

    Examples
    --------
    >>> from hashlearn.search.distances import SphericalHamming, WeightedHamming, check_distance
    >>> check_distance(WeightedHamming([1, 2, 3]), width=1)
    3
    >>> check_distance(SphericalHamming(), width=1)
    8
    >>> check_distance("weighted", n_bits=8)
    Traceback (most recent call last):
    TypeError: distance must be a Distance, or None for Hamming's; got 'weighted'.
    """
    if not isinstance(distance, Distance):
        raise TypeError(f"distance must be a Distance, or None for Hamming's; got {distance!r}.")
    n_bits = n_bits or distance.n_bits or 8 * (width or 0)
    distance.check(n_bits)
    if width is not None and width != -(-n_bits // 8):
        raise ValueError(f"codes are {width} bytes wide; n_bits={n_bits} needs {-(-n_bits // 8)}.")
    return n_bits
