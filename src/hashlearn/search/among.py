"""Search among some items only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hashlearn._numerics.ids import NOT_FOUND, Ids, as_ids


def allowed_positions(among: Any, ids: Ids) -> np.ndarray:
    """Return the increasing positions that a filter allows.

    Parameters
    ----------
    among : array-like or set of int, or array-like of bool
        Ids, of which unknown ones are ignored, or a mask over all positions.
    ids : Ids
        The ids of the items.

    Examples
    --------
    >>> allowed_positions({7, 1, 99}, Ids().appended(3, [7, 8, 1]))
    array([0, 2])
    """
    mask = np.asarray(among)
    if mask.dtype != bool:
        positions = ids.find(as_ids(among, "among"))
        return np.unique(positions[positions != NOT_FOUND])
    if mask.shape != (len(ids),):
        raise ValueError(
            f"among is a mask of shape {mask.shape}: with {len(ids)} items it takes ({len(ids)},)."
        )
    return np.flatnonzero(mask)


def nearest_among(
    find: Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]],
    n_queries: int,
    words: np.ndarray,
    k: int,
    allowed: np.ndarray,
    missing: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Find the k nearest of the codes at some positions.

    Parameters
    ----------
    find : callable
        From codes as words and a number to distances and positions of so many nearest.
    n_queries : int
        How many queries it has.
    words : ndarray of shape (n_words, n), uint64
    k : int
    allowed : ndarray, int64
        Increasing positions; where there are fewer than k, rows end with position -1.
    missing : int or float
        The distance there, of the type of all distances.

    Returns
    -------
    distances : ndarray of shape (n_queries, k), int64 or float64
    positions : ndarray of shape (n_queries, k), int64
    """
    distances = np.full((n_queries, k), missing)
    positions = np.full((n_queries, k), NOT_FOUND)
    n_found = min(k, allowed.size)
    if n_found:
        found = find(np.ascontiguousarray(words[:, allowed]), n_found)
        distances[:, :n_found], positions[:, :n_found] = found[0], allowed[found[1]]
    return distances, positions
