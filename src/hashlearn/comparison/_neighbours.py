"""The true nearest neighbours of queries, with all that are equally near."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hashlearn.metrics import VectorQueries
from hashlearn.metrics.vectors import ROUNDING

QUERY_ROWS, DATABASE_ROWS = 256, 1 << 12  # of a block of products: 8 MiB


class Nearest(NamedTuple):
    """The nearest items of each query, all that are as near as the k-th.

    `items` has a row per query, -1 where others have more; `least` is the nearness of the k-th,
    less what rounding may take; `is_cut` tells where there are more than `items` has room for.
    """

    items: np.ndarray
    least: np.ndarray
    is_cut: np.ndarray


def nearest_neighbours(queries: VectorQueries, database: Any, k: int) -> Nearest:
    """Return the k nearest vectors of each query; products are held for a block of both sides."""
    blocks = [
        _nearest_of_block(queries[start : start + QUERY_ROWS], database, k)
        for start in range(0, len(queries), QUERY_ROWS)
    ]
    return Nearest(*map(np.concatenate, zip(*blocks, strict=True)))


def _nearest_of_block(queries: VectorQueries, database: Any, k: int) -> Nearest:
    n = database.shape[0]
    width = min(n, 2 * k + 20)
    best = np.full((len(queries), width), -np.inf)
    items = np.full((len(queries), width), -1)
    for start in range(0, n, DATABASE_ROWS):
        values = queries.nearness(database[start : start + DATABASE_ROWS])
        places = np.broadcast_to(np.arange(start, start + values.shape[1]), values.shape)
        values = np.concatenate([best, values], axis=1)
        kept = np.argpartition(-values, width - 1, axis=1)[:, :width]
        best = np.take_along_axis(values, kept, axis=1)
        items = np.take_along_axis(np.concatenate([items, places], axis=1), kept, axis=1)
    order = np.argsort(-best, axis=1, kind="stable")
    best, items = (np.take_along_axis(part, order, axis=1) for part in (best, items))
    kth = best[:, k - 1]
    least = kth - ROUNDING * (np.abs(kth) + queries.sizes)
    near = best >= least[:, None]
    return Nearest(np.where(near, items, -1), least, near[:, -1] & (width < n))
