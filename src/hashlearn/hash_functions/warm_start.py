"""Machines on more features than memory holds: first on a sample, then on all items."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hashlearn._numerics.padded_blocks import Transform
from hashlearn._numerics.row_blocks import RowBlocks, feature_blocks
from hashlearn._progress import say
from hashlearn.hash_functions.items import counted_rows
from hashlearn.hash_functions.squared_hinge import LinearMachines, fit_squared_hinge

_LEAST_PER_COLUMN = 4  # a sample with fewer items per feature says little about the machines
_SAMPLE_TOL = 1e-3  # finer than what a sample can know of all items


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

    If they do not fit, machines are trained first on as many random items as do: from there,
    and with the curvature that was found there, few passes over all items remain.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, n_features)
        The items.
    transform : callable
        From a block of X to `n_columns` features.
    n_columns : int
        The number of features.
    Z, C, tol, max_iter, verbose, sample_weight
        As in `fit_squared_hinge`.
    max_bytes : int
        What features in memory, and blocks of them, may take.
    keep_bytes : int, optional
        What the features of all items may take, if less.
    random_state : RandomState
        Draws the sample.

    Examples
    --------
    >>> X, Z = np.array([[-1.0], [1.0]]), np.array([[-1], [1]])
    >>> random = np.random.RandomState(0)
    >>> fit_from_sample(X, np.tanh, 1, Z, 0.25, max_bytes=8, random_state=random).coef.round(3)
    array([[0.482]])
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
    """Return as many items as have features in memory, none of weight 0, in order."""
    row_bytes = features.dtype.itemsize * (features.shape[1] + features.X.shape[1])
    counted = counted_rows(features.shape[0], sample_weight)
    n_drawn = min(counted.size, max_bytes // row_bytes)
    return np.sort(random_state.choice(counted, n_drawn, replace=False))


def _mass(weight: np.ndarray | None, n_items: int) -> float:
    """Return how many items the weights stand for."""
    return n_items if weight is None else n_items * float(weight.mean(dtype=np.float64))
