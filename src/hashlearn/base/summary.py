"""A short diagnosis of a fitted hasher's codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hashlearn.search import nearest_codes, unpack_codes

_BLOCK_ROWS = 2**16  # codes that are unpacked at a time


@dataclass(frozen=True)
class Summary:
    """Diagnosis of training codes.

    Attributes
    ----------
    n_items, n_bits : int
        Size of the training codes.
    hash_function : str
        The hash function, or the class of the hasher.
    balance : ndarray of shape (n_bits,)
        Share of ones per bit; 0.5 is best.
    correlation : float
        Mean absolute correlation between varying bits; near 1, bits repeat each other.
    constant_bits : int
        Number of bits that are the same for all training items.
    distinct_codes : int
        Different codes among the training items.
    n_groups : int or None
        Number of groups of items that share a code, if there are groups.
    smallest_distance, mean_distance : float or None
        Hamming distances between the codes of different groups.
    bit_error : ndarray of shape (n_bits,) or None
        Share of training items on which the hash function misses the code, per bit.
    decisions : tuple of str
        What the hasher chose on its training items, and why.
    """

    n_items: int
    n_bits: int
    hash_function: str
    balance: np.ndarray
    correlation: float
    constant_bits: int
    distinct_codes: int
    n_groups: int | None
    smallest_distance: float | None
    mean_distance: float | None
    bit_error: np.ndarray | None
    decisions: tuple[str, ...] = ()

    @classmethod
    def of(cls, hasher: Any) -> Self:
        """Return the summary of a fitted hasher from its packed training codes."""
        packed = hasher.packed_codes_
        together = _ones_together(packed, hasher.n_bits_)
        n, ones = len(packed), np.diagonal(together)
        varying = (ones > 0) & (ones < n)
        groups = getattr(hasher, "groups_", None)
        function = getattr(hasher, "hash_function_", None)
        smallest, mean = _group_distances(packed, hasher.n_bits_, groups)
        return cls(
            n_items=n,
            n_bits=hasher.n_bits_,
            hash_function=type(hasher).__name__ if function is None else repr(function),
            balance=ones / n,
            correlation=_mean_correlation(together[np.ix_(varying, varying)], n),
            constant_bits=int((~varying).sum()),
            distinct_codes=np.unique(packed.view(f"V{packed.shape[1]}")).size,
            n_groups=None if groups is None else int(groups.max()) + 1,
            smallest_distance=smallest,
            mean_distance=mean,
            bit_error=getattr(hasher, "bit_error_", None),
            decisions=tuple(getattr(hasher, "decisions_", ())),
        )

    def __str__(self) -> str:
        lines = [
            f"{self.n_items} training items, {self.n_bits} bits, {self.hash_function}",
            f"balance          {_spread(self.balance)} ones per bit (0.5 is best)",
            f"correlation      {self.correlation:.3f} between bits (0 is best)",
            f"constant bits    {self.constant_bits}",
            f"distinct codes   {self.distinct_codes}",
        ]
        if self.n_groups is not None:
            lines.append(
                f"group distance   smallest {self.smallest_distance:g}, mean "
                f"{self.mean_distance:.1f} bits between {self.n_groups} groups"
            )
        if self.bit_error is not None:
            lines.append(f"bit error        {_spread(self.bit_error)} on training items")
        return "\n".join([*lines, *self.decisions])


def _ones_together(packed: np.ndarray, n_bits: int) -> np.ndarray:
    """Return how many codes have a 1 in both bits, for every pair of bits."""
    together = np.zeros((n_bits, n_bits))
    for start in range(0, len(packed), _BLOCK_ROWS):
        bits = unpack_codes(packed[start : start + _BLOCK_ROWS], n_bits).astype(np.float32)
        together += bits.T @ bits  # whole numbers below 2**24: exact
    return together


def _mean_correlation(together: np.ndarray, n: int) -> float:
    """Return the mean absolute correlation between bits that vary."""
    if len(together) < 2:
        return 0.0
    share = np.diagonal(together) / n
    covariance = together / n - np.outer(share, share)
    deviation = np.sqrt(np.diagonal(covariance))
    correlations = covariance / np.outer(deviation, deviation)
    return float(np.abs(correlations[np.triu_indices_from(correlations, k=1)]).mean())


def _group_distances(
    packed: np.ndarray, n_bits: int, groups: np.ndarray | None
) -> tuple[float | None, float | None]:
    """Return the smallest and the mean distance between codes of groups."""
    if groups is None or groups.max() == 0:
        return None, None
    of_groups = packed[np.unique(groups, return_index=True)[1]]
    # The nearest is the group itself.
    distances, _ = nearest_codes(of_groups, of_groups, k=2, ties="insertion")
    n, ones = len(of_groups), unpack_codes(of_groups, n_bits).sum(axis=0, dtype=np.float64)
    return float(distances[:, 1].min()), float((ones * (n - ones)).sum() / (n * (n - 1) / 2))


def _spread(values: np.ndarray) -> str:
    return f"{values.min():.3f} to {values.max():.3f}, mean {values.mean():.3f},"
