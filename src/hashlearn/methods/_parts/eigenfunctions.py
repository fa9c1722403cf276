r"""Eigenfunctions of the Gaussian affinity on a line, from a histogram.

With a density p the affinity :math:`W(a, b) = \exp(-(a - b)^2 / (2 \sigma^2))` has the
eigenfunctions

.. math:: \frac{1}{d(a)} \int W(a, b)\, p(b)\, g(b)\, db = \lambda\, g(a), \quad
          d(a) = \int W(a, b)\, p(b)\, db.

The first is constant, with eigenvalue 1; the others decrease to 0. On a grid of bins the
integrals are sums, and the problem is a small symmetric one (Fergus et al., "Semi-Supervised
Learning in Gigantic Image Collections", NIPS 2009).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

_TAIL = 2.5  # per cent of the items on either side that are moved to the ends of the grid
_EMPTY = 0.01  # what an empty bin counts, of the mean bin: functions need a value there too
_SMOOTHING = (0.25, 0.5, 0.25)


class Grid(NamedTuple):
    """Equally wide bins: the centre of the first one, their width, and their number."""

    first: float
    step: float
    n_bins: int

    @property
    def centers(self) -> np.ndarray:
        """The centres of the bins."""
        return self.first + self.step * np.arange(self.n_bins)


def grid_and_density(values: np.ndarray, n_bins: int) -> tuple[Grid, np.ndarray]:
    """Return bins over values, not all equal, without their tails, and the density in the bins."""
    low, high = np.percentile(values, (_TAIL, 100 - _TAIL))
    if not low < high:  # nearly all are equal: use the range of the few others
        low, high = float(values.min()), float(values.max())
    step = (high - low) / n_bins
    counts, _ = np.histogram(np.clip(values, low, high), bins=n_bins, range=(low, high))
    density = np.convolve(np.pad(counts, 1, mode="edge"), _SMOOTHING, mode="valid")
    density += _EMPTY * density.mean()
    return Grid(float(low + step / 2), float(step), n_bins), density / density.sum()


def line_eigenfunctions(
    centers: np.ndarray, density: np.ndarray, sigma: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the decreasing eigenvalues, and the eigenfunctions as rows, without the constant one.

    The functions have variance 1 and mean 0 under p(a) d(a), and are positive in the last bin.
    """
    W = np.exp(-0.5 * ((centers[:, None] - centers) / sigma) ** 2)
    weight = density * (W @ density)  # p(a) d(a)
    scale = density / np.sqrt(weight)
    eigenvalues, vectors = eigh(scale[:, None] * W * scale)
    eigenvalues, vectors = eigenvalues[-2::-1], vectors[:, -2::-1].T
    functions = vectors * np.sqrt(weight.sum() / weight)
    functions *= np.where(functions[:, -1:] < 0, -1.0, 1.0)
    return np.clip(eigenvalues, 0.0, 1.0), functions


def interpolate(
    values: np.ndarray, first: np.ndarray, step: np.ndarray, tables: np.ndarray
) -> np.ndarray:
    """Interpolate functions given in bins: linear between centres, constant beyond the ends.

    `values` and the result are (n, n_functions); `tables` is (n_functions, n_bins).
    """
    n_functions, n_bins = tables.shape
    place = np.clip((values - first) / step, 0, n_bins - 1)
    left = np.minimum(place.astype(np.intp), n_bins - 2)
    share = place - left.astype(place.dtype)
    function = np.arange(n_functions)
    return (1 - share) * tables[function, left] + share * tables[function, left + 1]
