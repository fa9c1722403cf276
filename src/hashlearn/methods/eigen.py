"""The leading eigenvector of a symmetric matrix."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh


def leading_eigenvector(M: np.ndarray) -> np.ndarray:
    """Return it with length 1 and, so that bits are reproducible, its largest entry positive.

    Examples
    --------
    >>> leading_eigenvector(np.array([[1.0, 0.0], [0.0, 2.0]]))
    array([0., 1.])
    """
    last = len(M) - 1
    vector = eigh(M, subset_by_index=[last, last])[1][:, 0]
    return vector if vector[np.argmax(np.abs(vector))] > 0 else -vector
