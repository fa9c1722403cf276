"""Which solver trains linear machines: one Newton solve for all, or liblinear for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.svm import LinearSVC

from hashlearn._numerics.arrays import int32_indices, is_sparse
from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn._numerics.row_products import DENSE_COLUMNS, weighted_gram
from hashlearn.hash_functions.squared_hinge import Curvature, LinearMachines, fit_squared_hinge


def fit_linear_machines(
    X: Any,
    Z: np.ndarray,
    C: float,
    *,
    tol: float = 1e-4,
    max_iter: int = 50,
    n_jobs: int | None = None,
    verbose: int = 0,
    sample_weight: np.ndarray | None = None,
) -> LinearMachines:
    """Train one squared-hinge linear machine per column of Z, by the solver that suits X.

    Dense rows, and sparse ones with few columns, share one Newton solve whose products are
    large. Sparse rows with many columns (text) have no such products to share; there liblinear's
    coordinate steps are faster, one machine at a time.

    Parameters
    ----------
    X : array, CSR matrix or RowBlocks of shape (n, n_features)
        The items.
    Z : array of shape (n, n_machines)
        The bits, -1 or +1.
    C : float
        The weight of the loss.
    tol, max_iter : float, int
        When to stop the Newton solve; liblinear has its own rule.
    n_jobs : int or None
        Threads that liblinear uses, one machine each.
    verbose : int
        Above 0, progress of the Newton solve.
    sample_weight : array of shape (n,) or (n, n_machines), optional
        How much each item counts, for all machines or for each.

    Examples
    --------
    >>> X, Z = np.array([[-1.0], [1.0]]), np.array([[-1], [1]])
    >>> fit_linear_machines(X, Z, C=0.25).coef
    array([[0.5]])
    """
    if isinstance(X, RowBlocks) or not _suits_liblinear(X):
        return fit_squared_hinge(
            X, Z, C, tol=tol, max_iter=max_iter, verbose=verbose, sample_weight=sample_weight
        )
    X = int32_indices(X)
    weights = np.ones((X.shape[0], 1)) if sample_weight is None else sample_weight
    weights = np.broadcast_to(weights[:, None] if weights.ndim == 1 else weights, Z.shape)
    machines = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(LinearSVC(C=C, random_state=0).fit)(X, z, w)
        for z, w in zip(Z.T, weights.T, strict=True)
    )
    coef = np.stack([machine.coef_[0] for machine in machines], axis=1)
    intercept = np.array([machine.intercept_[0] for machine in machines])
    gap = np.maximum(0, 1 - Z * (X @ coef + intercept))
    loss = np.einsum("ij,ij->j", gap**2, weights)
    objective = ((coef**2).sum(axis=0) + intercept**2) / 2 + C * loss
    n_iter = int(max(np.max(machine.n_iter_) for machine in machines))
    active = gap > 0
    gram = weighted_gram(RowBlocks(X), 2 * C * (active * weights).mean(axis=1))
    curvature = Curvature(gram, float(active.mean()))
    return LinearMachines(
        coef.astype(X.dtype), intercept.astype(X.dtype), objective, n_iter, curvature
    )


def _suits_liblinear(X: Any) -> bool:
    """Tell whether X is sparse and wide, and small enough for liblinear's 32-bit indices."""
    return is_sparse(X) and X.shape[1] > DENSE_COLUMNS and X.nnz <= np.iinfo(np.int32).max
