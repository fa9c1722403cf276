"""Spherical hashing: a bit says whether an item lies inside a hypersphere."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from hashlearn._numerics.arrays import check_magnitude, is_sparse
from hashlearn._numerics.checks import check_number
from hashlearn._numerics.padded_blocks import map_padded_blocks
from hashlearn._numerics.rbf import SquaredDistances, center_of
from hashlearn._progress import track
from hashlearn.base import BaseHasher, Card, register
from hashlearn.search.distances import SphericalHamming

_START_POINTS = 5  # random items whose mean is the start of a centre
_BLOCK_COLUMNS = 2**16  # items counted at a time, exactly in float32


@register("spher")
class SPHERHasher(BaseHasher):
    r"""Spherical hashing: each bit a hypersphere around half of the items, pairs a quarter [1]_.

    Bit k of x is 1 where :math:`\|x - c_k\|^2 < r_k^2`. The radius is the median distance, so
    that each sphere holds n/2 items; the centres move until every two spheres share
    :math:`o_{ij} \approx n/4` items, as independent bits do: two spheres that share too many
    repel each other, two that share too few attract each other, by the force

    .. math:: f_{i \leftarrow j} = \frac{1}{2} \frac{o_{ij} - n/4}{n/4} (c_i - c_j),

    and each centre moves by the mean of its m forces. Centres remain combinations of the initial
    ones, so that the features are read once: a round costs :math:`n m^2`, for any d.

    Its own distance, `distance_`, divides the number of differing bits by the number of spheres
    that hold both items: items inside many common spheres are near.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    mean_tolerance : float, default=0.1
        The largest mean of :math:`|o_{ij} - n/4|` to stop at, as a share of n/4.
    std_tolerance : float, default=0.15
        The largest standard deviation of :math:`o_{ij}` to stop at, as a share of n/4. Both
        tolerances must hold.
    max_iter : int, default=1000
        Maximum number of rounds; a warning is raised if the tolerances do not hold by then.
    random_state : int, RandomState instance or None, default=None
        Seeds the initial centres, each the mean of five random items.
    n_jobs : int, default=None
        Threads for encoding. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show a progress bar over the rounds.

    Attributes
    ----------
    centers_ : ndarray of shape (n_bits, n_features), float64
        The centres c.
    squared_radii_ : ndarray of shape (n_bits,), float64
        The squared radii :math:`r^2`.
    center_ : ndarray of shape (n_features,)
        Subtracted from dense rows before distances are computed, for accuracy.
    distance_ : SphericalHamming
        The method's own distance between codes.
    n_iter_ : int
        Number of moves of the centres.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Heo et al., "Spherical Hashing", CVPR 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.methods import SPHERHasher
    >>> X = np.random.default_rng(0).normal(size=(400, 8))
    >>> hasher = SPHERHasher(n_bits=4, random_state=0).fit(X)
    >>> hasher.codes_.mean(axis=0)  # each sphere holds half
    array([0.5, 0.5, 0.5, 0.5])
    """

    card = Card(
        title="SPHER",
        hash_function="inside a sphere",
        cost="n d m, then n m^2 a round",
        use="unsupervised; the codes of near items share ones",
        distance="spherical",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        mean_tolerance: float = 0.1,
        std_tolerance: float = 0.15,
        max_iter: int = 1000,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.mean_tolerance = mean_tolerance
        self.std_tolerance = std_tolerance
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None) -> Self:
        """Move the centres until their spheres overlap as independent bits do.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : ignored

        Returns
        -------
        self : SPHERHasher
        """
        X, random_state = self._begin(X)
        check_number("mean_tolerance", self.mean_tolerance, zero=True)
        check_number("std_tolerance", self.std_tolerance, zero=True)
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)
        check_magnitude(X)
        self.center_ = center_of(X)
        start = _start_centers(X, self.n_bits, random_state)
        mixture = self._balance(_seen_from(X, start, self.center_))
        self.centers_ = mixture @ start
        self.squared_radii_ = _halving_radii(self._squared_distances(X).T)
        self.distance_ = SphericalHamming()
        self._keep_codes(X)
        return self

    def _balance(self, start: _Start) -> np.ndarray:
        """Return the centres as combinations of the initial ones; set `n_iter_`."""
        n_bits, n_items = start.products.shape
        mixture = np.eye(n_bits)
        rounds = range(self.max_iter)
        for n_moves in track(rounds, "spheres", self.max_iter, self.verbose):
            excess = _overlaps(start.squared_distances(mixture)) / (n_items / 4) - 1
            if self._rests(excess):
                self.n_iter_ = n_moves
                return mixture
            mixture += _forces(excess, mixture) / n_bits
        self.n_iter_ = self.max_iter
        warnings.warn(
            f"The overlaps of the spheres are not within their tolerances after "
            f"max_iter={self.max_iter} rounds: raise max_iter or the tolerances.",
            ConvergenceWarning,
            stacklevel=3,
        )
        return mixture

    def _rests(self, excess: np.ndarray) -> bool:
        """Return whether the overlaps' excess over n/4, in units of n/4, is within tolerances."""
        pairs = excess[np.triu_indices_from(excess, k=1)]
        if not pairs.size:
            return True
        return bool(
            np.abs(pairs).mean() <= self.mean_tolerance and pairs.std() <= self.std_tolerance
        )

    def _squared_distances(self, X: Any) -> np.ndarray:
        distances = SquaredDistances(self.centers_.astype(X.dtype), self.center_)
        return map_padded_blocks(distances, X, len(self.centers_), dtype=X.dtype)

    def _margins(self, X: Any) -> np.ndarray:
        return self.squared_radii_.astype(X.dtype) - self._squared_distances(X)


class _Start(NamedTuple):
    """Products of items and initial centres, from which all distances follow."""

    norms: np.ndarray  # (n_items,), squared norms of the items
    products: np.ndarray  # (n_bits, n_items), of centres and items
    gram: np.ndarray  # (n_bits, n_bits), of centres and centres

    def squared_distances(self, mixture: np.ndarray) -> np.ndarray:
        """Return the (n_bits, n_items) squared distances to combinations of the centres."""
        distances = (-2 * mixture) @ self.products
        distances += self.norms
        distances += np.einsum("ij,jk,ik->i", mixture, self.gram, mixture)[:, None]
        return distances


def _start_centers(X: Any, n_bits: int, random_state: np.random.RandomState) -> np.ndarray:
    """Return means of a few random items each, in float64."""
    n_points = min(_START_POINTS, (X.shape[0] + 1) // 2)  # means of all items would be equal
    centers = np.empty((n_bits, X.shape[1]))
    for k in range(n_bits):
        items = np.sort(random_state.choice(X.shape[0], n_points, replace=False))
        centers[k] = np.asarray(X[items].mean(axis=0, dtype=np.float64)).ravel()
    return centers


def _seen_from(X: Any, centers: np.ndarray, center: np.ndarray) -> _Start:
    """Return the products of items and centres; dense items are centred for accuracy."""
    centers = centers - center
    n_bits = len(centers)

    def products_and_norms(block: Any) -> np.ndarray:
        if is_sparse(block):  # `center` is 0 then
            norms = np.asarray(block.multiply(block).sum(axis=1)).reshape(-1, 1)
        else:
            block -= center
            norms = np.einsum("ij,ij->i", block, block)[:, None]
        return np.hstack([block @ centers.T, norms])

    seen = map_padded_blocks(products_and_norms, X, n_bits + 1, dtype=np.float64)
    return _Start(seen[:, n_bits].copy(), seen[:, :n_bits].T.copy(), centers @ centers.T)


def _halving_radii(squared: np.ndarray) -> np.ndarray:
    """Return, per row of squared distances, a squared radius with half of them below.

    It is the mean of the two nearest ones, so that rounding moves no item over the border.
    """
    half = squared.shape[1] // 2
    ordered = np.partition(squared, (half - 1, half), axis=1)
    return ordered[:, half - 1 : half + 1].mean(axis=1, dtype=np.float64)


def _overlaps(squared: np.ndarray) -> np.ndarray:
    """Return the (n_bits, n_bits) numbers of items that two halving spheres share."""
    radii = _halving_radii(squared)[:, None]
    counts = np.zeros((len(squared), len(squared)))
    for start in range(0, squared.shape[1], _BLOCK_COLUMNS):
        inside = (squared[:, start : start + _BLOCK_COLUMNS] < radii).astype(np.float32)
        counts += inside @ inside.T
    return counts


def _forces(excess: np.ndarray, mixture: np.ndarray) -> np.ndarray:
    """Return the sum of forces on each centre: 1/2 excess_ij (c_i - c_j) over j."""
    return 0.5 * (excess.sum(axis=1, keepdims=True) * mixture - excess @ mixture)
