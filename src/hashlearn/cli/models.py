"""Model files on the command line: loading them, and finding their features in an input."""

from __future__ import annotations

import numpy as np

from hashlearn.base import BaseHasher
from hashlearn.distributed.models import load_hasher
from hashlearn.items import Items

__all__ = ["check_finite", "find_features", "load_hasher"]


def find_features(
    hasher: BaseHasher, source: Items, others: tuple[str, ...] = ()
) -> tuple[str, ...] | None:
    """Return the columns that a hasher was fitted on, if they are there; None: all but `others`.

    If both sides have names, columns are found by name, in any order and among others.
    """
    names = getattr(hasher, "feature_names_in_", None)
    if names is not None and source.columns is not None:
        return source.feature_names(tuple(names), others)
    n_features = source.n_features(others=others)
    if n_features != hasher.n_features_in_:
        raise ValueError(
            f"'{source.path}' has {n_features} features: the model takes {hasher.n_features_in_}."
        )
    return None


def check_finite(items: np.ndarray, source: Items, start: int = 0) -> None:
    """Raise for the first item with a value that is not a finite number."""
    finite = np.isfinite(items).all(axis=1)
    if not finite.all():
        row = start + int(np.argmin(finite))
        raise ValueError(
            f"'{source.path}' has NaN or infinity in row {row:,} (from 0): items are finite."
        )
