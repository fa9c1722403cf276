"""Results of a search."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

TieOrder = Literal["neutral", "insertion"]  # of items at equal distance


class Neighbours(NamedTuple):
    """The k nearest items of each query, the nearest first.

    Attributes
    ----------
    distances : ndarray of shape (n_queries, k)
        Hamming distances, int64; another distance or the scores of a rescoring, float64.
    ids : ndarray of shape (n_queries, k), int64 or objects of text
        Equal distances in the order of the index's `ties`.
    """

    distances: np.ndarray
    ids: np.ndarray


class RadiusHits(NamedTuple):
    """All items within a radius: those of query i are at ``offsets[i]:offsets[i + 1]``.

    Attributes
    ----------
    offsets : ndarray of shape (n_queries + 1,), int64
    ids : ndarray of shape (n_hits,), int64 or objects of text
    distances : ndarray of shape (n_hits,)
        Hamming distances, int64, or another distance, float64. Increasing for each query; equal
        ones in the order of the index's `ties`.
    """

    offsets: np.ndarray
    ids: np.ndarray
    distances: np.ndarray
