"""The compiled loop over squared distances: one pass where NumPy would take four."""

from __future__ import annotations

import numpy as np

from hashlearn.compiled import compiled


@compiled
def finish_distances(
    D: np.ndarray, row_norms: np.ndarray, point_norms: np.ndarray, factor: float
) -> None:
    """Turn products -2 x.p into squared distances, never negative, times `factor`.

    Parameters
    ----------
    D : ndarray of shape (n, n_points)
        The products; overwritten.
    row_norms : ndarray of shape (n,)
        The squared norms of the rows.
    point_norms : ndarray of shape (n_points,)
        The squared norms of the points.
    factor : float
        Of D's type.

    Examples
    --------
    >>> D = np.array([[-4.0, 0.0]])
    >>> finish_distances(D, np.array([1.0]), np.array([4.0, 0.0]), -0.5)
    >>> D
    array([[-0.5, -0.5]])
    """
    zero = D.dtype.type(0)
    for i in range(D.shape[0]):
        row = D[i]
        norm = row_norms[i]
        for j in range(row.size):
            squared = row[j] + norm + point_norms[j]
            row[j] = factor * (squared if squared > zero else zero)
