"""Binary reconstructive embedding: Hamming distances that reconstruct given distances."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from hashlearn._numerics.checks import check_number
from hashlearn.base import Card, register
from hashlearn.methods._parts.centred import UnitRows
from hashlearn.methods._parts.checks import at_most
from hashlearn.methods._parts.query_margins import EvenMargins
from hashlearn.methods._parts.reconstruction import (
    TargetPairs,
    descend,
    draw_distinct_pairs,
    pair_count,
)
from hashlearn.methods.linear import LinearHasher

MAX_TRAINING = 20_000  # 5 percent of their pairs take about 0.5 GB
_BLOCK_ROWS = 1000  # of the matrix of cosines, held at a time


@register("bre")
class BREHasher(EvenMargins, LinearHasher):
    r"""Codes whose Hamming distances reconstruct the distances of the items [1]_.

    Minimises, exactly over one coefficient w at a time,

    .. math:: \sum_{(i, j)} \Big( \tfrac12 \|\tilde x_i - \tilde x_j\|^2
              - \tfrac1m d_{\mathrm{Hamming}}(i, j) \Big)^2, \qquad
              h_k(x) = \operatorname{sign} \sum_q w_{kq}\, \tilde a_{kq}^T \tilde x,

    over sampled pairs of training items, centred and scaled to length 1, with anchors a drawn for
    each bit. The kernel is linear, so that each bit is one projection. Along one coefficient the
    error is piecewise constant with one border per item, and a pass over the borders finds its
    minimum. (Centred items are at a distance of 1 on average, random codes at 1/2: part of the
    error remains.)

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    n_anchors : int, default=20
        Number of anchors of each bit, drawn from the items used for training.
    n_training : int, default=2000
        Number of items, drawn from X, used for training, at most 20,000 (the number of pairs
        grows with the square); all items if X has fewer. The paper used all its 1,000 items.
    pair_share : float, default=0.05
        The share of their pairs to draw; at least 50 partners per item are drawn.
    max_iter : int, default=50
        Maximum number of rounds over all coefficients.
    tol : float, default=1e-3
        Stop after a round that lowers the error by less than this share of it.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws of items, pairs, anchors and initial coefficients.
    n_jobs : int, default=None
        Threads for encoding. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show the rounds.

    Attributes
    ----------
    projections_ : ndarray of shape (n_features, n_bits)
        The weighted sums of each bit's anchors.
    mean_ : ndarray of shape (n_features,)
        The mean of the training items.
    objective_ : ndarray of shape (1 + n_iter_ * n_bits,)
        The error at the start and after every bit; it never increases.
    n_iter_ : int
        Number of rounds.
    margin_sizes_ : ndarray of shape (n_bits,)
        The mean size of each bit's margins of training items; `encode_queries` divides by it.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Kulis and Darrell, "Learning to Hash with Binary Reconstructive Embeddings", NIPS 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.methods import BREHasher
    >>> X, _ = load_digits(return_X_y=True)
    >>> hasher = BREHasher(n_bits=16, n_training=200, random_state=0).fit(X)
    >>> bool(hasher.objective_[-1] < hasher.objective_[0])
    True
    """

    card = Card(
        title="BRE",
        hash_function="linear, over few anchors per bit",
        cost="m n_anchors (pairs + n_training log n_training) per round",
        use="to keep distances, not only neighbours",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        n_anchors: int = 20,
        n_training: int = 2000,
        pair_share: float = 0.05,
        max_iter: int = 50,
        tol: float = 1e-3,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.n_anchors = n_anchors
        self.n_training = n_training
        self.pair_share = pair_share
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the coefficients to distances between training items.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : ignored

        Returns
        -------
        self : BREHasher
        """
        X, random_state = self._begin(X)
        n_training = self._check_parameters(X.shape[0])
        self._centre(X)
        items = random_state.choice(X.shape[0], n_training, replace=False)
        rows = UnitRows(X[items], self.mean_)
        n_pairs = pair_count(n_training, self.pair_share)
        i, j = draw_distinct_pairs(n_training, n_pairs, random_state)
        # half the squared distance of vectors of length 1 is one minus their cosine
        pairs = TargetPairs(i, j, 1 - _cosines(rows, i, j))
        self._reconstruct(rows, pairs, random_state)
        self._keep_codes(X)
        return self

    def _check_parameters(self, n_items: int) -> int:
        """Raise if a parameter is wrong; return the number of items to train on."""
        check_scalar(self.n_anchors, "n_anchors", Integral, min_val=1)
        check_scalar(self.n_training, "n_training", Integral, min_val=2, max_val=MAX_TRAINING)
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)
        check_number("tol", self.tol, zero=True)
        check_number("pair_share", self.pair_share, most=1)
        return min(self.n_training, n_items)

    def _reconstruct(self, rows: UnitRows, pairs: TargetPairs, random_state: Any) -> None:
        """Learn the projections from pairs of rows."""
        n, n_bits = len(rows), self.n_bits
        n_anchors = at_most(self.n_anchors, n, "n_anchors", "training items")
        anchors = np.stack(
            [random_state.choice(n, n_anchors, replace=False) for _ in range(n_bits)]
        )
        W = random_state.normal(size=anchors.shape)
        K = rows[anchors.ravel()].gram(rows).reshape(n_bits, n_anchors, n)
        self.objective_, converged = descend(W, K, pairs, self.max_iter, self.tol, self.verbose)
        self.n_iter_ = (self.objective_.size - 1) // n_bits
        if not converged:
            warnings.warn(
                f"The last of max_iter={self.max_iter} rounds still lowered the error by more "
                f"than tol={self.tol:g} of it.",
                ConvergenceWarning,
                stacklevel=3,
            )
        coef = np.zeros((n, n_bits), dtype=rows.scale.dtype)
        coef[anchors, np.arange(n_bits)[:, None]] = W
        self.projections_ = rows.sums(coef)


def _cosines(rows: UnitRows, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Return the cosines of pairs of rows."""
    cosines = np.empty(i.size)
    for start in range(0, len(rows), _BLOCK_ROWS):
        inside = np.flatnonzero((start <= i) & (i < start + _BLOCK_ROWS))
        G = rows[start : start + _BLOCK_ROWS].gram(rows)
        cosines[inside] = G[i[inside] - start, j[inside]]
    return cosines
