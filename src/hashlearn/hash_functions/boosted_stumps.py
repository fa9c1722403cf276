"""Boosted stumps: AdaBoost of one-feature thresholds, all bits in one pass over the items."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_array, check_consistent_length, gen_even_slices
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import validate_data

from hashlearn._numerics.words import read_only
from hashlearn.hash_functions._stumps import (
    MAX_LEVELS,
    Stumps,
    boost,
    make_splits,
    stump_margins,
)
from hashlearn.hash_functions.base import HashFunction, register

_MAX_MACHINES = 32  # side by side: more of them crowd the cache (measured on 2,000 items)
_ROWS_PER_JOB = 4096  # fewer are finished before a second thread has started


@register("boosted-stumps")
class BoostedStumpsHash(HashFunction):
    r"""Discrete AdaBoost of decision stumps, one machine per bit.

    A machine's margin is :math:`\sum_r \alpha_r h_r(x)` with stumps
    :math:`h_r(x) = p_r` where :math:`x_{f_r} > t_r` and :math:`-p_r` elsewhere [1]_. Round r
    adds the stump of the least weighted error :math:`\epsilon_r` over all features,
    thresholds and both polarities p, the two constant ones included, gives it
    :math:`\alpha_r = \tfrac12 \log((1 - \epsilon_r) / \epsilon_r)`, and scales the weights of
    its hits and of its misses to one half each. A machine stops early when a stump is perfect
    or none is better than chance.

    Parameters
    ----------
    n_rounds : int, default=200
        The most stumps per machine.
    n_bins : int, default=256
        The most levels of a feature, from 2 to 256. A feature with at most this many distinct
        values is exact, others are quantised.
    n_jobs : int, default=None
        Threads; the result does not depend on it. None is 1, -1 all cores.

    Attributes
    ----------
    features_ : ndarray of shape (n_machines, n_rounds)
        The feature :math:`f_r` of each stump.
    thresholds_ : ndarray of shape (n_machines, n_rounds)
        Its threshold :math:`t_r`, midway between two training values; minus infinity for a
        constant stump.
    polarities_ : ndarray of shape (n_machines, n_rounds)
        Its polarity :math:`p_r`, -1 or +1.
    alphas_ : ndarray of shape (n_machines, n_rounds)
        Its weight :math:`\alpha_r`; 0 after the last stump of a machine that stopped early.
    n_features_in_ : int
        Features per item.

    Notes
    -----
    Integer sample weights and repeated items give the same bits. (Above 20,000 items, features of
    more than `n_bins` distinct values are quantised without the weights.)

    References
    ----------
    .. [1] Freund and Schapire, "A Decision-Theoretic Generalization of On-Line Learning and
       an Application to Boosting", Journal of Computer and System Sciences 55, 1997.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.hash_functions import BoostedStumpsHash
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> codes = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> stumps = BoostedStumpsHash(n_rounds=3).fit(X, codes)
    >>> (stumps.decision_function(X) > 0).astype(int).tolist()
    [[0, 0], [0, 1], [1, 1], [1, 0]]
    >>> float(stumps.thresholds_[0, 0])  # the first bit needs one stump only
    1.5
    """

    accepts_sparse = False
    weighs_items = True
    merges_copies = True

    def __init__(
        self, n_rounds: int = 200, n_bins: int = MAX_LEVELS, n_jobs: int | None = None
    ) -> None:
        self.n_rounds = n_rounds
        self.n_bins = n_bins
        self.n_jobs = n_jobs

    def check(self, n_samples: int) -> None:
        """Raise if a parameter is invalid."""
        _check_range("n_rounds", self.n_rounds, 1)
        _check_range("n_bins", self.n_bins, 2, MAX_LEVELS)

    def _fit_machines(self, X: Any, Z: np.ndarray, verbose: int) -> None:
        self._train(self._validate(X, reset=True), Z, np.ones((Z.shape[0], 1)))

    def _fit_weighted_machines(self, X: Any, Z: np.ndarray, W: np.ndarray, verbose: int) -> None:
        counted = W.any(axis=1)  # thresholds lie between items of positive weight
        self._train(self._validate(X, reset=True)[counted], Z[counted], W[counted])

    def _train(self, X: np.ndarray, Z: np.ndarray, W: np.ndarray) -> None:
        check_consistent_length(X, Z)
        W = np.broadcast_to(W, Z.shape)
        splits = make_splits(X, self.n_bins)
        n_jobs = effective_n_jobs(self.n_jobs)
        n_groups = min(Z.shape[1], max(n_jobs, -(-Z.shape[1] // _MAX_MACHINES)))
        groups = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(boost)(splits, Z[:, machines], self.n_rounds, W[:, machines])
            for machines in gen_even_slices(Z.shape[1], n_groups)
        )
        stumps = Stumps(*map(np.concatenate, zip(*groups, strict=True)))
        self.features_, self.thresholds_, self.polarities_, self.alphas_ = stumps

    def _machine_margins(self, X: Any) -> np.ndarray:
        X = self._validate(X, reset=False).view(np.ndarray)
        X.flags.writeable = False  # items in memory and in files compile to one kernel
        used, column = np.unique(self.features_, return_inverse=True)
        column = column.reshape(self.features_.shape)
        thresholds, votes = read_only(self.thresholds_), self.alphas_ * self.polarities_
        margins = np.empty((X.shape[0], votes.shape[0]))
        n_jobs = min(effective_n_jobs(self.n_jobs), -(-X.shape[0] // _ROWS_PER_JOB))
        Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(stump_margins)(X[rows], used, column, thresholds, votes, margins[rows])
            for rows in gen_even_slices(X.shape[0], n_jobs)
        )
        return margins

    def _validate(self, X: Any, *, reset: bool) -> np.ndarray:
        X = check_array(X, dtype=(np.float32, np.float64), estimator=self)
        validate_data(self, X, reset=reset, skip_check_array=True)  # the number of features
        return X


def _check_range(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise if a parameter is not an integer in its range."""
    is_integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_integer or value < least or (most is not None and value > most):
        bound = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be an integer {bound}; got {value!r}.")
