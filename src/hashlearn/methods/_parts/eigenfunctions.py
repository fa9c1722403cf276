r"""Eigenfunctions of the Gaussian affinity on a line, from a histogram.

With a density p the affinity :math:`W(a, b) = \exp(-(a - b)^2 / (2 \sigma^2))` has the
eigenfunctions

.. math:: \frac{1}{d(a)} \int W(a, b)\, p(b)\, g(b)\, db = \lambda\, g(a), \quad
          d(a) = \int W(a, b)\, p(b)\, db.

The first is constant, with eigenvalue 1; the others fall from there to 0. On a grid of bins the
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
    """The middles of equally wide bins: first, first + step, ...

    Attributes
    ----------
    first : float
        The first middle.
    step : float
        The width of a bin.
    n_bins : int
        How many there are.
    """

    first: float
    step: float
    n_bins: int

    @property
    def middles(self) -> np.ndarray:
        """The middles of the bins."""
        return self.first + self.step * np.arange(self.n_bins)


def grid_and_density(values: np.ndarray, n_bins: int) -> tuple[Grid, np.ndarray]:
    """Return bins over values without their tails, and the smoothed share of values in each.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The values on the line, not all the same.
    n_bins : int
        How many bins.

    Returns
    -------
    grid : Grid
    density : ndarray of shape (n_bins,)

    Examples
    --------
    >>> grid, density = grid_and_density(np.linspace(0, 1, 1001), 5)
    >>> grid.middles.round(2)
    array([0.12, 0.31, 0.5 , 0.69, 0.88])
    >>> density.round(2)
    array([0.21, 0.2 , 0.19, 0.2 , 0.21])
    """
    low, high = np.percentile(values, (_TAIL, 100 - _TAIL))
    if not low < high:  # nearly all are the same: the few others are what there is to see
        low, high = float(values.min()), float(values.max())
    step = (high - low) / n_bins
    counts, _ = np.histogram(np.clip(values, low, high), bins=n_bins, range=(low, high))
    density = np.convolve(np.pad(counts, 1, mode="edge"), _SMOOTHING, mode="valid")
    density += _EMPTY * density.mean()
    return Grid(float(low + step / 2), float(step), n_bins), density / density.sum()


def line_eigenfunctions(
    middles: np.ndarray, density: np.ndarray, sigma: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues, falling, and the eigenfunctions without the constant one.

    Parameters
    ----------
    middles : ndarray of shape (n_bins,)
        The middles of the bins.
    density : ndarray of shape (n_bins,)
        The share of items in each bin, positive, with sum 1.
    sigma : float
        The bandwidth of the affinity.

    Returns
    -------
    eigenvalues : ndarray of shape (n_bins - 1,)
        From near 1 to 0.
    functions : ndarray of shape (n_bins - 1, n_bins)
        The values in the bins, of variance 1 and mean 0 under p(a) d(a), positive at the end.

    Examples
    --------
    >>> middles = np.linspace(0.01, 0.99, 50)
    >>> eigenvalues, functions = line_eigenfunctions(middles, np.full(50, 0.02), 0.1)
    >>> eigenvalues[:3].round(2)
    array([0.94, 0.8 , 0.62])
    >>> [int((np.diff(np.sign(g)) != 0).sum()) for g in functions[:3]]  # as of cosines
    [1, 2, 3]
    """
    W = np.exp(-0.5 * ((middles[:, None] - middles) / sigma) ** 2)
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
    """Return functions known in bins, linear between their middles and constant beyond the ends.

    Parameters
    ----------
    values : ndarray of shape (n, n_functions)
        Where each function is wanted.
    first, step : ndarray of shape (n_functions,)
        The grid of each function.
    tables : ndarray of shape (n_functions, n_bins)
        The values in the bins.

    Returns
    -------
    ndarray of shape (n, n_functions), in the type of the tables

    Examples
    --------
    >>> tables = np.array([[0.0, 10.0, 0.0]])
    >>> interpolate(np.array([[0.5], [1.0], [9.0]]), np.zeros(1), np.ones(1), tables).ravel()
    array([ 5., 10.,  0.])
    """
    n_functions, n_bins = tables.shape
    place = np.clip((values - first) / step, 0, n_bins - 1)
    left = np.minimum(place.astype(np.intp), n_bins - 2)
    share = place - left.astype(place.dtype)
    function = np.arange(n_functions)
    return (1 - share) * tables[function, left] + share * tables[function, left + 1]
