"""Supervised binary reconstructive embedding: similar items at distance 0, others at 1."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from hashlearn.affinity import Affinity, SparseAffinity, as_affinity
from hashlearn.affinity.base import check_dissimilar
from hashlearn.base import Card, register
from hashlearn.methods.bre import BREHasher
from hashlearn.methods.linear import mean_of
from hashlearn.methods.reconstruction import TargetPairs, draw_distinct_pairs, pair_count
from hashlearn.methods.unit_rows import UnitRows


@register("bres")
class BRESHasher(BREHasher):
    r"""BRE with distance 0 for similar and 1 for dissimilar pairs [1]_.

    Minimises, one coefficient of a bit at a time and each time exactly,

    .. math:: \sum_{(i, j)} \Big( \tfrac12 (1 - y_{ij})
              - \tfrac1m d_{\mathrm{Hamming}}(i, j) \Big)^2

    over sampled pairs whose affinity y is defined. Bits are those of `BREHasher`.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    n_anchors : int, default=20
        Anchors of each bit, drawn from the items that are trained on.
    n_training : int, default=1000
        How many items, drawn from X, are trained on, at most 20,000 (the number of pairs grows
        with the square); all if X has fewer. Of an affinity that
        stores pairs, those that have pairs.
    pair_share : float, default=0.05
        The share of their pairs that is drawn; at least 50 partners per item are. Undefined
        pairs among the drawn ones do not count.
    max_iter : int, default=50
        The most rounds over all coefficients.
    tol : float, default=1e-3
        A round that lowers the error by less than this share of it is the last.
    random_state : int, RandomState instance or None, default=None
        Draws items, pairs, anchors and first coefficients.
    n_jobs : int, default=None
        Threads that encode, and that search neighbours where no affinity is given. The bits do
        not depend on it.
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
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = BRESHasher(n_bits=16, n_training=200, random_state=0).fit(X, y)
    >>> bool(hasher.score(X, y) > 0.5)
    True
    """

    supervised = True
    card = Card(
        hash_function="linear, over few anchors per bit",
        cost="m n_anchors (pairs + n_training log n_training) per round",
        use="linear bits from pairs, in seconds; TSH with the loss 'bre' goes further",
    )

    def fit(self, X: Any, y: Any = None, *, affinity: Any = None) -> Self:
        """Fit the coefficients to what pairs say.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            One label per item, or a 0/1 indicator of several.
        affinity : Affinity, sparse matrix or array-like, default=None
            Which pairs are similar; takes precedence over `y`. With neither, neighbours in X.

        Returns
        -------
        self : BRESHasher
        """
        X, random_state = self._begin(X)
        n_training = self._check_parameters(X.shape[0])
        A = as_affinity(affinity, y, X, n_jobs=self.n_jobs)
        check_dissimilar(A)
        items = _choose_items(A, n_training, random_state)
        n_pairs = pair_count(items.size, self.pair_share)
        pairs = _target_pairs(A[items], n_pairs, random_state)
        self.mean_ = mean_of(X)
        self._reconstruct(UnitRows(X[items], self.mean_), pairs, random_state)
        self._keep_codes(X)
        return self


def _choose_items(
    affinity: Affinity, n_training: int, random_state: np.random.RandomState
) -> np.ndarray:
    """Return items to train on: any, or where only some pairs are stored, the ends of those."""
    if not isinstance(affinity, SparseAffinity):
        return random_state.choice(affinity.n_items, n_training, replace=False)
    i, j = affinity.matrix.nonzero()
    ends = np.stack((i, j), axis=1)[random_state.permutation(i.size)].ravel()
    first = np.sort(np.unique(ends, return_index=True)[1])
    return ends[first[:n_training]]


def _target_pairs(
    affinity: Affinity, n_pairs: int, random_state: np.random.RandomState
) -> TargetPairs:
    """Draw defined pairs with the distance (1 - y) / 2."""
    if isinstance(affinity, SparseAffinity):
        i, j = affinity.matrix.nonzero()
        once = random_state.permutation(np.flatnonzero(i < j))[:n_pairs]
        i, j = i[once], j[once]
    else:
        i, j = draw_distinct_pairs(affinity.n_items, n_pairs, random_state)
    y = affinity.at(i, j)
    return TargetPairs(i[y != 0], j[y != 0], (1.0 - y[y != 0]) / 2)
