"""Linear machines by the solver that suits the items, and by way of a sample if memory is short."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.svm import LinearSVC

from hashlearn._numerics.arrays import int32_indices, is_sparse
from hashlearn._numerics.padded_blocks import Transform
from hashlearn._numerics.row_blocks import RowBlocks, counted_rows, feature_blocks
from hashlearn._progress import say
from hashlearn.hash_functions._machines.row_products import DENSE_COLUMNS, weighted_gram
from hashlearn.hash_functions._machines.squared_hinge import (
    Curvature,
    LinearMachines,
    fit_squared_hinge,
)

_LEAST_PER_COLUMN = 4  # fewer items per feature say little about the machines
_SAMPLE_TOL = 1e-3  # finer than what a sample tells about all items


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
    """Return whether X is sparse and wide, and small enough for liblinear's 32-bit indices."""
    return is_sparse(X) and X.shape[1] > DENSE_COLUMNS and X.nnz <= np.iinfo(np.int32).max


def fit_from_sample(
    X: Any,
    transform: Transform,
    n_columns: int,
    Z: np.ndarray,
    C: float,
    *,
    max_bytes: int,
    keep_bytes: int | None = None,
    tol: float = 1e-4,
    max_iter: int = 50,
    verbose: int = 0,
    sample_weight: np.ndarray | None = None,
    random_state: np.random.RandomState,
) -> LinearMachines:
    """Train machines on features that are computed once if they fit in memory, else in every pass.

    If they do not fit, machines are first trained on as many random items as do fit. From there,
    with the curvature found there, few passes over all items remain. The transform turns a block
    of X into `n_columns` features. `max_bytes` bounds features and blocks of them, `keep_bytes`
    the features of all items, if that is less.
    """
    limit = max_bytes if keep_bytes is None else min(keep_bytes, max_bytes)
    features = feature_blocks(X, transform, n_columns, limit=limit).within(max_bytes)
    settings: dict[str, Any] = {"max_iter": max_iter, "verbose": verbose}
    start = None
    if features.transform is not None:
        items = _draw_items(features, max_bytes, sample_weight, random_state)
        if items.size >= _LEAST_PER_COLUMN * n_columns and items.size < X.shape[0]:
            say(f"Step 2: {items.size:,} of {X.shape[0]:,} items first", verbose)
            weight = None if sample_weight is None else sample_weight[items]
            start = fit_squared_hinge(
                feature_blocks(X[items], transform, n_columns, limit=max_bytes),
                Z[items],
                C * _mass(sample_weight, X.shape[0]) / _mass(weight, items.size),
                tol=max(tol, _SAMPLE_TOL),
                sample_weight=weight,
                name="Step 2, sample",
                **settings,
            )
    solution = fit_squared_hinge(
        features, Z, C, tol=tol, sample_weight=sample_weight, start=start, **settings
    )
    n_iter = solution.n_iter + (0 if start is None else start.n_iter)
    return replace(solution, n_iter=n_iter)


def _draw_items(
    features: RowBlocks,
    max_bytes: int,
    sample_weight: np.ndarray | None,
    random_state: np.random.RandomState,
) -> np.ndarray:
    """Draw as many items of positive weight as have features in memory, in order."""
    row_bytes = features.dtype.itemsize * (features.shape[1] + features.X.shape[1])
    counted = counted_rows(features.shape[0], sample_weight)
    n_drawn = min(counted.size, max_bytes // row_bytes)
    return np.sort(random_state.choice(counted, n_drawn, replace=False))


def _mass(weight: np.ndarray | None, n_items: int) -> float:
    """Return the number of items that the weights stand for."""
    return n_items if weight is None else n_items * float(weight.mean(dtype=np.float64))


def linear_fold_margins(
    features: Any,
    train: np.ndarray,
    test: np.ndarray,
    Z: np.ndarray,
    C: float,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """Train linear machines on the rows `train`; return their margins on the rows `test`."""
    # Signs settle long before the objective does: a loose tolerance ranks candidates as well.
    solution = fit_linear_machines(features[train], Z, C, tol=1e-2, sample_weight=weight)
    return features[test] @ solution.coef + solution.intercept
