"""Supervised hashing with kernels: bits learned one by one on the residual affinity."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from scipy.linalg import eigh
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.checks import check_number, check_option, check_positive
from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn._progress import track
from hashlearn.affinity import check_dissimilar
from hashlearn.base import Card, register
from hashlearn.methods._parts.anchors import KernelHasher
from hashlearn.methods._parts.centred import leading_eigenvector
from hashlearn.methods._parts.ksh_bits import Residual, bit_signs, climb
from hashlearn.methods._parts.query_margins import EvenMargins


@register("ksh")
class KSHHasher(EvenMargins, KernelHasher):
    r"""Supervised hashing with kernels: inner products of codes fit the affinity, bit by bit [1]_.

    With S the affinity (+1, -1, 0 where undefined) and m bits, codes :math:`z_k` should bring
    :math:`\sum_k z_k z_k^T` close to :math:`m S`. Bit k of x is the sign of
    :math:`a_k^T \bar k(x)`, :math:`\bar k` the kernel values against the anchors minus their
    training mean, and is learned greedily on the residual of the earlier bits:

    .. math:: \max_a z^T R_{k-1} z, \quad z = \mathrm{sign}(K a), \qquad
              R_0 = m S, \quad R_k = R_{k-1} - z_k z_k^T.

    The leading generalised eigenvector of :math:`K^T R K` against :math:`K^T K` starts an
    accelerated gradient ascent with a sigmoid in place of the sign; the better of both bits is
    kept. The ascent works in coordinates in which :math:`K^T K = n I`; in the anchors' own
    coordinates it does not converge within 500 steps. R is never formed: time and memory are
    linear in n with labels or pairs.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    n_anchors : int, default=300
        Number of training items in the kernel expansion; at most all of them.
    anchors : {"random", "kmeans"}, default="random"
        Training items drawn at random, or centres of k-means.
    sigma : float or "auto", default="auto"
        The bandwidth. "auto": :math:`2 \sigma^2` is the mean squared distance to anchors.
    max_iter : int, default=500
        Maximum number of gradient steps per bit.
    tol : float, default=1e-3
        Stop when ten steps gain less than this fraction of a bit's objective.
    similarity : {"shared", "jaccard", "idf-cosine"}, default="idf-cosine"
        How similar label sets are, where `y` is an indicator of several labels; as in
        `hashlearn.affinity.MultilabelAffinity`. The published method has "shared".
    random_state : int, RandomState instance or None, default=None
        Seeds the choice of anchors.
    n_jobs : int, default=None
        Threads for encoding, and for neighbours without labels. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show progress.

    Attributes
    ----------
    anchors_ : ndarray or CSR matrix of shape (n_anchors, n_features)
        The anchors.
    center_ : ndarray of shape (n_features,)
        Subtracted from dense rows before distances are computed, for accuracy.
    sigma_ : float
        The bandwidth in use.
    coef_ : ndarray of shape (n_anchors, n_bits)
        The weights :math:`a_k`, as columns.
    intercept_ : ndarray of shape (n_bits,)
        Minus the weights' products with the mean features.
    spectral_bit_score_, bit_score_ : ndarray of shape (n_bits,)
        :math:`z^T R z` of each bit's spectral start and of the bit that was kept.
    n_iter_ : int
        Number of gradient steps of the slowest bit.
    margin_sizes_ : ndarray of shape (n_bits,)
        Mean sizes of margins of training items; `encode_queries` divides by them and saturates.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Liu, Wang, Ji, Jiang, Chang, "Supervised Hashing with Kernels", CVPR 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.methods import KSHHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = KSHHasher(n_bits=16, n_anchors=100, random_state=0).fit(X[:500], y[:500])
    >>> hasher.encode(X[500:]).shape
    (1297, 2)
    """

    supervised = True
    saturation = 2.0
    card = Card(
        title="KSH",
        hash_function="kernel expansion over anchors",
        cost="n anchors m steps: linear in n with labels or pairs",
        use="labels or pairs, curved classes, a few hundred anchors",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        n_anchors: int = 300,
        anchors: str = "random",
        sigma: float | str = "auto",
        max_iter: int = 500,
        tol: float = 1e-3,
        similarity: str = "idf-cosine",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.similarity = similarity
        self.n_anchors = n_anchors
        self.anchors = anchors
        self.sigma = sigma
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any = None, *, affinity: Any = None) -> Self:
        """Learn one bit after the other.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            One label per item, or a 0/1 indicator of several (see `similarity`).
        affinity : Affinity, sparse matrix or array of shape (n_samples, n_samples), default=None
            +1 similar, -1 dissimilar, 0 or missing undefined; takes precedence over `y`. Items
            without any pair are not learned from. With neither, neighbours in X are similar.

        Returns
        -------
        self : KSHHasher
        """
        X, random_state = self._begin(X)
        self._check_parameters()
        A = self._affinity(X, y, affinity)
        check_dissimilar(A)
        known = A.has_pairs()  # anchors without pairs would describe these items badly
        items, A = (X, A) if known.all() else (X[known], A[known])
        self._fit_kernel(items, self.n_anchors, self.anchors, self.sigma, random_state)
        K, mean = self._centred_features(items)
        self._learn_bits(K, Residual(A, self.n_bits))
        self.intercept_ = -mean @ self.coef_
        self._keep_codes(X)
        return self

    def _check_parameters(self) -> None:
        check_scalar(self.n_anchors, "n_anchors", Integral, min_val=1)
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)
        check_positive("sigma", self.sigma)
        check_option("anchors", self.anchors, Literal["random", "kmeans"])
        check_number("tol", self.tol, zero=True)

    def _centred_features(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the centred kernel features and their mean, in float64."""
        K = np.empty((X.shape[0], self.anchors_.shape[0]))
        for rows, block in RowBlocks(X, self._kernel(), K.shape[1]):
            K[rows] = block
        mean = K.mean(axis=0)
        K -= mean
        return K, mean

    @one_blas_thread()  # for many small products, more threads cost more than they save
    def _learn_bits(self, K: np.ndarray, residual: Residual) -> None:
        """Set the weights of all bits, their scores and the number of steps."""
        B = _whitening(K)
        H = K @ B
        HSH = residual.affinity_gram(H)
        self.coef_ = np.empty((K.shape[1], self.n_bits))
        self.spectral_bit_score_, self.bit_score_ = np.empty(self.n_bits), np.empty(self.n_bits)
        climbs = []
        for k in track(range(self.n_bits), "Bits", self.n_bits, self.verbose):
            HZ = H.T @ residual.Z[:, :k]
            start = leading_eigenvector(self.n_bits * HSH - HZ @ HZ.T)
            self.spectral_bit_score_[k] = residual.score(bit_signs(H @ start))
            climbs.append(climb(H, residual, start, self.max_iter, self.tol))
            a = climbs[-1].a
            self.bit_score_[k] = residual.score(bit_signs(H @ a))
            if not self.bit_score_[k] > self.spectral_bit_score_[k]:  # never below the start
                a, self.bit_score_[k] = start, self.spectral_bit_score_[k]
            self.coef_[:, k] = B @ a
            residual.subtract(bit_signs(H @ a))
        self.n_iter_ = max(found.n_iter for found in climbs)
        self._warn_of_unfinished_bits(sum(not found.converged for found in climbs))

    def _warn_of_unfinished_bits(self, unfinished: int) -> None:
        if unfinished:
            warnings.warn(
                f"{unfinished} of {self.n_bits} bits were still gaining after "
                f"max_iter={self.max_iter} gradient steps: raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )


def _whitening(K: np.ndarray) -> np.ndarray:
    """Return B with B^T (K^T K) B = n I, over the directions in which features vary."""
    values, vectors = eigh(K.T @ K)
    kept = values > len(values) * np.finfo(np.float64).eps * max(values[-1], 0.0)
    if not kept.any():
        raise ValueError("X has the same kernel features in all rows: there is nothing to learn.")
    return vectors[:, kept] * np.sqrt(K.shape[0] / values[kept])
