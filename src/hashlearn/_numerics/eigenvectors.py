"""Lanczos eigenvectors that are the same in every run."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

# From SciPy 1.17 on, `eigsh` draws random numbers even from a given start, unseeded by default.
_SEED = {"rng": 0} if "rng" in inspect.signature(eigsh).parameters else {}


def lanczos(
    operator: LinearOperator, count: int, start: np.ndarray, **options: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return `count` eigenvalues and their vectors by `scipy.sparse.linalg.eigsh`, from a start."""
    return eigsh(operator, count, v0=start, **_SEED, **options)
