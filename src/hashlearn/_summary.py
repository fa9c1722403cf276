"""A short diagnosis of a fitted hasher's codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hashlearn.search import nearest_codes, pack_codes


@dataclass(frozen=True)
class Summary:
    """What to look at before trusting codes.

    Attributes
    ----------
    n_items, n_bits : int
        Size of the training codes.
    hash_function : str
        What computes the bits.
    balance : ndarray of shape (n_bits,)
        Share of ones per bit; 0.5 carries most.
    correlation : float
        Mean absolute correlation between varying bits; near 1, bits repeat each other.
    constant_bits : int
        Bits that are the same for all training items and carry nothing.
    distinct_codes : int
        Different codes among the training items.
    n_groups : int or None
        Groups of items that share a code, where there are such.
    smallest_distance, mean_distance : float or None
        Hamming distances between the codes of different groups.
    bit_error : ndarray of shape (n_bits,) or None
        Per bit how often the hash function misses the code on training items.
    decisions : tuple of str
        What the hasher decided on its training items, and why.
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


def summarise(hasher: Any) -> Summary:
    """Return the summary of a fitted hasher from its training codes."""
    codes = hasher.codes_
    varying = codes[:, (codes != codes[0]).any(axis=0)]
    groups = getattr(hasher, "groups_", None)
    function = getattr(hasher, "hash_function_", None)
    smallest, mean = _group_distances(codes, groups)
    return Summary(
        n_items=codes.shape[0],
        n_bits=codes.shape[1],
        hash_function=type(hasher).__name__ if function is None else repr(function),
        balance=codes.mean(axis=0),
        correlation=_mean_correlation(varying),
        constant_bits=codes.shape[1] - varying.shape[1],
        distinct_codes=np.unique(np.packbits(codes, axis=1), axis=0).shape[0],
        n_groups=None if groups is None else int(groups.max()) + 1,
        smallest_distance=smallest,
        mean_distance=mean,
        bit_error=getattr(hasher, "bit_error_", None),
        decisions=tuple(getattr(hasher, "decisions_", ())),
    )


def _mean_correlation(bits: np.ndarray) -> float:
    """Return the mean absolute correlation between columns that vary."""
    if bits.shape[1] < 2:
        return 0.0
    correlations = np.corrcoef(bits, rowvar=False, dtype=np.float64)
    return float(np.abs(correlations[np.triu_indices_from(correlations, k=1)]).mean())


def _group_distances(
    codes: np.ndarray, groups: np.ndarray | None
) -> tuple[float | None, float | None]:
    """Return the smallest and the mean distance between codes of groups."""
    if groups is None or groups.max() == 0:
        return None, None
    of_groups = codes[np.unique(groups, return_index=True)[1]]
    packed = pack_codes(of_groups)
    distances, _ = nearest_codes(packed, packed, k=2)  # the nearest is the group itself
    n, ones = of_groups.shape[0], of_groups.sum(axis=0, dtype=np.float64)
    return float(distances[:, 1].min()), float((ones * (n - ones)).sum() / (n * (n - 1) / 2))


def _spread(values: np.ndarray) -> str:
    return f"{values.min():.3f} to {values.max():.3f}, mean {values.mean():.3f},"
