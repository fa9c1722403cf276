"""Linear SVM per bit on kernel features: the paper's SVM-KF, for large n."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state, check_scalar

from hashlearn.hash_functions.base import register
from hashlearn.hash_functions.blocks import as_rows, check_magnitude
from hashlearn.hash_functions.kernel_expansion import KernelExpansion
from hashlearn.hash_functions.rbf import (
    GaussianKernel,
    center_of,
    gaussian,
    pairwise_squared_distances,
)
from hashlearn.hash_functions.rows import feature_rows
from hashlearn.hash_functions.selection import draw_sample, linear_fold_margins
from hashlearn.hash_functions.squared_hinge import fit_squared_hinge

_KMEANS_ITEMS = 20  # items per anchor that k-means looks at; more move its centres little


@register("kernel-features")
class KernelFeaturesHash(KernelExpansion):
    r"""Linear support vector machines on kernel features of anchors.

    An item is described by its kernel values against Q anchors, the paper's SVM-KF [1]_:

    .. math:: \phi(x) = (k(x, a_1), \dots, k(x, a_Q)), \qquad
              \min_{w, b} \tfrac12 (\|w\|^2 + b^2)
              + C \sum_i \max(0, 1 - z_i (w \cdot \phi(x_i) + b))^2.

    All machines are trained in one solve whose cost grows linearly with n.

    Parameters
    ----------
    n_anchors : int, default=1000
        How many anchors, Q; at most n are taken.
    anchors : {"random", "kmeans"}, default="random"
        Training items drawn at random, or centres of k-means (dense, also for sparse X).
    C : float or "auto", default="auto"
        The weight of the loss. "auto" chooses by cross-validated bit error.
    sigma : float or "auto", default="auto"
        The bandwidth. "auto" chooses it likewise, in units of the mean distance to the 100
        nearest neighbours.
    random_state : int, RandomState instance or None, default=None
        Draws the anchors and the sample that "auto" looks at.
    n_jobs : int, default=None
        Threads that "auto" uses; the solve itself is threaded by the matrix library.
    tol : float, default=1e-4
        The relative precision of the objective.
    max_iter : int, default=50
        The most Newton steps.

    Attributes
    ----------
    C_, sigma_ : float
        The values in use.
    coef_ : ndarray of shape (n_anchors, n_machines)
        The weights w.
    intercept_ : ndarray of shape (n_machines,)
        The offsets b.
    objective_ : ndarray of shape (n_machines,)
        What the solver reached.
    n_iter_ : int
        Newton steps of the slowest machine.
    center_, points_, points_indices_, points_indptr_ : ndarray
        The anchors and the mean of the training items (see `KernelExpansion`).

    References
    ----------
    .. [1] Lin, Shen, Suter, van den Hengel, "A General Two-Step Approach to Learning-Based
       Hashing", ICCV 2013.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> codes = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> machine = KernelFeaturesHash(C=10.0, sigma=0.5, random_state=0).fit(X, codes)
    >>> (machine.decision_function(X) > 0).astype(int).tolist()
    [[0, 0], [0, 1], [1, 1], [1, 0]]
    """

    def __init__(
        self,
        n_anchors: int = 1000,
        anchors: str = "random",
        C: float | str = "auto",
        sigma: float | str = "auto",
        *,
        random_state: Any = None,
        n_jobs: int | None = None,
        tol: float = 1e-4,
        max_iter: int = 50,
    ) -> None:
        self.n_anchors = n_anchors
        self.anchors = anchors
        self.C = C
        self.sigma = sigma
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tol = tol
        self.max_iter = max_iter

    def check(self, n_samples: int) -> None:
        """Raise if a parameter is wrong."""
        super().check(n_samples)
        check_scalar(self.n_anchors, "n_anchors", Integral, min_val=1)
        check_anchors(self.anchors)

    def _fit_machines(self, X: Any, Z: np.ndarray, verbose: int) -> None:
        X = as_rows(X)
        check_magnitude(X)
        random = check_random_state(self.random_state)  # one stream: draws are independent
        anchors = choose_anchors(X, self.n_anchors, self.anchors, random)
        self._choose_parameters(X, Z, anchors, random)
        kernel = GaussianKernel(anchors, self.sigma_, center_of(X))
        features = feature_rows(X, kernel, anchors.shape[0])
        solution = fit_squared_hinge(
            features, Z, self.C_, tol=self.tol, max_iter=self.max_iter, verbose=verbose
        )
        self.objective_, self.n_iter_ = solution.objective, solution.n_iter
        self._keep_expansion(X, anchors, solution.coef, solution.intercept)

    def _choose_parameters(
        self, X: Any, Z: np.ndarray, anchors: Any, random: np.random.RandomState
    ) -> None:
        if "auto" not in (self.C, self.sigma):
            self.C_, self.sigma_ = float(self.C), float(self.sigma)
            return
        sample = draw_sample(Z, random)
        squared = pairwise_squared_distances(X[sample.items], anchors)
        self._select(
            X,
            sample,
            random,
            features=lambda sigma: gaussian(squared, sigma),
            margins=linear_fold_margins,
        )


def check_anchors(how: str) -> None:
    """Raise if there is no such way to choose anchors."""
    if how not in ("random", "kmeans"):
        raise ValueError(f"anchors={how!r} is not known; it takes one of 'random', 'kmeans'.")


def choose_anchors(X: Any, n_anchors: int, how: str, random_state: Any = None) -> Any:
    """Return at most `n_anchors` anchors for the rows of X.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, n_features)
        The training items.
    n_anchors : int
        How many; n if there are fewer items.
    how : {"random", "kmeans"}
        Distinct rows at random, or the centres of k-means.
    random_state : int, RandomState instance or None, default=None
        Draws the rows, or starts k-means.

    Returns
    -------
    array or CSR matrix of shape (n_anchors, n_features)

    Examples
    --------
    >>> choose_anchors(np.eye(3), 10, "random", random_state=0).shape
    (3, 3)
    """
    check_anchors(how)
    rng = check_random_state(random_state)
    n_anchors = min(n_anchors, X.shape[0])
    if how == "random":
        return X[np.sort(rng.choice(X.shape[0], n_anchors, replace=False))]
    n_seen = min(X.shape[0], _KMEANS_ITEMS * n_anchors)
    seen = X[np.sort(rng.choice(X.shape[0], n_seen, replace=False))]
    centers = KMeans(n_anchors, init="random", n_init=1, max_iter=20, random_state=rng).fit(seen)
    return centers.cluster_centers_.astype(X.dtype)
