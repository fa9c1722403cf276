"""Answers of shards, in the order of the shards, as one answer.

A shard orders by distance, then by position; a stable sort by distance keeps that, since the
positions of a shard come before those of the next.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hashlearn.search.results import Neighbours, RadiusHits


def merge_nearest(answers: Sequence[Neighbours], n_queries: int, k: int) -> Neighbours:
    """Merge the nearest items of each shard.

    Parameters
    ----------
    answers : sequence of Neighbours
        Of each shard at most k, with positions in the whole database.
    n_queries, k : int
        The shape of the result.

    Returns
    -------
    neighbours : Neighbours
        Positions, int64, in the place of ids.

    Examples
    --------
    >>> first = Neighbours(np.array([[0, 2]]), np.array([[1, 0]]))
    >>> merge_nearest([first, Neighbours(np.array([[0, 1]]), np.array([[7, 5]]))], 1, k=3)
    Neighbours(distances=array([[0, 0, 1]]), ids=array([[1, 7, 5]]))
    """
    nothing = np.empty((n_queries, 0), dtype=np.int64)
    distances = np.concatenate([nothing, *(answer.distances for answer in answers)], axis=1)
    positions = np.concatenate([nothing, *(answer.ids for answer in answers)], axis=1)
    nearest = smallest(distances, k)
    return Neighbours(
        np.take_along_axis(distances, nearest, axis=1),
        np.take_along_axis(positions, nearest, axis=1),
    )


def smallest(distances: np.ndarray, k: int) -> np.ndarray:
    """Return where the k smallest of each row of Hamming distances stand, equal ones in order."""
    return np.argsort(distances.astype(np.uint16), axis=1, kind="stable")[:, :k]


def merge_hits(answers: Sequence[RadiusHits], n_queries: int) -> RadiusHits:
    """Merge all items within a radius.

    Parameters
    ----------
    answers : sequence of RadiusHits
        Of each shard, with positions in the whole database.
    n_queries : int

    Returns
    -------
    hits : RadiusHits
        Positions, int64, in the place of ids.

    Examples
    --------
    >>> first = RadiusHits(np.array([0, 1]), np.array([3]), np.array([2]))
    >>> merge_hits([first, RadiusHits(np.array([0, 1]), np.array([8]), np.array([0]))], 1)
    RadiusHits(offsets=array([0, 2]), ids=array([8, 3]), distances=array([0, 2]))
    """
    nothing = np.empty(0, dtype=np.int64)
    each = np.arange(n_queries)
    queries = [np.repeat(each, np.diff(answer.offsets)) for answer in answers]
    query = np.concatenate([nothing, *queries])
    positions = np.concatenate([nothing, *(answer.ids for answer in answers)])
    distances = np.concatenate([nothing, *(answer.distances for answer in answers)])
    order = np.lexsort((distances, query))  # stable
    offsets = np.concatenate([[0], np.cumsum(np.bincount(query, minlength=n_queries))])
    return RadiusHits(offsets, positions[order], distances[order])


def join_hits(parts: Sequence[RadiusHits]) -> RadiusHits:
    """Join the hits of queries that follow each other.

    Examples
    --------
    >>> first = RadiusHits(np.array([0, 1]), np.array([3]), np.array([2]))
    >>> join_hits([first, first])
    RadiusHits(offsets=array([0, 1, 2]), ids=array([3, 3]), distances=array([2, 2]))
    """
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    return RadiusHits(
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.distances for part in parts]),
    )
