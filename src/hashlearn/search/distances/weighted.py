"""Hamming distance with a weight per bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.search._kernels.distances import (
    table_sums,
    tables_of,
    with_exact_sums,
)
from hashlearn.search.distances.base import Distance, register


@register("weighted")
class WeightedHamming(Distance):
    r"""The sum of the weights of the bits that differ, :math:`\sum_k w_k [a_k \ne b_k]`.

    Weights are rounded to 52 binary digits of their sum, which makes all sums exact: codes that
    differ in bits of the same weights are equally distant, to the last digit.

    Parameters
    ----------
    weights : array-like of shape (n_bits,)
        The cost of a differing bit: finite, at least 0.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn import WeightedHamming
    >>> distance = WeightedHamming(np.array([2.0, 1.0, 0.5]))
    >>> codes = np.packbits([[0, 0, 0], [1, 0, 0], [0, 1, 1]], axis=1)
    >>> distance.between(codes[:1], codes)
    array([[0. , 2. , 1.5]])
    """

    def __init__(self, weights: ArrayLike) -> None:
        self.weights = weights

    @property
    def n_bits(self) -> int:
        """One bit per weight."""
        return np.size(self.weights)

    def check(self, n_bits: int) -> None:
        """Raise if there is not one weight per bit, finite and at least 0."""
        weights = np.asarray(self.weights)
        if weights.ndim != 1 or weights.dtype.kind not in "biuf" or not weights.size:
            raise ValueError(
                f"weights must be one number per bit; got shape {weights.shape} and dtype "
                f"{weights.dtype}."
            )
        if not (np.isfinite(weights) & (weights >= 0)).all():
            raise ValueError(
                f"weights must be finite and at least 0; got {weights.min():g} to "
                f"{weights.max():g}."
            )
        with np.errstate(over="ignore"):
            total = weights.sum(dtype=np.float64)
        if not np.isfinite(total):
            raise ValueError("weights must have a finite sum; got an infinite one.")
        super().check(n_bits)

    def largest(self, n_bits: int) -> float:
        """Return the sum of all weights."""
        return float(self._values().sum())

    def _between(self, queries: np.ndarray, database: np.ndarray, n_bits: int) -> np.ndarray:
        tables = tables_of(self._values())
        return table_sums(queries, np.ascontiguousarray(database.T), tables)

    def _values(self) -> np.ndarray:
        return with_exact_sums(np.asarray(self.weights, dtype=np.float64))
