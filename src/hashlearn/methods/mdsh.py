"""Multidimensional spectral hashing: signs of eigenfunctions along principal directions."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils import check_scalar

from hashlearn._numerics.arrays import is_sparse
from hashlearn._numerics.checks import check_number
from hashlearn._numerics.padded_blocks import map_padded_blocks
from hashlearn._numerics.rbf import mean_neighbor_distance
from hashlearn._progress import say
from hashlearn.base import Card, register
from hashlearn.methods._parts.centred import principal_directions
from hashlearn.methods._parts.eigenfunctions import (
    Grid,
    grid_and_density,
    interpolate,
    line_eigenfunctions,
)
from hashlearn.methods.linear import LinearHasher
from hashlearn.search.distances import EigenfunctionDistance

_N_NEIGHBORS = 100  # nearest items, whose mean distance is the unit of the bandwidth
_MOST_BINS = 2000  # for each direction, an n_bins x n_bins matrix is decomposed
_NOISE = 1e-10  # smaller eigenvalues, and their functions, are rounding errors
_MANY_DIRECTIONS = 256  # considered, or 4 per bit where that is more


class _Function(NamedTuple):
    """One eigenfunction along one direction."""

    eigenvalue: float
    direction: int
    order: int
    grid: Grid
    table: np.ndarray


@register("mdsh")
class MDSHHasher(LinearHasher):
    r"""Multidimensional spectral hashing: bits that rebuild the Gaussian affinity [1]_.

    Codes should reproduce the affinity :math:`W_{ij} = \exp(-\|x_i - x_j\|^2 / (2 \sigma^2))`,
    whose best real-valued codes are its eigenvectors; here each row of W is divided by its sum,
    so that the constant function has eigenvalue 1. Along principal directions, taken to be
    independent, W is a product of affinities on lines, with eigenfunctions
    :math:`g_{ak}` and eigenvalues :math:`\lambda_{ak}` (direction a, order k) from the
    histogram of each direction. The bits are the signs of the m functions with the largest
    eigenvalues, linear between the bins and constant beyond them. A narrow direction along which
    items form clusters can come before a wide one, so that more directions are considered than
    there are bits: the first 4 m, at least 256, or all if there are fewer.

    Products of these functions over directions are eigenfunctions of W, too. They need no bits:
    `distance_` ranks by

    .. math:: H(i, j) = \prod_a \Bigl( 1 + \sum_{k \in a} \lambda_{ak} b_{ik} b_{jk} \Bigr) - 1,

    the sum over all products, in time linear in m. The Hamming distance of the same codes ranks
    less precisely.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes. One direction may give several bits.
    bandwidth : float, default=0.25
        The bandwidth of the affinity, :math:`\sigma`, in units of the mean distance to the 100
        nearest items. The smaller it is, the more bits the first directions get. Along a
        direction whose bins are wider than :math:`\sigma`, their width is used instead: items in
        one bin are not distinguished.
    n_bins : int, default=50
        Number of bins of each direction's histogram, from its 2.5th to its 97.5th percentile; a
        direction has at most `n_bins` - 1 bits.
    random_state : int, RandomState instance or None, default=None
        Seeds the sample of items for the bandwidth, where there are more than 2,000.
    n_jobs : int, default=None
        Threads for encoding. Bits do not depend on it.
    verbose : int, default=0
        Above 0, print what was found.

    Attributes
    ----------
    projections_ : ndarray of shape (n_features, n_directions)
        The principal directions with bits, the largest variance first.
    mean_ : ndarray of shape (n_features,)
        The mean of the training items.
    sigma_ : float
        The bandwidth :math:`\sigma`.
    dimensions_ : ndarray of shape (n_bits,), int
        The direction a of each bit, a column of `projections_`.
    orders_ : ndarray of shape (n_bits,), int
        The order k of each bit, from 1.
    eigenvalues_ : ndarray of shape (n_bits,)
        The eigenvalue of each bit, the largest first.
    first_, step_ : ndarray of shape (n_bits,)
        The centre of the first bin, and the width of the bins, along the direction of each bit.
    tables_ : ndarray of shape (n_bits, n_bins)
        The function of each bit in the bins.
    distance_ : EigenfunctionDistance
        The method's own distance between codes: the order of H.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Weiss, Fergus and Torralba, "Multidimensional Spectral Hashing", ECCV 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.methods import MDSHHasher
    >>> X = np.random.default_rng(0).uniform(size=(500, 2)) * [4, 1]
    >>> hasher = MDSHHasher(n_bits=6, random_state=0).fit(X)
    >>> hasher.dimensions_, hasher.orders_  # more bits along the long side
    (array([0, 0, 0, 0, 1, 0]), array([1, 2, 3, 4, 1, 5]))
    """

    card = Card(
        title="MDSH",
        hash_function="eigenfunctions on principal directions",
        cost="n d^2 + d^3",
        use="unsupervised; many bits, near neighbours",
        distance="weighted",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        bandwidth: float = 0.25,
        n_bins: int = 50,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.bandwidth = bandwidth
        self.n_bins = n_bins

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the eigenfunctions with the largest eigenvalues along principal directions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : ignored

        Returns
        -------
        self : MDSHHasher
        """
        X, random_state = self._begin(X)
        check_number("bandwidth", self.bandwidth)
        check_scalar(self.n_bins, "n_bins", Integral, min_val=2, max_val=_MOST_BINS)
        self._centre(X)
        n_directions = min(X.shape[0] - 1, X.shape[1], max(4 * self.n_bits, _MANY_DIRECTIONS))
        self.projections_ = principal_directions(X, self.mean_, n_directions)
        self.sigma_ = self.bandwidth * mean_neighbor_distance(X, _N_NEIGHBORS, random_state)
        coordinates = super()._margins(X)
        varying = np.ptp(coordinates, axis=0) > _rounding(X)
        if not varying.any():
            raise ValueError("X has no two different items: there is nothing to tell apart.")
        self._choose_functions(coordinates, np.flatnonzero(varying))
        self.distance_ = EigenfunctionDistance(self.eigenvalues_, self.dimensions_)
        say(
            f"mdsh: {self.n_bits} bits along {self.projections_.shape[1]} of {n_directions} "
            "directions",
            self.verbose,
        )
        self._keep_codes(X)
        return self

    def _choose_functions(self, coordinates: np.ndarray, directions: np.ndarray) -> None:
        """Set the functions with the largest eigenvalues of all directions."""
        found: list[_Function] = []
        for a in directions.tolist():
            grid, density = grid_and_density(coordinates[:, a].astype(np.float64), self.n_bins)
            sigma = max(self.sigma_, grid.step)  # below, every bin would have its own function
            pairs = zip(*line_eigenfunctions(grid.centers, density, sigma), strict=True)
            found += [
                _Function(value, a, k, grid, table) for k, (value, table) in enumerate(pairs, 1)
            ]
        found = [one for one in found if one.eigenvalue > _NOISE]
        self._check_enough(len(found))
        bits = sorted(found, key=lambda one: -one.eigenvalue)[: self.n_bits]
        self.eigenvalues_ = np.array([bit.eigenvalue for bit in bits])
        used, self.dimensions_ = np.unique([bit.direction for bit in bits], return_inverse=True)
        self.projections_ = self.projections_[:, used]
        self.orders_ = np.array([bit.order for bit in bits])
        self.first_ = np.array([bit.grid.first for bit in bits])
        self.step_ = np.array([bit.grid.step for bit in bits])
        self.tables_ = np.array([bit.table for bit in bits])

    def _check_enough(self, n_functions: int) -> None:
        if n_functions < self.n_bits:
            raise ValueError(
                f"n_bits={self.n_bits} exceeds the {n_functions} eigenfunctions of these items "
                f"with bandwidth={self.bandwidth} and n_bins={self.n_bins}: lower n_bits or "
                "bandwidth."
            )

    def _margins(self, X: Any) -> np.ndarray:
        first, step = self.first_.astype(X.dtype), self.step_.astype(X.dtype)
        tables = self.tables_.astype(X.dtype)

        def margins(coordinates: np.ndarray) -> np.ndarray:
            return interpolate(coordinates[:, self.dimensions_], first, step, tables)

        return map_padded_blocks(margins, super()._margins(X), len(tables), dtype=X.dtype)


def _rounding(X: Any) -> float:
    """Return the spread that rounding alone may give to the coordinates of equal items."""
    values = X.data if is_sparse(X) else X
    largest = float(np.abs(values).max()) if values.size else 0.0
    return 4 * float(np.finfo(X.dtype).eps) * largest * float(np.sqrt(X.shape[1]))
