"""ITQ on canonical correlations: rotated directions that separate the labels."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_solve, cholesky, eigh, solve_triangular
from sklearn.utils import check_scalar

from hashlearn._numerics.arrays import is_sparse
from hashlearn._numerics.checks import check_number
from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn.base import Card, register
from hashlearn.methods._parts.centred import mean_of, scatter
from hashlearn.methods._parts.checks import check_differs, label_indicator
from hashlearn.methods.itq import ITQHasher

_MOST_COLUMNS = 20_000  # of X and labels: the peak, two covariance matrices, is then 6.4 GB
_ROUNDING = 1e-6  # smaller correlations count as 0


@register("itq-cca")
class ITQCCAHasher(ITQHasher):
    r"""ITQ with labels: signs of rotated canonical correlation directions [1]_.

    With centred items X and label indicators Y, canonical correlation analysis finds directions
    :math:`w` and correlations :math:`\lambda`,

    .. math:: C_{xy} (C_{yy} + \rho_y I)^{-1} C_{yx}\, w = \lambda^2 (C_{xx} + \rho_x I)\, w,
              \qquad w^T (C_{xx} + \rho_x I)\, w = 1.

    The directions times their correlations, :math:`\lambda w`, replace ITQ's principal
    directions; the rotation is the same.

    Single labels from c classes have c - 1 correlations; all other directions have
    :math:`\lambda = 0` and vanish. With more bits than that, the rotation has more columns than
    rows: the bits are m planes through the (c - 1)-dimensional space of directions.

    The covariance of all features is formed, and another matrix of its size: 6.4 GB for 20,000
    features and labels together, the maximum.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes; it may exceed the numbers of features and of classes.
    ridge : float, default=1e-4
        The term :math:`\rho` added to every variance, as a fraction of the total variance of X
        or of Y: the published 1e-4 for items scaled to a mean squared norm of 1.
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
        The rotated directions.
    mean_ : ndarray of shape (n_features,)
        The mean of the training items.
    correlations_ : ndarray of shape (n_directions,)
        The canonical correlations :math:`\lambda` in use, the largest first.
    rotation_ : ndarray of shape (n_directions, n_bits)
        The rotation R, with orthonormal rows.
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
    >>> from hashlearn.methods import ITQCCAHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = ITQCCAHasher(n_bits=16, random_state=0).fit(X, y)
    >>> hasher.correlations_.shape  # one less than there are digits
    (9,)
    >>> hasher.score(X, y) > 0.8
    True
    """

    supervised = True
    needs_labels = True
    card = Card(
        title="ITQ-CCA",
        hash_function="linear",
        cost="n d^2 + d^3, then n m^2 a round",
        use="labels and little time: linear, trained in seconds",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        ridge: float = 1e-4,
        n_iter: int = 50,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_bits, n_iter=n_iter, random_state=random_state, n_jobs=n_jobs, verbose=verbose
        )
        self.ridge = ridge

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the canonical directions and their rotation.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            One label per item, or a 0/1 indicator of several.

        Returns
        -------
        self : ITQCCAHasher
        """
        X, random_state = self._begin(X)
        check_scalar(self.n_iter, "n_iter", Integral, min_val=1)
        check_number("ridge", self.ridge)
        Y = label_indicator(y, X.shape[0])
        _check_columns(X.shape[1], Y.shape[1])
        check_differs(X, "X")
        self._centre(X)
        self.projections_, self.correlations_ = self._directions(X, Y)
        self._rotate(self._parallel_margins(X), random_state)
        self._keep_codes(X)
        return self

    def _directions(self, X: Any, Y: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
        """Return the directions times their correlations, and the correlations."""
        n = X.shape[0]
        # The generalised problem is d x d of rank c - 1. With C_yy = L L^T and G = L^-1 C_yx, the
        # c x c matrix G C_xx^-1 G^T has the same correlations, and its eigenvectors U give
        # lambda w = C_xx^-1 G^T U, without a division by lambda.
        G = solve_triangular(
            _factor(scatter(Y, mean_of(Y)), n, self.ridge),
            _cross_covariance(X, self.mean_, Y).T,
            lower=True,
        )
        L = _factor(scatter(X, self.mean_), n, self.ridge)
        scaled = cho_solve((L, True), G.T)
        c = len(G)
        squares, U = eigh(G @ scaled, subset_by_index=(max(c - self.n_bits, 0), c - 1))
        correlations = np.sqrt(np.maximum(squares[::-1], 0))
        used = correlations > _ROUNDING
        if not used.any():
            raise ValueError("X and y are uncorrelated: no direction separates the labels.")
        return (scaled @ U[:, ::-1])[:, used], correlations[used]


def _check_columns(n_features: int, n_labels: int) -> None:
    if n_features + n_labels > _MOST_COLUMNS:
        raise ValueError(
            f"features and labels together must be at most {_MOST_COLUMNS:,} for 'itq-cca', which "
            f"forms their covariance; got {n_features:,} and {n_labels:,}."
        )


def _cross_covariance(X: Any, mean: np.ndarray, Y: sp.csr_array) -> np.ndarray:
    """Return the covariance of X with Y, (n_features, n_labels)."""
    C = np.zeros((X.shape[1], Y.shape[1]))
    for rows, block in RowBlocks(X):
        block, labels = block.astype(np.float64), Y[rows]
        if is_sparse(block):  # centred after the products: the blocks stay sparse
            C += (block.T @ labels).toarray() - np.outer(mean, labels.sum(axis=0))
        else:
            C += (labels.T @ (block - mean)).T
    return C / X.shape[0]


def _factor(C: np.ndarray, n_items: int, ridge: float) -> np.ndarray:
    """Return the lower Cholesky factor of covariance and ridge, overwriting the scatter C."""
    C /= n_items
    np.fill_diagonal(C, np.diag(C) + ridge * np.trace(C))
    # LAPACK works in place in columns; a symmetric matrix has the same rows.
    return cholesky(C.T, lower=True, overwrite_a=True)
