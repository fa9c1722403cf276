"""Ridge regression on kernel values of anchors: kernel ridge regression for large n."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from hashlearn._numerics.arrays import as_rows
from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.checks import as_bytes, check_option
from hashlearn._numerics.cross_validation import draw_sample, wrong_pairs
from hashlearn._numerics.rbf import gaussian, pairwise_squared_distances
from hashlearn._numerics.row_blocks import RowBlocks, counted_items, counted_rows
from hashlearn.files import remember
from hashlearn.hash_functions._machines.kernel_expansion import KernelExpansion
from hashlearn.hash_functions._machines.ridge import fit_ridge
from hashlearn.hash_functions._machines.updated_hash import UpdatedHash, as_definite
from hashlearn.hash_functions.base import register
from hashlearn.hash_functions.kernel_features import Anchors, choose_anchors

_MOST_ANCHORS, _FEWEST_ANCHORS = 8_000, 1_000
_MOST_WORK = 6.4e12  # multiplications n Q^2 of "auto": a minute on two cores
_ANCHOR_BYTES = 16  # memory per pair of anchors: a float64 matrix and its factor
# C and bandwidth are chosen with about as many items per anchor as there are in all: fewer ask for
# smoother machines. Of many items, a third is evidence enough: one fold is tested, by the errors of
# pairs, as smoother machines than those of the fewest wrong bits rank better. (On few items that
# are hard to tell apart, errors of pairs mislead: 10 labels of each of WordNet's classes.)
_SAMPLED_ITEMS, _SAMPLED_ANCHORS = 20_000, 2_000
_FEW_SAMPLED, _ENOUGH_SAMPLED = 2_000, 6_000
_SAMPLE_BYTES = {4: 12, 8: 30}  # memory per item and anchor of the sample, by the size of a float


@register("anchor-ridge")
class AnchorRidgeHash(KernelExpansion, UpdatedHash):
    r"""Ridge regression on kernel values of anchors.

    The margin of a bit is :math:`f(x) = \sum_q w_q\, k(x, a_q) + b`, a sum over Q anchors, with

    .. math:: \min_{w, b} \tfrac12 w^T K w + C \sum_i (z_i - f(x_i))^2, \qquad
              k(x, x') = \exp(-\|x - x'\|^2 / (2 \sigma^2)),

    K the kernel values of the anchors among themselves: kernel ridge regression among the functions
    that the anchors span [1]_ [2]_. With all items as anchors it is 'kernel-ridge'. The items are
    read once, in blocks, and one Cholesky factorisation of a Q x Q matrix serves all bits, so that
    thousands of anchors are affordable where 'kernel-features', whose loss is that of SVMs, uses
    one thousand.

    Parameters
    ----------
    n_anchors : int or "auto", default="auto"
        Number of anchors, Q; at most n. "auto" is 8,000, whose matrices take 1 GB, or fewer: what
        `max_memory` allows if it is given, and above 100,000 items as many as keep the time, which
        grows with n Q^2, near that of 100,000 (2,530 for a million), but at least 1,000.
    anchors : {"random", "kmeans"}, default="random"
        Training items drawn at random, or centres of k-means (dense, also for sparse X).
    C : float or "auto", default="auto"
        The weight of the loss; "auto" chooses it by cross-validation: by errors of pairs' distances
        on up to 20,000 items, or by wrong bits if there are at most 6,000.
    sigma : float or "auto", default="auto"
        The bandwidth; "auto" chooses it in the same way, in units of the mean distance to the
        100 nearest neighbours.
    random_state : int, RandomState instance or None, default=None
        Draws the anchors and the sample that "auto" looks at.
    n_jobs : int, default=None
        Threads of "auto"; the solve itself uses as many as compiled loops do.
    max_memory : int, str or None, default=None
        Memory for blocks of features and for the sample of "auto", in bytes or as "2GB"; None is
        "512MB". If given, it also bounds an "auto" number of anchors; the matrices of Q anchors
        take 16 Q^2 bytes.

    Attributes
    ----------
    C_, sigma_ : float
        The values used.
    coef_ : ndarray of shape (n_anchors, n_machines)
        The weights w.
    intercept_ : ndarray of shape (n_machines,)
        The offsets b.
    center_, points_, points_indices_, points_indptr_ : ndarray
        The anchors and their mean. Sparse anchors are stored as the three arrays of CSR.
    feature_means_ : ndarray of shape (n_anchors,)
        What is subtracted from kernel values in training, their means over the anchors.
    curvature_ : ndarray of shape (n_anchors + 1, n_anchors + 1), float32
        What `partial_fit` remembers of the items, the Hessian of the objective. Model files hold it
        only if asked.

    Notes
    -----
    `partial_fit` is exact, to rounding: further items have the effect that they would have had in
    `fit`, with the same anchors and parameters.

    Integer sample weights and repeated items give the same bits: copies of an item, with the same
    code, are one item of their weight. Above 20,000 items copies are not looked for; the anchors
    and the sample that "auto" uses are then drawn differently.

    References
    ----------
    .. [1] Williams, Seeger, "Using the Nyström Method to Speed Up Kernel Machines", NIPS 2000.
    .. [2] Rudi, Camoriano, Rosasco, "Less is More: Nyström Computational Regularization", NIPS
       2015.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.hash_functions import AnchorRidgeHash
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> codes = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> machine = AnchorRidgeHash(C=10.0, sigma=0.5, random_state=0).fit(X, codes)
    >>> (machine.decision_function(X) > 0).astype(int).tolist()
    [[0, 0], [0, 1], [1, 1], [1, 0]]
    """

    weighs_items = True
    merges_copies = True
    reads_blocks = True

    def __init__(
        self,
        n_anchors: int | str = "auto",
        anchors: str = "random",
        C: float | str = "auto",
        sigma: float | str = "auto",
        *,
        random_state: Any = None,
        n_jobs: int | None = None,
        max_memory: int | str | None = None,
    ) -> None:
        self.n_anchors = n_anchors
        self.anchors = anchors
        self.C = C
        self.sigma = sigma
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def check(self, n_samples: int) -> None:
        """Raise if a parameter is invalid."""
        super().check(n_samples)
        check_option("anchors", self.anchors, Anchors)
        as_bytes(self.max_memory)
        if not (isinstance(self.n_anchors, str) and self.n_anchors == "auto"):
            check_scalar(self.n_anchors, "n_anchors", Integral, min_val=1)

    @one_blas_thread()
    def _train(self, X: Any, Z: np.ndarray, weight: np.ndarray | None, verbose: int) -> None:
        random = check_random_state(self.random_state)
        n_anchors = self.n_anchors
        if n_anchors == "auto":
            n_anchors = _automatic_anchors(counted_rows(X.shape[0], weight).size, self.max_memory)
        anchors = choose_anchors(X, int(n_anchors), self.anchors, random, weight)
        self.C_, self.sigma_ = remember(
            "parameters",
            lambda: np.array(self._choose_parameters(X, Z, anchors, random, weight)),
            random,
        ).tolist()
        H, self.feature_means_ = _penalty(anchors, self.sigma_)
        self._keep_expansion(anchors, anchors, np.zeros((anchors.shape[0], 0)), np.zeros(0))
        self._solve(X, Z, weight, H, None, verbose)

    def _learn_on(self, X: Any, Z: np.ndarray, weight: np.ndarray | None) -> None:
        self._solve(X, Z, weight, as_definite(self.curvature_), self._weights())

    def _solve(
        self,
        X: Any,
        Z: np.ndarray,
        weight: np.ndarray | None,
        H: np.ndarray,
        start: np.ndarray | None,
        verbose: int = 0,
    ) -> None:
        W, curvature = fit_ridge(
            self._feature_rows(X),
            Z,
            self.C_,
            H,
            start,
            means=self.feature_means_,
            max_bytes=as_bytes(self.max_memory),
            sample_weight=weight,
            verbose=verbose,
        )
        self._set_weights(W[:, :-1].T, W[:, -1])
        self.curvature_ = curvature.astype(np.float32)

    def _feature_rows(self, X: Any) -> RowBlocks:
        n_anchors = self.feature_means_.size
        return RowBlocks(X, self._kernel(), n_anchors).within(as_bytes(self.max_memory))

    def _weights(self) -> np.ndarray:
        centred = self.intercept_ + self.feature_means_ @ self.coef_
        return np.column_stack([self.coef_.T, centred])

    def _set_weights(self, coef: np.ndarray, intercept: np.ndarray) -> None:
        self.coef_ = np.ascontiguousarray(coef, dtype=np.float64)
        self.intercept_ = intercept - self.feature_means_ @ self.coef_

    def _choose_parameters(
        self,
        X: Any,
        Z: np.ndarray,
        anchors: Any,
        random: np.random.RandomState,
        weight: np.ndarray | None,
    ) -> tuple[float, float]:
        if "auto" not in (self.C, self.sigma):
            return float(self.C), float(self.sigma)
        few = anchors
        if anchors.shape[0] > _SAMPLED_ANCHORS:
            few = anchors[np.sort(random.choice(anchors.shape[0], _SAMPLED_ANCHORS, replace=False))]
        per_entry = _SAMPLE_BYTES[few.dtype.itemsize]
        most = as_bytes(self.max_memory) // (per_entry * few.shape[0])
        most = max(_FEW_SAMPLED, min(_SAMPLED_ITEMS, most))
        sample = draw_sample(Z, random, weight, most, few=most, max_machines=Z.shape[1])
        if sample.items.size > _ENOUGH_SAMPLED:
            sample.n_tested, sample.error = 1, wrong_pairs
        squared = pairwise_squared_distances(as_rows(X[sample.items], few.dtype), few)
        among = pairwise_squared_distances(few, few, dtype=np.float64)
        return self._select(
            *counted_items(X, weight, random),
            sample,
            random,
            features=lambda sigma: (gaussian(squared, sigma), gaussian(among, sigma)),
            margins=_fold_margins,
        )


def _automatic_anchors(n_items: int, max_memory: int | str | None) -> int:
    """Return how many anchors the time and the memory of "auto" allow."""
    of_time = max(_FEWEST_ANCHORS, int((_MOST_WORK / n_items) ** 0.5))
    most = min(_MOST_ANCHORS, of_time)
    if max_memory is None:
        return most
    return max(1, min(most, int((as_bytes(max_memory) / _ANCHOR_BYTES) ** 0.5)))


def _penalty(anchors: Any, sigma: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrix K, with zeros for the offset in the end, and its means."""
    K = pairwise_squared_distances(anchors, anchors, dtype=np.float64)
    means = gaussian(K, sigma, overwrite=True).mean(axis=0)
    return _bordered(K), means


def _bordered(K: np.ndarray) -> np.ndarray:
    return np.pad(K, (0, 1))


def _fold_margins(
    features: tuple[np.ndarray, np.ndarray],
    train: np.ndarray,
    test: np.ndarray,
    Z: np.ndarray,
    C: float,
    weight: np.ndarray | None,
) -> np.ndarray:
    """Train on the rows `train` of a sample's kernel values; return margins on the rows `test`."""
    values, among = features
    means, rows = among.mean(axis=0), RowBlocks(values[train])
    W, _ = fit_ridge(rows, Z, C, _bordered(among), means=means, sample_weight=weight)
    return (values[test] - means) @ W[:, :-1].T + W[:, -1]
