"""RBF-kernel SVMs: one Gram matrix to train, one kernel block to encode."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from hashlearn._numerics.arrays import as_rows, check_magnitude
from hashlearn._numerics.checks import check_solver
from hashlearn._numerics.cross_validation import draw_sample
from hashlearn._numerics.rbf import gaussian, pairwise_squared_distances
from hashlearn._numerics.shards import is_remote
from hashlearn._progress import track
from hashlearn.files import remember
from hashlearn.hash_functions._machines.gram_machine import GramMachine
from hashlearn.hash_functions.base import register


@register("rbf-svm")
class RBFSVMHash(GramMachine):
    r"""Support vector machines with the Gaussian kernel.

    The margin of a bit is :math:`\sum_i \alpha_i z_i\, k(x, x_i) + b`, with :math:`\alpha` from

    .. math:: \min_{w, b} \tfrac12 \|w\|^2 + C \sum_i \max(0, 1 - z_i (w \cdot \phi(x_i) + b)),
              \qquad k(x, x') = \exp(-\|x - x'\|^2 / (2 \sigma^2)),

    the SVM that the paper's best results use [1]_. All machines share one Gram matrix in
    training, and in encoding one kernel block against the union of their support vectors.
    `partial_fit` trains on these and on further items [2]_.

    Parameters
    ----------
    C : float or "auto", default="auto"
        The weight of the loss; "auto" chooses it by cross-validated bit error.
    sigma : float or "auto", default="auto"
        The bandwidth; "auto" chooses it in the same way, in units of the mean distance to the
        100 nearest neighbours.
    random_state : int, RandomState instance or None, default=None
        Draws the sample that "auto" uses.
    n_jobs : int, default=None
        Threads, one machine per task; inside ``joblib.parallel_config("dask")``, its workers.
    tol : float, default=1e-3
        The tolerance of libsvm's stopping rule.
    max_iter : int, default=-1
        The most steps of libsvm, -1 for no limit.

    Attributes
    ----------
    C_, sigma_ : float
        The values used.
    coef_ : ndarray of shape (n_support, n_machines)
        Per support vector and machine :math:`\alpha_i z_i`, 0 where it supports another one.
    intercept_ : ndarray of shape (n_machines,)
        The offsets b.
    center_, points_, points_indices_, points_indptr_ : ndarray
        The support vectors and the mean of the training items. Sparse support vectors are stored
        as the three arrays of CSR.

    References
    ----------
    .. [1] Lin, Shen, Suter, van den Hengel, "A General Two-Step Approach to Learning-Based
       Hashing", ICCV 2013.
    .. [2] Syed, Liu, Sung, "Incremental Learning with Support Vector Machines", IJCAI 1999
       workshop.

    Examples
    --------
    Four corners, with a second bit that no straight line separates:

    >>> import numpy as np
    >>> from hashlearn.hash_functions import RBFSVMHash
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> codes = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> machine = RBFSVMHash(C=10.0, sigma=0.5).fit(X, codes)
    >>> (machine.decision_function(X) > 0).astype(int).tolist()
    [[0, 0], [0, 1], [1, 1], [1, 0]]
    """

    registered = "rbf-svm"

    def __init__(
        self,
        C: float | str = "auto",
        sigma: float | str = "auto",
        *,
        random_state: Any = None,
        n_jobs: int | None = None,
        tol: float = 1e-3,
        max_iter: int = -1,
    ) -> None:
        self.C = C
        self.sigma = sigma
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tol = tol
        self.max_iter = max_iter

    def check(self, n_samples: int) -> None:
        """Raise if a parameter is invalid, or the Gram matrix too large."""
        super().check(n_samples)
        check_solver(self.tol, self.max_iter, unlimited=True)

    def _earlier(self, codes: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
        """Return the support vectors."""
        points, z = self._points(), self.coef_[:, self.machine_] * self.sign_
        supports = (z != 0) & (self.machine_ >= 0)
        bits = np.where(supports, z > 0, self.bits(points))
        old = np.maximum(np.abs(self.coef_).max(axis=1) / self.C_, 1)  # alpha <= weight times C
        return points, bits, old

    def _fit_machines(self, X: Any, Z: np.ndarray, verbose: int) -> None:
        self._train(X, Z, None, verbose)

    def _fit_weighted_machines(self, X: Any, Z: np.ndarray, W: np.ndarray, verbose: int) -> None:
        counted = W.any(axis=1)  # items of weight 0 would only fill the Gram matrix
        self._train(as_rows(X)[counted], Z[counted], W[counted], verbose)

    def _train(self, X: Any, Z: np.ndarray, W: np.ndarray | None, verbose: int) -> None:
        X = as_rows(X)
        check_magnitude(X)
        # float64: libsvm computes in float64, and float32 distances would change its solution.
        squared = pairwise_squared_distances(X, X, dtype=np.float64)
        random = check_random_state(self.random_state)
        self.C_, self.sigma_ = remember(
            "parameters",
            lambda: np.array(self._choose_parameters(X, Z, W, squared, random)),
            random,
        ).tolist()
        gram = gaussian(squared, self.sigma_, overwrite=True)
        weights = [None] * Z.shape[1] if W is None else list(np.ascontiguousarray(W.T))
        sharing = {} if is_remote() else {"require": "sharedmem"}
        running = Parallel(n_jobs=self.n_jobs, return_as="generator", **sharing)(
            delayed(self._fit_machine)(gram, z, self.C_, w)
            for z, w in zip(Z.T, weights, strict=True)
        )
        machines = list(track(running, "Step 2: machines", Z.shape[1], verbose))
        support = np.unique(np.concatenate([machine.support_ for machine in machines]))
        coef = np.zeros((support.size, len(machines)))
        for k, machine in enumerate(machines):
            coef[np.searchsorted(support, machine.support_), k] = machine.dual_coef_[0]
        intercept = np.array([machine.intercept_[0] for machine in machines])
        self._keep_expansion(X, X[support], coef, intercept)

    def _choose_parameters(
        self,
        X: Any,
        Z: np.ndarray,
        W: np.ndarray | None,
        squared: np.ndarray,
        random: np.random.RandomState,
    ) -> tuple[float, float]:
        sample = draw_sample(Z, random, W)
        return self._select(
            X,
            W,
            sample,
            random,
            features=lambda sigma: gaussian(squared[np.ix_(sample.items, sample.items)], sigma),
            margins=self._fold_margins,
        )

    def _fold_margins(
        self,
        gram: np.ndarray,
        train: np.ndarray,
        test: np.ndarray,
        Z: np.ndarray,
        C: float,
        weight: np.ndarray | None,
    ) -> np.ndarray:
        inner, outer = gram[np.ix_(train, train)], gram[np.ix_(test, train)]
        machines = [self._fit_machine(inner, z, C, weight) for z in Z.T]
        return np.stack(
            [outer[:, m.support_] @ m.dual_coef_[0] + m.intercept_[0] for m in machines], axis=1
        )

    def _fit_machine(
        self, gram: np.ndarray, z: np.ndarray, C: float, weight: np.ndarray | None = None
    ) -> SVC:
        machine = SVC(kernel="precomputed", C=C, tol=self.tol, max_iter=self.max_iter)
        return machine.fit(gram, z, weight)
