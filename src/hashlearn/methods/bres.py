"""Supervised binary reconstructive embedding: distance 0 if similar, 1 if dissimilar."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.random import sample_without_replacement

from hashlearn.affinity import Affinity, check_dissimilar
from hashlearn.base import Card, register
from hashlearn.methods._parts.centred import UnitRows
from hashlearn.methods._parts.reconstruction import TargetPairs, draw_distinct_pairs, pair_count
from hashlearn.methods.bre import MAX_TRAINING, BREHasher


@register("bres")
class BRESHasher(BREHasher):
    r"""BRE with distance 0 for similar and 1 for dissimilar pairs [1]_.

    Minimises, exactly over one coefficient of a bit at a time,

    .. math:: \sum_{(i, j)} \Big( \tfrac12 (1 - y_{ij})
              - \tfrac1m d_{\mathrm{Hamming}}(i, j) \Big)^2

    over sampled pairs whose affinity y is defined. The bits have the form of `BREHasher`'s.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    n_anchors : int, default=20
        Number of anchors of each bit, drawn from the items used for training.
    n_training : int, default=2000
        Number of items, drawn from X, used for training, at most 20,000 (the number of pairs
        grows with the square); all items if X has fewer. The paper used all its 1,000 items. Where
        pairs are undefined, items of defined pairs are drawn, and more than `n_training` if these
        have too few pairs for `pair_share`.
    pair_share : float, default=0.05
        The share of the pairs of `n_training` items to draw, from defined pairs only; at least 50
        partners per item are drawn.
    max_iter : int, default=50
        Maximum number of rounds over all coefficients.
    tol : float, default=1e-3
        Stop after a round that lowers the error by less than this share of it.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws of items, pairs, anchors and initial coefficients.
    n_jobs : int, default=None
        Threads for encoding, and for neighbours without labels. Bits do not depend on it.
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
    >>> from hashlearn.methods import BRESHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = BRESHasher(n_bits=16, n_training=200, random_state=0).fit(X, y)
    >>> bool(hasher.score(X, y) > 0.5)
    True
    """

    supervised = True
    card = Card(
        title="BREs",
        hash_function="linear, over few anchors per bit",
        cost="m n_anchors (pairs + n_training log n_training) per round",
        use="linear bits from pairs, in seconds; TSH with the loss 'bre' goes further",
    )

    def fit(self, X: Any, y: Any = None, *, affinity: Any = None) -> Self:
        """Fit the coefficients to the affinity of pairs.

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
        self._centre(X)
        A = self._affinity(X, y, affinity)
        check_dissimilar(A)
        items, pairs = _draw_pairs(A, n_training, self.pair_share, random_state)
        self._reconstruct(UnitRows(X[items], self.mean_), pairs, random_state)
        self._keep_codes(X)
        return self


def _draw_pairs(
    affinity: Affinity, n_training: int, share: float, random_state: np.random.RandomState
) -> tuple[np.ndarray, TargetPairs]:
    """Return items to train on, and defined pairs of them with the distance (1 - y) / 2."""
    n_pairs, n = pair_count(n_training, share), affinity.n_items
    if not (affinity.complete or 2 * affinity.n_defined == n * (n - 1)):
        graph = affinity.as_sparse()
        items = _items_of_pairs(graph, n_training, n_pairs, random_state)
        i, j, y = _pairs_among(graph, items, n_pairs, random_state)
    else:
        items = random_state.choice(n, n_training, replace=False)
        i, j = draw_distinct_pairs(n_training, n_pairs, random_state)
        y = affinity.at(items[i], items[j])
    _check_kinds(affinity, y)
    return items, TargetPairs(i, j, (1.0 - y) / 2)


def _items_of_pairs(
    graph: sp.csr_array, n_training: int, n_pairs: int, random_state: np.random.RandomState
) -> np.ndarray:
    """Return items of random pairs, more than `n_training` where these have too few pairs."""
    n_drawn = min(graph.nnz, 10 * MAX_TRAINING)  # enough to meet nearly all items
    drawn = sample_without_replacement(graph.nnz, n_drawn, random_state=random_state)
    drawn = random_state.permutation(drawn)
    i = np.searchsorted(graph.indptr, drawn, side="right") - 1
    ends = np.stack((i, graph.indices[drawn]), axis=1).ravel()
    first = np.sort(np.unique(ends, return_index=True)[1])[:MAX_TRAINING]
    n_items = n_training
    while n_items < first.size:
        items = ends[first[:n_items]]
        if graph[items][:, items].nnz >= 2 * n_pairs:  # each pair is stored twice
            break
        n_items *= 2
    return ends[first[:n_items]]


def _pairs_among(
    graph: sp.csr_array, items: np.ndarray, n_pairs: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return at most `n_pairs` of the defined pairs of items, in their numbers, and their y."""
    once = sp.triu(graph[items][:, items], k=1, format="coo")
    n_drawn = min(once.nnz, n_pairs)
    drawn = sample_without_replacement(once.nnz, n_drawn, random_state=random_state)
    return once.row[drawn], once.col[drawn], once.data[drawn]


def _check_kinds(affinity: Affinity, y: np.ndarray) -> None:
    """Raise if similar or dissimilar pairs exist and none of them was drawn."""
    for kind, n_there, found in (
        ("similar", affinity.n_similar, (y > 0).any()),
        ("dissimilar", affinity.n_dissimilar, (y < 0).any()),
    ):
        if n_there and not found:
            raise ValueError(
                f"None of the {y.size} drawn pairs is among the {n_there} {kind} ones: raise "
                "n_training or pair_share to draw more."
            )
