"""Linear SVM per bit, all bits trained in one solve."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from hashlearn.hash_functions.base import HashFunction, register
from hashlearn.hash_functions.blocks import as_rows, check_magnitude, is_sparse, map_rows
from hashlearn.hash_functions.linear_machines import fit_linear_machines
from hashlearn.hash_functions.rbf import center_of
from hashlearn.hash_functions.rows import Rows, feature_rows
from hashlearn.hash_functions.selection import (
    check_positive,
    check_solver,
    draw_sample,
    linear_fold_margins,
    loss_weights,
    select,
)

_LOSS_WEIGHTS = (1e1, 1e2, 1e3, 1e4, 1e5)  # candidates for c = C n: the paper's range


@register("linear-svm")
class LinearSVMHash(HashFunction):
    r"""Linear support vector machines.

    The margin of a bit is :math:`w \cdot (x - \mu) + b`, with

    .. math:: \min_{v, b} \tfrac12 (\|v\|^2 + b^2)
              + C \sum_i \max(0, 1 - z_i (v \cdot \tilde x_i + b))^2, \qquad
              \tilde x = (x - \mu) / \rho, \quad w = v / \rho,

    the problem of ``LinearSVC`` [1]_ on scaled items: :math:`\mu` is the mean item (0 for sparse
    X) and :math:`\rho` the root mean square length of what remains, so that C means the same in
    any unit of measurement.

    Parameters
    ----------
    C : float or "auto", default="auto"
        The weight of the loss. "auto" chooses by cross-validated bit error.
    random_state : int, RandomState instance or None, default=None
        Draws the sample that "auto" looks at.
    n_jobs : int, default=None
        Threads that "auto" uses, and the machines of wide sparse items; otherwise the solve is
        threaded by the matrix library.
    tol : float, default=1e-4
        The relative precision of the objective.
    max_iter : int, default=50
        The most Newton steps.

    Attributes
    ----------
    C_ : float
        The value in use.
    coef_ : ndarray of shape (n_features, n_machines)
        The weights w.
    intercept_ : ndarray of shape (n_machines,)
        The offsets b.
    center_ : ndarray of shape (n_features,)
        The mean :math:`\mu`.
    scale_ : float
        The length :math:`\rho`.
    objective_ : ndarray of shape (n_machines,)
        What the solver reached.
    n_iter_ : int
        Steps of the slowest machine, Newton's or (sparse items of over 4,000 features)
        liblinear's.

    References
    ----------
    .. [1] Fan, Chang, Hsieh, Wang, Lin, "LIBLINEAR: A Library for Large Linear
       Classification", JMLR 2008.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> machine = LinearSVMHash(C=10.0).fit(X, codes=X.astype(int))
    >>> (machine.decision_function(X) > 0).astype(int).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """

    def __init__(
        self,
        C: float | str = "auto",
        *,
        random_state: Any = None,
        n_jobs: int | None = None,
        tol: float = 1e-4,
        max_iter: int = 50,
    ) -> None:
        self.C = C
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tol = tol
        self.max_iter = max_iter

    def check(self, n_samples: int) -> None:
        """Raise if a parameter is wrong."""
        check_positive("C", self.C)
        check_solver(self.tol, self.max_iter)

    def _fit_machines(self, X: Any, Z: np.ndarray, verbose: int) -> None:
        X = as_rows(X)
        check_magnitude(X)
        self.center_ = center_of(X)
        self.scale_ = _mean_length(X, self.center_)
        self.C_ = self._choose_C(X, Z)
        solution = fit_linear_machines(
            self._scaled_rows(X),
            Z,
            self.C_,
            tol=self.tol,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            verbose=verbose,
        )
        self.coef_ = solution.coef / X.dtype.type(self.scale_)
        self.intercept_ = solution.intercept
        self.objective_, self.n_iter_ = solution.objective, solution.n_iter

    def _machine_margins(self, X: Any) -> np.ndarray:
        def dense_margins(block: np.ndarray) -> np.ndarray:
            block -= self.center_
            return block @ self.coef_ + self.intercept_

        def sparse_margins(block: Any) -> np.ndarray:
            return block @ self.coef_ + (self.intercept_ - self.center_ @ self.coef_)

        margins = sparse_margins if is_sparse(X) else dense_margins
        return map_rows(margins, X, self.coef_.shape[1], dtype=self.coef_.dtype)

    def _scaled(self, X: Any) -> Any:
        scale = X.dtype.type(self.scale_)
        return X / scale if is_sparse(X) else (X - self.center_) / scale

    def _scaled_rows(self, X: Any) -> Any:
        if is_sparse(X):
            return self._scaled(X)
        return feature_rows(X, self._scaled, X.shape[1])

    def _choose_C(self, X: Any, Z: np.ndarray) -> float:
        if self.C != "auto":
            return float(self.C)
        sample = draw_sample(Z, self.random_state)
        items = self._scaled(X[sample.items])
        Cs = loss_weights(sample, _LOSS_WEIGHTS)
        _, C = select(sample, lambda _: items, linear_fold_margins, (1.0,), Cs, self.n_jobs)
        return C


def _mean_length(X: Any, center: np.ndarray) -> float:
    """Root mean square length of the centred rows; 1 if all are 0."""
    total = 0.0
    for _, block in Rows(X):
        rows = block if is_sparse(block) else block - center
        total += float(row_norms(rows, squared=True).sum(dtype=np.float64))
    return float(np.sqrt(total / X.shape[0])) or 1.0
