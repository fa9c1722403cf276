"""Linear SVMs on kernel features: the paper's SVM-KF, for large n."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state, check_scalar

from hashlearn._numerics.arrays import (
    as_rows,
    float_type,
    int32_indices,
    is_sparse,
)
from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.checks import as_bytes, check_option, check_solver
from hashlearn._numerics.cross_validation import draw_items, draw_sample, item_weights
from hashlearn._numerics.rbf import (
    GaussianKernel,
    center_of,
    gaussian,
    pairwise_squared_distances,
)
from hashlearn._numerics.row_blocks import RowBlocks, counted_items, counted_rows, feature_blocks
from hashlearn.files import remember
from hashlearn.hash_functions._machines.kernel_expansion import KernelExpansion
from hashlearn.hash_functions._machines.linear_machines import fit_from_sample, linear_fold_margins
from hashlearn.hash_functions._machines.squared_hinge import Prior
from hashlearn.hash_functions._machines.updated_hash import UpdatedHash
from hashlearn.hash_functions.base import register

Anchors = Literal["random", "kmeans"]
_KMEANS_ITEMS = 20  # items per anchor that k-means uses; more change its centres little


@register("kernel-features")
class KernelFeaturesHash(KernelExpansion, UpdatedHash):
    r"""Linear support vector machines on kernel features of anchors.

    An item is described by its kernel values against Q anchors, the paper's SVM-KF [1]_:

    .. math:: \phi(x) = (k(x, a_1), \dots, k(x, a_Q)), \qquad
              \min_{w, b} \tfrac12 (\|w\|^2 + b^2)
              + C \sum_i \max(0, 1 - z_i (w \cdot \phi(x_i) + b))^2.

    All machines are trained in one solve whose cost grows linearly with n.

    Parameters
    ----------
    n_anchors : int, default=1000
        Number of anchors, Q; at most n.
    anchors : {"random", "kmeans"}, default="random"
        Training items drawn at random, or centres of k-means (dense, also for sparse X).
    C : float or "auto", default="auto"
        The weight of the loss; "auto" chooses it by cross-validated bit error.
    sigma : float or "auto", default="auto"
        The bandwidth; "auto" chooses it in the same way, in units of the mean distance to the
        100 nearest neighbours.
    random_state : int, RandomState instance or None, default=None
        Draws the anchors and the sample that "auto" looks at.
    n_jobs : int, default=None
        Threads of "auto"; the solve itself uses as many as compiled loops do.
    tol : float, default=1e-4
        The relative precision of the objective.
    max_iter : int, default=50
        The most Newton steps.
    max_memory : int, str or None, default=None
        Memory for features and blocks of them, in bytes or as "2GB"; None is "512MB". If the
        features of all items need more, they are computed again in every pass, after a start on
        as many items as fit. (The items themselves, their bits, and n x n_bits numbers of a line
        search are not counted.)

    Attributes
    ----------
    C_, sigma_ : float
        The values used.
    coef_ : ndarray of shape (n_anchors, n_machines)
        The weights w.
    intercept_ : ndarray of shape (n_machines,)
        The offsets b.
    objective_ : ndarray of shape (n_machines,)
        The objective that the solver reached.
    n_iter_ : int
        Newton steps of the slowest machine.
    center_, points_, points_indices_, points_indptr_ : ndarray
        The anchors and their mean. Sparse anchors are stored as the three arrays of CSR.
    curvature_ : ndarray of shape (n_anchors + 1, n_anchors + 1), float32
        What `partial_fit` remembers of the items, the mean Hessian of the objective: 4 MB for
        1,000 anchors. Model files hold it only if asked.

    Notes
    -----
    Integer sample weights and repeated items give the same bits: copies of an item, with the same
    code, are one item of their weight. Above 20,000 items copies are not looked for; the anchors
    and the sample that "auto" uses are then drawn differently.

    References
    ----------
    .. [1] Lin, Shen, Suter, van den Hengel, "A General Two-Step Approach to Learning-Based
       Hashing", ICCV 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.hash_functions import KernelFeaturesHash
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> codes = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> machine = KernelFeaturesHash(C=10.0, sigma=0.5, random_state=0).fit(X, codes)
    >>> (machine.decision_function(X) > 0).astype(int).tolist()
    [[0, 0], [0, 1], [1, 1], [1, 0]]
    """

    weighs_items = True
    merges_copies = True
    reads_blocks = True

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
        max_memory: int | str | None = None,
    ) -> None:
        self.n_anchors = n_anchors
        self.anchors = anchors
        self.C = C
        self.sigma = sigma
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tol = tol
        self.max_iter = max_iter
        self.max_memory = max_memory

    def check(self, n_samples: int) -> None:
        """Raise if a parameter is invalid."""
        super().check(n_samples)
        check_solver(self.tol, self.max_iter)
        check_scalar(self.n_anchors, "n_anchors", Integral, min_val=1)
        check_option("anchors", self.anchors, Anchors)
        as_bytes(self.max_memory)

    @one_blas_thread()
    def _train(self, X: Any, Z: np.ndarray, weight: np.ndarray | None, verbose: int) -> None:
        random = check_random_state(self.random_state)  # one for all draws: independent
        anchors = choose_anchors(X, self.n_anchors, self.anchors, random, weight)
        self.C_, self.sigma_ = remember(
            "parameters",
            lambda: np.array(self._choose_parameters(X, Z, anchors, random, weight)),
            random,
        ).tolist()
        solution = fit_from_sample(
            X,
            GaussianKernel(anchors, self.sigma_, center_of(anchors)),
            anchors.shape[0],
            Z,
            self.C_,
            max_bytes=as_bytes(self.max_memory),
            tol=self.tol,
            max_iter=self.max_iter,
            verbose=verbose,
            sample_weight=weight,
            random_state=random,
        )
        self._keep_expansion(anchors, anchors, solution.coef, solution.intercept)
        self._keep(solution, Prior())

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
        # in memory: squared distances and one set of features of the sample
        max_items = as_bytes(self.max_memory) // (2 * anchors.dtype.itemsize * anchors.shape[0])
        sample = draw_sample(Z, random, weight, max_items)
        squared = pairwise_squared_distances(as_rows(X[sample.items], anchors.dtype), anchors)
        return self._select(
            *counted_items(X, weight, random),
            sample,
            random,
            features=lambda sigma: gaussian(squared, sigma),
            margins=linear_fold_margins,
        )

    def _feature_rows(self, X: Any) -> RowBlocks:
        limit = as_bytes(self.max_memory)
        return feature_blocks(X, self._kernel(), self.coef_.shape[0], limit=limit)

    def _weights(self) -> np.ndarray:
        return np.column_stack([self.coef_.T, self.intercept_])

    def _set_weights(self, coef: np.ndarray, intercept: np.ndarray) -> None:
        self.coef_, self.intercept_ = coef.astype(np.float64), intercept.astype(np.float64)


def choose_anchors(
    X: Any,
    n_anchors: int,
    how: str,
    random_state: Any = None,
    sample_weight: np.ndarray | None = None,
) -> Any:
    """Choose anchors, the points of kernel features, for the rows of X.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, n_features)
        The training items.
    n_anchors : int
        How many anchors; all items if there are fewer.
    how : {"random", "kmeans"}
        Distinct rows at random, or the centres of k-means.
    random_state : int, RandomState instance or None, default=None
        Draws the rows, or starts k-means.
    sample_weight : ndarray of shape (n,) or (n, n_machines), optional
        A row of twice the weight is twice as likely to be drawn, and counts twice in k-means.

    Returns
    -------
    anchors : array or CSR matrix of shape (n_anchors, n_features)
        Float64 if X is, else float32; dense for "kmeans".

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.hash_functions import choose_anchors
    >>> choose_anchors(np.eye(3), 10, "random", random_state=0).shape
    (3, 3)
    """
    check_option("anchors", how, Anchors)
    rng = check_random_state(random_state)
    counted = counted_rows(X.shape[0], sample_weight)
    weight = None if sample_weight is None else item_weights(sample_weight[counted])
    n_anchors = min(n_anchors, counted.size)
    if how == "random":
        return _float_rows(X, counted[draw_items(counted.size, n_anchors, rng, weight)])
    n_seen = min(counted.size, _KMEANS_ITEMS * n_anchors)
    drawn = np.sort(rng.choice(counted.size, n_seen, replace=False))
    seen = _float_rows(X, counted[drawn])
    seen = int32_indices(seen) if is_sparse(seen) else seen  # k-means accepts no others
    counts = None if weight is None or np.ptp(weight) == 0 else weight[drawn]
    kmeans = KMeans(n_anchors, init="random", n_init=1, max_iter=20, random_state=rng)
    centers = remember(
        "anchors", lambda: kmeans.fit(seen, sample_weight=counts).cluster_centers_, rng
    )
    return centers.astype(seen.dtype, copy=False)


def _float_rows(X: Any, items: np.ndarray) -> Any:
    return as_rows(X[np.sort(items)], float_type(X))
