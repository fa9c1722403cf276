"""Boosted trees: AdaBoost of shallow decision trees on quantised features."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_array, check_scalar
from sklearn.utils.validation import validate_data

from hashlearn._numerics.checks import check_number
from hashlearn._numerics.words import read_only
from hashlearn._progress import track
from hashlearn.hash_functions._stumps import MAX_LEVELS
from hashlearn.hash_functions._trees import (
    Grower,
    Levels,
    Trees,
    boost,
    quantise,
    tree_margins,
)
from hashlearn.hash_functions.base import HashFunction, register

MAX_DEPTH = 8  # histograms of more nodes do not fit in the cache, and deeper trees need no boosting


@register("boosted-trees")
class BoostedTreesHash(HashFunction):
    r"""Discrete AdaBoost of shallow decision trees, one machine per bit.

    A machine's margin is :math:`\sum_r \alpha_r h_r(x)`, :math:`h_r` a tree whose leaves vote
    -1 or +1 [1]_. A tree's nodes are split by the feature and threshold that lower the weighted
    Gini index most. With its weighted error :math:`\epsilon_r` a tree gets
    :math:`\alpha_r = \tfrac12 \log((1 - \epsilon_r) / \epsilon_r)`, and the weights of its hits
    and of its misses are scaled to one half each. Trees are grown on the heaviest items only,
    which hold the share `trimming` of all weight [2]_. A machine stops early when a tree is
    perfect or none is better than chance.

    Parameters
    ----------
    n_rounds : int, default=200
        The most trees per machine.
    max_depth : int, default=4
        Splits from a tree's root to its leaves, from 1 to 8.
    n_bins : int, default=256
        The most levels of a feature, from 2 to 256. A feature with at most this many distinct
        values is exact, others are quantised.
    trimming : float, default=0.99
        The share of the weight that a tree is grown on, above 0; 1 means all items.
    n_jobs : int, default=None
        Threads; the result does not depend on it. None is 1, -1 all cores.

    Attributes
    ----------
    features_ : ndarray of shape (n_machines, n_rounds, 2**max_depth - 1)
        The feature of each node; node i has the children 2 i + 1 and 2 i + 2.
    thresholds_ : ndarray of shape (n_machines, n_rounds, 2**max_depth - 1)
        Items above it go to the second child; infinity where a node is not split.
    votes_ : ndarray of shape (n_machines, n_rounds, 2**max_depth)
        What each leaf votes, -1 or +1.
    alphas_ : ndarray of shape (n_machines, n_rounds)
        The weight :math:`\alpha_r` of each tree; 0 after the last tree of a machine that
        stopped early.
    n_features_in_ : int
        Features per item.

    References
    ----------
    .. [1] Lin, Shen, Shi, van den Hengel and Suter, "Fast Supervised Hashing with Decision
       Trees for High-Dimensional Data", CVPR 2014.
    .. [2] Friedman, Hastie and Tibshirani, "Additive Logistic Regression: a Statistical View of
       Boosting", Annals of Statistics 28, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.hash_functions import BoostedTreesHash
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    >>> codes = np.array([[0], [1], [1], [0], [0]])
    >>> trees = BoostedTreesHash(n_rounds=5, max_depth=2).fit(X, codes)
    >>> (trees.decision_function(X) > 0).astype(int).ravel().tolist()  # no stump separates these
    [0, 1, 1, 0, 0]
    >>> int((trees.alphas_ > 0).sum())  # one tree does
    1
    """

    accepts_sparse = False
    takes_weights = True
    merges_copies = True

    def __init__(
        self,
        n_rounds: int = 200,
        max_depth: int = 4,
        n_bins: int = MAX_LEVELS,
        trimming: float = 0.99,
        n_jobs: int | None = None,
    ) -> None:
        self.n_rounds = n_rounds
        self.max_depth = max_depth
        self.n_bins = n_bins
        self.trimming = trimming
        self.n_jobs = n_jobs

    def check(self, n_samples: int) -> None:
        """Raise if a parameter is invalid."""
        check_scalar(self.n_rounds, "n_rounds", Integral, min_val=1)
        check_scalar(self.max_depth, "max_depth", Integral, min_val=1, max_val=MAX_DEPTH)
        check_scalar(self.n_bins, "n_bins", Integral, min_val=2, max_val=MAX_LEVELS)
        check_number("trimming", self.trimming, most=1)

    def prepare(self, X: Any) -> Levels:
        """Return the quantised items."""
        return quantise(self._checked(X), self.n_bins)

    def _fit_machines(self, X: Levels, Z: np.ndarray, verbose: int) -> None:
        self._fit_weighted_machines(X, Z, np.ones(Z.shape), verbose)

    def _fit_weighted_machines(self, X: Levels, Z: np.ndarray, W: np.ndarray, verbose: int) -> None:
        self.n_features_in_, n_samples = X.level.shape
        if n_samples != Z.shape[0]:
            raise ValueError(f"codes must have {n_samples} rows, as X; got {Z.shape[0]}.")
        grower = Grower(X, self.max_depth, effective_n_jobs(self.n_jobs))
        machines = track(zip(Z.T, W.T, strict=True), "Step 2: machines", Z.shape[1], verbose)
        boosted = [boost(grower, z, w, self.n_rounds, self.trimming) for z, w in machines]
        trees = Trees(*map(np.stack, zip(*boosted, strict=True)))
        self.features_, self.thresholds_, self.votes_, self.alphas_ = trees

    def _machine_margins(self, X: Any) -> np.ndarray:
        X = self._checked(X)
        validate_data(self, X, reset=False, skip_check_array=True)  # the number of features
        votes = self.alphas_[..., None] * self.votes_
        margins = np.empty((X.shape[0], votes.shape[0]))
        features, thresholds = read_only(self.features_), read_only(self.thresholds_)
        tree_margins(read_only(X), features, thresholds, votes, margins)
        return margins

    def _checked(self, X: Any) -> np.ndarray:
        return check_array(X, dtype=(np.float32, np.float64), order="C", estimator=self)
