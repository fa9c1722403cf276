"""Linear SVMs, all bits trained in one solve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from hashlearn._numerics.arrays import as_rows, is_sparse
from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.checks import as_bytes, check_positive, check_solver
from hashlearn._numerics.cross_validation import draw_sample, loss_weights, select
from hashlearn._numerics.padded_blocks import linear_margins
from hashlearn._numerics.row_blocks import RowBlocks, mean_length, mean_row
from hashlearn.files import remember
from hashlearn.hash_functions._machines.linear_machines import (
    fit_from_sample,
    fit_linear_machines,
    linear_fold_margins,
)
from hashlearn.hash_functions._machines.squared_hinge import Prior
from hashlearn.hash_functions._machines.updated_hash import UpdatedHash
from hashlearn.hash_functions.base import register

_SMALL = 2**24  # bytes of scaled items that are kept: computing them again would take longer
_LOSS_WEIGHTS = (1e1, 1e2, 1e3, 1e4, 1e5)  # candidates for c = C n: the paper's range


@register("linear-svm")
class LinearSVMHash(UpdatedHash):
    r"""Linear support vector machines.

    The margin of a bit is :math:`w \cdot (x - \mu) + b`, with

    .. math:: \min_{v, b} \tfrac12 (\|v\|^2 + b^2)
              + C \sum_i \max(0, 1 - z_i (v \cdot \tilde x_i + b))^2, \qquad
              \tilde x = (x - \mu) / \rho, \quad w = v / \rho,

    the problem of ``LinearSVC`` [1]_ on scaled items: :math:`\mu` is the mean item (0 for sparse
    X) and :math:`\rho` the root mean square length of the centred items, so that C means the same
    in any unit of measurement.

    Parameters
    ----------
    C : float or "auto", default="auto"
        The weight of the loss; "auto" chooses it by cross-validated bit error.
    random_state : int, RandomState instance or None, default=None
        Draws the sample that "auto" uses.
    n_jobs : int, default=None
        Threads of "auto", and for wide sparse items of the solve; otherwise the solve uses as
        many as compiled loops do.
    tol : float, default=1e-4
        The relative precision of the objective.
    max_iter : int, default=50
        The most Newton steps.
    max_memory : int, str or None, default=None
        Memory for scaled items and blocks of them, in bytes or as "2GB"; None is "512MB". If
        dense items need more, training starts on as many as fit. (The items themselves, their
        bits, and n x n_bits numbers of a line search are not counted.)

    Attributes
    ----------
    C_ : float
        The value used.
    coef_ : ndarray of shape (n_features, n_machines)
        The weights w.
    intercept_ : ndarray of shape (n_machines,)
        The offsets b.
    center_ : ndarray of shape (n_features,)
        The mean :math:`\mu`.
    scale_ : float
        The length :math:`\rho`.
    objective_ : ndarray of shape (n_machines,)
        The objective that the solver reached.
    n_iter_ : int
        Steps of the slowest machine, Newton's or (sparse items of over 4,000 features)
        liblinear's.
    curvature_ : ndarray of shape (n_features + 1, n_features + 1), float32
        What `partial_fit` remembers of the items: the mean Hessian of the objective, or its
        diagonal above 4,000 features. Model files hold it only if asked.

    Notes
    -----
    Integer sample weights and repeated items give the same bits: copies of an item, with the same
    code, are one item of their weight. Above 20,000 items copies are not looked for; the sample
    that "auto" uses is then drawn differently.

    References
    ----------
    .. [1] Fan, Chang, Hsieh, Wang, Lin, "LIBLINEAR: A Library for Large Linear
       Classification", JMLR 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.hash_functions import LinearSVMHash
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> machine = LinearSVMHash(C=10.0).fit(X, codes=X.astype(int))
    >>> (machine.decision_function(X) > 0).astype(int).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """

    weighs_items = True
    merges_copies = True
    reads_blocks = True

    def __init__(
        self,
        C: float | str = "auto",
        *,
        random_state: Any = None,
        n_jobs: int | None = None,
        tol: float = 1e-4,
        max_iter: int = 50,
        max_memory: int | str | None = None,
    ) -> None:
        self.C = C
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tol = tol
        self.max_iter = max_iter
        self.max_memory = max_memory

    def check(self, n_samples: int) -> None:
        """Raise if a parameter is invalid."""
        check_positive("C", self.C)
        check_solver(self.tol, self.max_iter)
        as_bytes(self.max_memory)

    @one_blas_thread()
    def _train(self, X: Any, Z: np.ndarray, weight: np.ndarray | None, verbose: int) -> None:
        counts = None if weight is None or weight.ndim == 2 else weight
        self.center_ = mean_row(X, counts)
        self.scale_ = mean_length(X, self.center_, counts)
        random = check_random_state(self.random_state)
        (self.C_,) = remember(
            "parameters", lambda: np.array([self._choose_C(X, Z, random, weight)]), random
        ).tolist()
        settings: dict[str, Any] = {
            "tol": self.tol,
            "max_iter": self.max_iter,
            "verbose": verbose,
            "sample_weight": weight,
        }
        if is_sparse(X):
            items = self._scaling()(RowBlocks(X).X)
            solution = fit_linear_machines(items, Z, self.C_, n_jobs=self.n_jobs, **settings)
        else:
            solution = fit_from_sample(
                X,
                self._scaling(),
                X.shape[1],
                Z,
                self.C_,
                max_bytes=as_bytes(self.max_memory),
                keep_bytes=_SMALL,
                random_state=random,
                **settings,
            )
        self._keep(solution, Prior())

    def _feature_rows(self, X: Any) -> RowBlocks:
        if is_sparse(X):
            return RowBlocks(self._scaling()(RowBlocks(X).X))
        return RowBlocks(X, self._scaling(), self.center_.size).within(as_bytes(self.max_memory))

    def _weights(self) -> np.ndarray:
        return np.column_stack([self.coef_.T * self.scale_, self.intercept_])

    def _set_weights(self, coef: np.ndarray, intercept: np.ndarray) -> None:
        self.coef_ = (coef / self.scale_).astype(self.center_.dtype)
        self.intercept_ = intercept.astype(self.center_.dtype)

    def _scaling(self) -> _Scaling:
        return _Scaling(self.center_, self.scale_)

    def _machine_margins(self, X: Any) -> np.ndarray:
        return linear_margins(
            X,
            self.coef_,
            self.center_,
            self.intercept_,
            dtype=self.coef_.dtype,
            result_dtype=np.float64,
        )

    def _choose_C(
        self,
        X: Any,
        Z: np.ndarray,
        random: np.random.RandomState,
        weight: np.ndarray | None,
    ) -> float:
        if self.C != "auto":
            return float(self.C)
        sample = draw_sample(Z, random, weight)
        items = self._scaling()(as_rows(X[sample.items], self.center_.dtype))
        Cs = loss_weights(sample, _LOSS_WEIGHTS)
        _, C = select(sample, lambda _: items, linear_fold_margins, (1.0,), Cs, self.n_jobs)
        return C


@dataclass
class _Scaling:
    """Subtracts the mean item from dense items, and divides by a length."""

    center: np.ndarray
    scale: float

    def __call__(self, X: Any) -> Any:
        """Return the scaled items, in the type of `center`."""
        scale = self.center.dtype.type(self.scale)
        if is_sparse(X):
            return X / scale
        scaled = X - self.center
        scaled /= scale
        return scaled
