"""Anchor graph hashing: smooth functions on a graph whose edges pass through anchors."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh

from hashlearn.base import Card, register
from hashlearn.methods._parts.anchors import AnchorGraphHasher

_ROUNDING = 1e-8  # of eigenvalues, which lie in [0, 1]


@register("agh")
class AGHHasher(AnchorGraphHasher):
    r"""Anchor graph hashing: signs of smooth functions on a graph through anchors [1]_.

    Two items are as similar as the anchors that they share: with the weights Z of items to their s
    nearest anchors and :math:`\Lambda = \mathrm{diag}(Z^T 1)`, the graph is
    :math:`A = Z \Lambda^{-1} Z^T`. Its smoothest eigenvectors come from the small matrix
    :math:`\Lambda^{-1/2} Z^T Z \Lambda^{-1/2} = V \Sigma V^T`, without the constant one, and extend
    to any item:

    .. math:: f(x) = z(x)^T W, \qquad W = \sqrt{n}\, \Lambda^{-1/2} V \Sigma^{-1/2}.

    One layer has one bit per eigenvector, the sign of :math:`f_k`. Two layers use half as many,
    smoother eigenvectors with two bits each: the sign, and whether :math:`|f_k|` exceeds the
    threshold of its side, :math:`c^+` or :math:`c^-`. Both minimise :math:`g^T (I - A) g` over
    balanced :math:`g = |f_k| - c^\pm`.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes. Each bit (with two layers, each pair of bits) needs an eigenvector,
        and n anchors have at most n - 1.
    n_layers : {1, 2}, default=2
        Bits per eigenvector; with an odd `n_bits`, the last eigenvector has one.
    n_anchors : int, default=300
        Number of anchors, centres of k-means; reduced to the number of items, with a warning.
    n_neighbors : int, default=5
        The number s of nearest anchors with a weight; reduced to the number of anchors. In a
        disconnected graph (few neighbours, distant clusters) the first bits separate the
        components, and each later bit splits one component only: more neighbours connect it.
    sigma : float or "auto", default="auto"
        The bandwidth of the weights :math:`\exp(-d^2 / \sigma^2)`. "auto" is the mean distance
        to the s-th nearest anchor.
    random_state : int, RandomState instance or None, default=None
        Seeds k-means.
    n_jobs : int, default=None
        Threads for encoding. Bits do not depend on it.
    verbose : int, default=0
        Accepted for consistency; nothing is printed.

    Attributes
    ----------
    anchors_ : ndarray of shape (n_anchors, n_features)
        The anchors, each once.
    sigma_ : float
        The bandwidth in use.
    n_neighbors_ : int
        The s in use.
    eigenvalues_ : ndarray of shape (n_eigenvectors,)
        The eigenvalues :math:`\Sigma`, the smoothest (largest) first.
    embedding_ : ndarray of shape (n_anchors, n_eigenvectors)
        The matrix W.
    thresholds_ : ndarray of shape (2, n_eigenvectors)
        The second layer's :math:`c^-` and :math:`c^+`; no columns with one layer.
    center_ : ndarray of shape (n_features,)
        Subtracted from rows before distances are computed, for accuracy.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1: first all signs, then the second layer.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Liu, Wang, Kumar and Chang, "Hashing with Graphs", ICML 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.methods import AGHHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = AGHHasher(n_bits=16, n_anchors=100, random_state=0).fit(X[:1000])
    >>> hasher.encode(X[1000:]).shape
    (797, 2)
    """

    card = Card(
        title="AGH",
        hash_function="nearest anchors",
        cost="n d p for p anchors, + p^3",
        use="no labels, and classes that lie on manifolds",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        n_layers: int = 2,
        n_anchors: int = 300,
        n_neighbors: int = 5,
        sigma: float | str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.n_layers = n_layers
        self.n_anchors = n_anchors
        self.n_neighbors = n_neighbors
        self.sigma = sigma

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the anchors, the eigenvectors of their graph and the thresholds.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : ignored

        Returns
        -------
        self : AGHHasher
        """
        X, random_state = self._begin(X)
        self._check_parameters(X.shape[0])
        Z = self._fit_anchors(X, random_state)
        self.eigenvalues_, self.embedding_ = self._eigenvectors(Z)
        second = self.n_bits - self.embedding_.shape[1]  # bits of the second layer
        F = Z @ self.embedding_[:, :second]
        self.thresholds_ = np.array([_side_thresholds(Z, f) for f in F.T]).reshape(-1, 2).T
        self._keep_codes(X)
        return self

    def _check_parameters(self, n_items: int) -> None:
        self._check_anchor_parameters()
        if self.n_layers not in (1, 2):
            raise ValueError(f"n_layers must be 1 or 2; got {self.n_layers!r}.")
        n_anchors = min(self.n_anchors, n_items)
        if self._n_eigenvectors >= n_anchors:
            raise ValueError(
                f"n_bits={self.n_bits} needs {self._n_eigenvectors} eigenvectors, but the graph of "
                f"{n_anchors} anchors ({n_items} items) has at most {n_anchors - 1}."
            )

    @property
    def _n_eigenvectors(self) -> int:
        return -(-self.n_bits // self.n_layers)

    def _eigenvectors(self, Z: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
        """Return the eigenvalues, the largest first, and W, without the constant eigenvector."""
        root = np.sqrt(Z.sum(axis=0))  # every centre of k-means has items...
        root[root == 0] = 1.0  # ...unless k-means saw only a sample
        scaled = Z / root
        constant = root / np.linalg.norm(root)  # the constant eigenvector
        values, V = eigh((scaled.T @ scaled).toarray() - np.outer(constant, constant))
        values, V = values[::-1], V[:, ::-1]
        usable = np.flatnonzero(values > _ROUNDING)
        if usable.size < self._n_eigenvectors:
            raise ValueError(
                f"n_bits={self.n_bits} needs {self._n_eigenvectors} eigenvectors, but the graph of "
                f"{len(root)} distinct anchors has only {usable.size}: use fewer bits, or more "
                "anchors or n_neighbors."
            )
        kept = usable[: self._n_eigenvectors]
        V = V[:, kept]
        V = np.where(np.abs(V) > _ROUNDING, V, 0.0)  # other components are at 0 exactly
        V *= np.sign(V[np.abs(V).argmax(axis=0), np.arange(kept.size)])  # the sign is arbitrary
        return values[kept], np.sqrt(Z.shape[0] / values[kept]) * V / root[:, None]

    def _margins(self, X: Any) -> np.ndarray:
        F = super()._margins(X)
        second = F[:, : self.thresholds_.shape[1]]
        c = np.where(second > 0, self.thresholds_[1], self.thresholds_[0])
        return np.hstack([F, np.abs(second) - c])


def _side_thresholds(Z: sp.csr_array, f: np.ndarray) -> tuple[float, float]:
    r"""Return thresholds of :math:`|f|` where f is negative and where it is positive.

    With :math:`g = |f| - c^-` where f is negative and :math:`|f| - c^+` elsewhere, they minimise
    :math:`g^T (I - A) g` on the anchor graph A of the weights Z, subject to :math:`1^T g = 0`. As
    constants cost nothing, the objective depends on the difference of the two only, as a parabola;
    the constraint then gives their level.
    """
    size, negative = np.abs(f), (f <= 0).astype(np.float64)
    degrees = Z.sum(axis=0)
    inverse = np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > 0)
    rough = negative - Z @ (inverse * (Z.T @ negative))  # (I - A) 1 on the negative side
    curvature = float(negative @ rough)
    difference = float(size @ rough) / curvature if curvature > _ROUNDING else 0.0
    above = float(size.mean() - difference * negative.mean())
    return above + difference, above
