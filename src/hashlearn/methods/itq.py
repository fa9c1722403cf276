"""Iterative quantization: principal directions, rotated for a small quantization error."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.utils import check_scalar

from hashlearn.base import Card, register
from hashlearn.methods._parts.centred import fit_rotation, principal_directions
from hashlearn.methods._parts.checks import check_differs
from hashlearn.methods.linear import LinearHasher


@register("itq")
class ITQHasher(LinearHasher):
    r"""Iterative quantization: signs of rotated principal components [1]_.

    With :math:`V` the items' first m principal components,

    .. math:: \min_{B, R} \|B - V R\|^2, \qquad B \in \{-1, 1\}^{n \times m},\ R^T R = I

    is solved for codes and rotation in turn: B = sign(V R), then R by orthogonal Procrustes. The
    rotation spreads the variance over the bits, so that distances between codes follow distances
    between items.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes, at most the number of features. Bits beyond the rank of X, which is
        below the number of items, add no further direction; a warning is raised.
    n_iter : int, default=50
        Maximum number of rounds; a round without improvement is the last. The published default
        stops before convergence: the error still falls slowly, and no warning is raised.
    random_state : int, RandomState instance or None, default=None
        Seeds the first rotation.
    n_jobs : int, default=None
        Threads for encoding. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show a progress bar over the rounds.

    Attributes
    ----------
    projections_ : ndarray of shape (n_features, n_bits)
        The rotated principal directions.
    mean_ : ndarray of shape (n_features,)
        The mean of the training items.
    rotation_ : ndarray of shape (n_directions, n_bits)
        The rotation :math:`R`; one row per principal direction, orthonormal.
    quantization_error_ : ndarray of shape (n_rounds + 1,)
        :math:`\|B - V R\|^2 / n` from the first rotation to the last; it never increases.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Gong, Lazebnik, Gordo, Perronnin, "Iterative Quantization: A Procrustean Approach to
       Learning Binary Codes for Large-Scale Image Retrieval", TPAMI 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.methods import ITQHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = ITQHasher(n_bits=16, random_state=0).fit(X)
    >>> hasher.encode(X[:1]).shape
    (1, 2)
    >>> hasher.score(X, y) > 0.4
    True
    """

    card = Card(
        title="ITQ",
        hash_function="linear",
        cost="n d^2 + d^3, then n m^2 a round",
        use="without labels, the first to try",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        n_iter: int = 50,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.n_iter = n_iter

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the principal directions and their rotation.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : ignored

        Returns
        -------
        self : ITQHasher
        """
        X, random_state = self._begin(X)
        check_scalar(self.n_iter, "n_iter", Integral, min_val=1)
        if self.n_bits > X.shape[1]:
            raise ValueError(
                f"n_bits={self.n_bits} exceeds n_features={X.shape[1]}: PCA has one direction per "
                "feature."
            )
        check_differs(X, "X")
        self._centre(X)
        n_directions = min(self.n_bits, X.shape[0] - 1)
        self.projections_ = principal_directions(X, self.mean_, n_directions)
        V = self._parallel_margins(X)
        vary = self._varying(V)
        self.projections_ = self.projections_[:, vary]
        self._rotate(V[:, vary], random_state)
        self._keep_codes(X)
        return self

    def _rotate(self, V: np.ndarray, random_state: np.random.RandomState) -> None:
        """Rotate the projections, along which V holds the training items."""
        self.rotation_, self.quantization_error_ = fit_rotation(
            V, self.n_bits, self.n_iter, random_state, verbose=self.verbose
        )
        self.projections_ = self.projections_ @ self.rotation_

    def _varying(self, V: np.ndarray) -> np.ndarray:
        """Return which columns vary by more than rounding; warn if there are fewer than bits."""
        spread = np.ptp(V, axis=0)
        vary = spread > self.n_features_in_ * np.finfo(V.dtype).eps * spread.max()
        if (rank := int(vary.sum())) < self.n_bits:
            warnings.warn(
                f"n_bits={self.n_bits} exceeds the rank {rank} of the centred items: the bits are "
                f"made from {rank} directions.",
                UserWarning,
                stacklevel=3,
            )
        return vary
