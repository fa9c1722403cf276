"""Spectral hashing: the smoothest waves along the principal directions of the items."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from hashlearn._progress import say
from hashlearn.base import Card, register
from hashlearn.methods._parts.centred import principal_directions
from hashlearn.methods._parts.checks import check_differs
from hashlearn.methods.linear import LinearHasher


@register("sph")
class SPHHasher(LinearHasher):
    r"""Spectral hashing: signs of the smoothest eigenfunctions of a box around the items [1]_.

    The items are assumed to be uniform in a box along their principal directions, from a to b in
    each. There the Laplacian of a Gaussian affinity has the eigenfunctions and eigenvalues

    .. math:: \Phi_k(x) = \sin\left(\frac{\pi}{2} + \frac{k \pi}{b - a} (x - a)\right), \qquad
              \lambda_k = 1 - \exp\left(-\frac{\epsilon^2}{2}
              \left(\frac{k \pi}{b - a}\right)^2\right),\quad k = 1, 2, \dots

    The m pairs of direction and k with the smallest eigenvalues become bits, several along a long
    side. Their order, and so the code, does not depend on the bandwidth :math:`\epsilon`.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes; it may exceed the number of features.
    random_state : int, RandomState instance or None, default=None
        Accepted for consistency; nothing is random.
    n_jobs : int, default=None
        Threads for encoding. Bits do not depend on it.
    verbose : int, default=0
        Above 0, print what was found.

    Attributes
    ----------
    projections_ : ndarray of shape (n_features, n_directions)
        The principal directions; one per feature or bit, whichever are fewer.
    mean_ : ndarray of shape (n_features,)
        The mean of the training items.
    low_, high_ : ndarray of shape (n_directions,)
        The box: a and b along each direction. The waves continue beyond it.
    dimensions_ : ndarray of shape (n_bits,)
        The direction of each bit.
    modes_ : ndarray of shape (n_bits,)
        The k of each bit.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Weiss, Torralba, Fergus, "Spectral Hashing", NIPS 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.methods import SPHHasher
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [1.5, 1.0], [1.5, -1.0]])
    >>> hasher = SPHHasher(n_bits=3).fit(X)
    >>> hasher.dimensions_, hasher.modes_  # a box of 3 x 2
    (array([0, 1, 0]), array([1, 1, 2]))
    """

    card = Card(
        title="SPH",
        hash_function="cosines along principal directions",
        cost="n d^2 + d^3",
        use="a baseline that learns in no time; few bits",
    )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the box, and the smoothest eigenfunctions in it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : ignored

        Returns
        -------
        self : SPHHasher
        """
        X, _ = self._begin(X)
        check_differs(X, "X")
        self._centre(X)
        self.projections_ = principal_directions(X, self.mean_, min(self.n_bits, X.shape[1]))
        V = super()._margins(X)
        self.low_, self.high_ = V.min(axis=0), V.max(axis=0)
        self.dimensions_, self.modes_ = _smoothest_modes(self.high_ - self.low_, self.n_bits)
        n_used = np.unique(self.dimensions_).size
        say(f"sph: {self.n_bits} bits along {n_used} directions", self.verbose)
        self._keep_codes(X)
        return self

    def _margins(self, X: Any) -> np.ndarray:
        V = super()._margins(X)
        low = self.low_[self.dimensions_].astype(V.dtype)
        # sin(pi / 2 + t) = cos(t)
        frequencies = self.modes_ * np.pi / (self.high_ - self.low_)[self.dimensions_]
        waves = V[:, self.dimensions_] - low
        waves *= frequencies.astype(V.dtype)
        return np.cos(waves, out=waves)


def _smoothest_modes(sides: np.ndarray, n_bits: int) -> tuple[np.ndarray, np.ndarray]:
    """Return dimension and k of the smallest k / side, smallest first; a side of 0 has none."""
    modes = np.arange(1, n_bits + 1)
    order = np.full((n_bits, sides.size), np.inf)
    np.divide(modes[:, None], sides, out=order, where=sides > 0)
    chosen = np.argsort(order, axis=None, kind="stable")[:n_bits]
    return chosen % sides.size, modes[chosen // sides.size]
