"""Locality-sensitive hashing: random projections and their signs, nothing learned."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from hashlearn.base import Card, register
from hashlearn.methods._parts.centred import mean_of
from hashlearn.methods.linear import LinearHasher


@register("lsh")
class LSHHasher(LinearHasher):
    r"""Locality-sensitive hashing: signs of random projections [1]_.

    Bit k of x is the sign of :math:`w_k^T x` with Gaussian :math:`w_k`: two items differ in a bit
    with probability :math:`\theta / \pi`, :math:`\theta` their angle. Nothing is learned: it is the
    baseline of methods that learn.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    center : bool, default=False
        Whether to subtract the mean of the training items. Without centring, as published, angles
        are seen from the origin: items on one side of it share many bits.
    random_state : int, RandomState instance or None, default=None
        Seeds the projections.
    n_jobs : int, default=None
        Threads for encoding. Bits do not depend on it.
    verbose : int, default=0
        Accepted for consistency; nothing is printed.

    Attributes
    ----------
    projections_ : ndarray of shape (n_features, n_bits)
        The projections :math:`W`.
    mean_ : ndarray of shape (n_features,)
        The mean subtracted from each item; zeros without centring.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.methods import LSHHasher
    >>> X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
    >>> LSHHasher(n_bits=8, random_state=0).fit_transform(X)
    array([[1, 1, 1, 1, 1, 0, 1, 0],
           [1, 1, 1, 1, 1, 0, 1, 0],
           [0, 1, 1, 1, 1, 1, 1, 1]], dtype=uint8)
    """

    card = Card(
        title="LSH",
        hash_function="linear, random",
        cost="d m: nothing is learned",
        use="a baseline, or when there is nothing to learn from",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        center: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.center = center

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the projections; the items are used for their mean only.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : ignored

        Returns
        -------
        self : LSHHasher
        """
        X, random_state = self._begin(X)
        self.projections_ = random_state.normal(size=(X.shape[1], self.n_bits))
        self.mean_ = mean_of(X) if self.center else np.zeros(X.shape[1])
        self._keep_codes(X)
        return self
