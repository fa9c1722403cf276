"""Locality-sensitive hashing: random projections and their signs, nothing learned."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from hashlearn.base import BaseHasher
from hashlearn.bits import check_n_bits
from hashlearn.hash_functions.blocks import map_rows
from hashlearn.methods.base import register


@register("lsh")
class LSHHasher(BaseHasher):
    r"""Locality-sensitive hashing: signs of random projections [1]_.

    Bit k of x is the sign of :math:`w_k^T x` with Gaussian :math:`w_k`: two items differ in a bit
    with a probability of their angle divided by :math:`\pi`. It learns nothing, and is the
    baseline for what does.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    center : bool, default=False
        Whether to subtract the training items' mean first. Without it, as published, angles are
        seen from the origin: items that lie on one side of it share many bits.
    random_state : int, RandomState instance or None, default=None
        Seeds the projections.

    Attributes
    ----------
    projections_ : ndarray of shape (n_features, n_bits)
        The projections :math:`W`.
    mean_ : ndarray of shape (n_features,)
        What is subtracted from each item; zeros without centring.
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
    >>> X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
    >>> LSHHasher(n_bits=8, random_state=0).fit_transform(X)
    array([[1, 1, 1, 1, 1, 0, 1, 0],
           [1, 1, 1, 1, 1, 0, 1, 0],
           [0, 1, 1, 1, 1, 1, 1, 1]], dtype=uint8)
    """

    def __init__(self, n_bits: int = 32, *, center: bool = False, random_state: Any = None) -> None:
        self.n_bits = n_bits
        self.center = center
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the projections; of the items only their mean is used, for centring.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : ignored

        Returns
        -------
        self : LSHHasher
        """
        check_n_bits(self.n_bits)
        X = self._validate(X, reset=True)
        random_state = check_random_state(self.random_state)
        self.projections_ = random_state.normal(size=(X.shape[1], self.n_bits))
        mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
        self.mean_ = mean if self.center else np.zeros_like(mean)
        self.codes_ = (self._margins(X) > 0).astype(np.uint8)
        return self

    def _margins(self, X: Any) -> np.ndarray:
        W, mean = self.projections_.astype(X.dtype), self.mean_.astype(X.dtype)

        def margins(block: Any) -> np.ndarray:
            if sp.issparse(block):  # centred after the product: the block stays sparse
                return block @ W - mean @ W
            block -= mean
            return block @ W

        return map_rows(margins, X, self.n_bits, dtype=X.dtype)
