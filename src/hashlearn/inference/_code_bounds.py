"""Bounds on the distance between codes, and on the quadratic loss of classes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice, pairwise

import numpy as np


def largest_possible_distance(n_codes: int, n_bits: int) -> int:
    """Return a bound: no `n_codes` codes have a larger smallest distance.

    The least of three bounds, for codes of any kind [1]_: Hamming's (spheres around codes must
    not meet), Plotkin's (the mean distance cannot exceed that of balanced bits), and Elias' and
    Bassalygo's (Plotkin's among the codes near one centre).

    Parameters
    ----------
    n_codes : int
        The number of codes, at least 2.
    n_bits : int
        Bits per code.

    References
    ----------
    .. [1] MacWilliams and Sloane, "The Theory of Error-Correcting Codes", 1977, chapters 1, 2
       and 17.

    Examples
    --------
    >>> from hashlearn.inference import largest_possible_distance
    >>> largest_possible_distance(16, 8), largest_possible_distance(4096, 24)
    (4, 8)
    """
    # if n_codes cannot lie a distance apart, they cannot lie farther apart
    return bisect_left(
        range(1, n_bits + 1), True, key=lambda distance: _most_codes(n_bits, distance) < n_codes
    )


def _most_codes(n_bits: int, distance: int) -> int:
    """Return a bound on the number of codes with a smallest distance."""
    if distance % 2 == 0 and n_bits > 1:  # an even distance survives the loss of a bit, less one
        return min(
            _hamming(n_bits - 1, distance - 1), _plotkin(n_bits, distance), _elias(n_bits, distance)
        )
    # a parity bit makes an odd distance even
    return min(
        _hamming(n_bits, distance),
        _plotkin(n_bits + 1, distance + 1),
        _elias(n_bits + 1, distance + 1),
    )


def _hamming(n_bits: int, distance: int) -> int:
    """Spheres of radius (d - 1) / 2 do not meet."""
    return 2**n_bits // sum(islice(_binomials(n_bits), (distance - 1) // 2 + 1))


def _plotkin(n_bits: int, distance: int) -> int:
    """For an even distance; bits are dropped, at a factor 2 each, until the bound applies."""
    shortened = max(0, n_bits - 2 * distance)
    n_bits -= shortened
    if n_bits == 2 * distance:
        return 2**shortened * 4 * distance
    return 2**shortened * 2 * (distance // (2 * distance - n_bits))


def _elias(n_bits: int, distance: int) -> int:
    """Bound the codes of some sphere, which holds its share of all, by their mean distance."""
    best = 2**n_bits
    for radius, n_shell in islice(enumerate(_binomials(n_bits)), 1, n_bits // 2 + 1):
        excess = 2 * radius * radius - 2 * n_bits * radius + n_bits * distance
        if excess <= 0:
            break
        in_shell = (n_bits * distance) // excess
        best = min(best, in_shell * 2**n_bits // n_shell)
    return best


def _binomials(n: int) -> Iterator[int]:
    """Yield n over 0, n over 1 and so on, each from the one before."""
    binomial = 1
    for i in range(n + 1):
        yield binomial
        binomial = binomial * (n - i) // (i + 1)


def least_class_loss(weights: np.ndarray, n_bits: int) -> float:
    r"""Return a lower bound of KSH's loss over classes that are all dissimilar.

    With :math:`B = [Z, \sqrt m 1]` the loss, own pairs included, is the sum of squared
    eigenvalues of :math:`B^T W B`. Their sums, the largest first, are at least those of its
    diagonal and of the weights, 2 m w (Schur); the flattest such eigenvalues are the bound.
    `weights` are the numbers of items per class, `n_bits` is m.
    """
    m, total = n_bits, float(weights.sum())
    of_bits = np.append(m * total, np.full(m, total)).cumsum()
    heaviest = np.sort(weights)[::-1][: m + 1]
    of_classes = np.pad(2 * m * heaviest.cumsum(), (0, m + 1 - heaviest.size), mode="edge")
    sums = np.maximum(of_bits, of_classes)
    own = 4 * m**2 * float((weights**2).sum())
    return float((_flattest(sums) ** 2).sum() - own)


def _flattest(sums: np.ndarray) -> np.ndarray:
    """Return decreasing numbers whose partial sums are the least concave ones above `sums`."""
    corners = [(0, 0.0)]
    for point in enumerate(sums.tolist(), start=1):
        while len(corners) > 1 and _slope(corners[-2], corners[-1]) <= _slope(corners[-1], point):
            corners.pop()
        corners.append(point)
    return np.concatenate([np.full(b[0] - a[0], _slope(a, b)) for a, b in pairwise(corners)])


def _slope(a: tuple[int, float], b: tuple[int, float]) -> float:
    return (b[1] - a[1]) / (b[0] - a[0])
