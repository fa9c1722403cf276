"""Binary reconstructive embedding: Hamming distances that reconstruct distances of the items."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from hashlearn._numerics.arrays import check_magnitude
from hashlearn.base import Card, register
from hashlearn.methods._parts.principal import mean_of
from hashlearn.methods._parts.reconstruction import (
    ReconstructionHasher,
    TargetPairs,
    draw_distinct_pairs,
    pair_count,
)
from hashlearn.methods._parts.unit_rows import UnitRows

_ROWS = 1000  # of the matrix of cosines that are held at a time


@register("bre")
class BREHasher(ReconstructionHasher):
    r"""Codes whose Hamming distances reconstruct the distances of the items [1]_.

    Minimises, one coefficient w at a time and each time exactly,

    .. math:: \sum_{(i, j)} \Big( \tfrac12 \|\tilde x_i - \tilde x_j\|^2
              - \tfrac1m d_{\mathrm{Hamming}}(i, j) \Big)^2, \qquad
              h_k(x) = \operatorname{sign} \sum_q w_{kq}\, \tilde a_{kq}^T \tilde x,

    over sampled pairs of training items, centred and scaled to length 1. Along one coefficient
    the error is piecewise constant with one border per item, so that a sweep over the borders
    finds its minimum. (Centred items are at a distance of 1 on average, random codes at 1/2:
    part of the error stays.)

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    n_anchors : int, default=20
        Anchors of each bit, drawn from the items that are trained on.
    n_training : int, default=2000
        How many items, drawn from X, are trained on, at most 20,000 (the number of pairs grows
        with the square); all if X has fewer. The paper's 1,000 were all its training items.
    pair_share : float, default=0.05
        The share of their pairs that is drawn; at least 50 partners per item are.
    max_iter : int, default=50
        The most rounds over all coefficients.
    tol : float, default=1e-3
        A round that lowers the error by less than this share of it is the last.
    random_state : int, RandomState instance or None, default=None
        Draws items, pairs, anchors and first coefficients.
    n_jobs : int, default=None
        Threads that encode. The bits do not depend on it.
    verbose : int, default=0
        Above 0, the rounds are shown.

    Attributes
    ----------
    projections_ : ndarray of shape (n_features, n_bits)
        The sums of each bit's anchors.
    mean_ : ndarray of shape (n_features,)
        The mean of the training items.
    objective_ : ndarray of shape (1 + n_iter_ * n_bits,)
        The error at the start and after every bit: it never rises.
    n_iter_ : int
        How many rounds were made.
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
        self.n_bits = n_bits
        self.n_anchors = n_anchors
        self.n_training = n_training
        self.pair_share = pair_share
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

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
        check_magnitude(X)
        self.mean_ = mean_of(X)
        items = random_state.choice(X.shape[0], n_training, replace=False)
        rows = UnitRows(X[items], self.mean_)
        n_pairs = pair_count(n_training, self.pair_share)
        i, j = draw_distinct_pairs(n_training, n_pairs, random_state)
        # half the squared distance of vectors of length 1 is one minus their cosine
        pairs = TargetPairs(i, j, 1 - _cosines(rows, i, j))
        self._reconstruct(rows, pairs, random_state)
        self._keep_codes(X)
        return self


def _cosines(rows: UnitRows, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Return the cosines of pairs of rows."""
    cosines = np.empty(i.size)
    for start in range(0, len(rows), _ROWS):
        inside = np.flatnonzero((start <= i) & (i < start + _ROWS))
        G = rows[start : start + _ROWS].gram(rows)
        cosines[inside] = G[i[inside] - start, j[inside]]
    return cosines
