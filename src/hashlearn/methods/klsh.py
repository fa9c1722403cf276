"""Kernelized locality-sensitive hashing: random planes in the space of a kernel."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import check_scalar

from hashlearn._numerics.checks import check_positive
from hashlearn._progress import say
from hashlearn.base import Card, register
from hashlearn.methods._parts.anchors import KernelHasher
from hashlearn.methods._parts.checks import at_most


@register("klsh")
class KLSHHasher(KernelHasher):
    r"""Kernelized locality-sensitive hashing: random planes in a kernel's feature space [1]_.

    The mean of t random items out of p landmarks, whitened by the covariance of the landmarks, is
    by the central limit theorem nearly a Gaussian direction of the feature space. With
    :math:`K` the centred kernel matrix of the landmarks and S the subset of a bit,

    .. math:: h(x) = \mathrm{sign}(w^T \bar k(x)), \qquad
              w = K^{-1/2} \left(\tfrac1t e_S - \tfrac1p \mathbf 1\right),

    where :math:`\bar k(x)` are the kernel values of x against the landmarks, centred as K is. Two
    items share a bit with probability :math:`1 - \theta / \pi`, :math:`\theta` their angle in
    feature space seen from the mean of the landmarks. The kernel is Gaussian, with one bandwidth
    for landmarks and items.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    n_landmarks : int, default=300
        Number p of landmarks, drawn from the items; reduced to their number, with a warning.
    subset_size : int, default=30
        Number t of landmarks per bit, at most half of them: the complement gives the same plane.
        Reduced with a warning.
    sigma : float or "auto", default="auto"
        The bandwidth. "auto": :math:`2 \sigma^2` is the mean squared distance to landmarks.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws of landmarks and subsets.
    n_jobs : int, default=None
        Threads for encoding. Bits do not depend on it.
    verbose : int, default=0
        Above 0, print what is drawn.

    Attributes
    ----------
    anchors_ : ndarray or CSR matrix of shape (n_landmarks, n_features)
        The landmarks.
    subsets_ : ndarray of shape (n_bits, subset_size)
        The landmarks of each bit.
    sigma_ : float
        The bandwidth.
    coef_ : ndarray of shape (n_landmarks, n_bits)
        The weights :math:`w` of each bit.
    intercept_ : ndarray of shape (n_bits,)
        The offsets from centring the kernel values.
    center_ : ndarray of shape (n_features,)
        Subtracted from dense rows before distances are computed, for accuracy.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Kulis, Grauman, "Kernelized Locality-Sensitive Hashing for Scalable Image Search",
       ICCV 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.methods import KLSHHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = KLSHHasher(n_bits=16, random_state=0).fit(X)
    >>> hasher.encode(X[:1]).shape
    (1, 2)
    """

    card = Card(
        title="KLSH",
        hash_function="kernel expansion, random",
        cost="p^3 + n p d for p landmarks: nothing is learned",
        use="a baseline where a kernel, not the angle, tells what is near",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        n_landmarks: int = 300,
        subset_size: int = 30,
        sigma: float | str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.n_landmarks = n_landmarks
        self.subset_size = subset_size
        self.sigma = sigma

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the landmarks, and a subset of them for every bit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : ignored

        Returns
        -------
        self : KLSHHasher
        """
        X, random_state = self._begin(X)
        check_scalar(self.n_landmarks, "n_landmarks", Integral, min_val=2)
        check_scalar(self.subset_size, "subset_size", Integral, min_val=1)
        check_positive("sigma", self.sigma)
        p = at_most(self.n_landmarks, X.shape[0], "n_landmarks", "items")
        t = at_most(self.subset_size, p // 2, "subset_size", "landmarks in one half")
        say(f"klsh: {p} landmarks, {t} of them for each of {self.n_bits} bits", self.verbose)
        self._fit_kernel(X, p, "random", self.sigma, random_state)
        self.subsets_ = np.stack(
            [random_state.choice(p, t, replace=False) for _ in range(self.n_bits)]
        )
        self._weigh(self._kernel()(self.anchors_))
        self._keep_codes(X)
        return self

    def _weigh(self, K: np.ndarray) -> None:
        """Set the weights and intercepts from the landmarks' kernel matrix."""
        p, precision = len(K), np.finfo(K.dtype).eps
        K = K.astype(np.float64)
        means = K.mean(axis=0)
        values, U = eigh(K - means - means[:, None] + means.mean())
        known = values > p * precision  # kernel values are at most 1, so smaller ones are rounding
        if not known.any():
            raise ValueError(
                f"The kernel with sigma={self.sigma_:g} does not distinguish the {p} landmarks."
            )
        plane = np.full((p, self.n_bits), -1 / p)
        plane[self.subsets_.T, np.arange(self.n_bits)] += 1 / self.subsets_.shape[1]
        U = U[:, known]
        self.coef_ = (U / np.sqrt(values[known])) @ (U.T @ plane)
        # A bit's weights sum to 0, as ones are in the null space of the centred K: of the
        # centring of kernel values, only the landmarks' means remain.
        self.intercept_ = -means @ self.coef_
