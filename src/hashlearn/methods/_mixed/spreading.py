"""Spreading over a graph of neighbours, from known items to the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra
from sklearn.metrics.pairwise import paired_euclidean_distances

from hashlearn.affinity import nearest_graph

LIKELY = 0.5001  # share of the walks that must end at a label: over half, by more than rounding
MAX_PAIRS_PER_ITEM = 50  # that an item without pairs adopts
N_NEIGHBORS = 10
SURVIVAL = 0.99  # of a walk, at each step: near labels count more than far ones
N_STEPS = 50
_BLOCK_PAIRS = 2**14  # distances computed at a time
_BLOCK_ENTRIES = 2**26  # scores of items held at a time


def neighbor_weights(X: Any, *, n_jobs: int | None = None, verbose: int = 0) -> sp.csr_array:
    r"""Return a symmetric graph of near items, weighted by their distances.

    Items are connected if either is among the 10 nearest of the other, with the weight
    :math:`\exp(-\|x_i - x_j\|^2 / (s_i s_j))`, :math:`s_i^2` the mean squared distance of i
    to its nearest (Zelnik-Manor and Perona, "Self-Tuning Spectral Clustering", NIPS 2004).
    """
    n_neighbors = min(N_NEIGHBORS, X.shape[0] - 1)
    near = nearest_graph(
        X, n_neighbors, search="auto", random_state=0, n_jobs=n_jobs, verbose=verbose
    ).tocoo()
    i, j = near.coords
    squared = _squared_distances(X, i, j)
    n_near = np.maximum(np.bincount(i, minlength=X.shape[0]), 1)
    scale = np.sqrt(np.bincount(i, weights=squared, minlength=X.shape[0]) / n_near)
    tiny = np.finfo(np.float64).tiny
    weights = np.exp(-squared / np.maximum(scale[i] * scale[j], tiny))
    graph = sp.csr_array((np.maximum(weights, tiny), (i, j)), shape=near.shape)
    return sp.csr_array(graph.maximum(graph.T))


def _squared_distances(X: Any, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    blocks = [slice(start, start + _BLOCK_PAIRS) for start in range(0, i.size, _BLOCK_PAIRS)]
    return np.concatenate([paired_euclidean_distances(X[i[b]], X[j[b]]) ** 2 for b in blocks])


class Walks:
    """Random walks from unlabelled items over a graph that end at labelled ones."""

    def __init__(self, graph: sp.csr_array, known: np.ndarray) -> None:
        degree = np.maximum(graph.sum(axis=1), np.finfo(np.float64).tiny)
        steps = sp.csr_array(sp.diags_array(SURVIVAL / degree[~known]) @ graph[~known])
        self._to_unlabelled = steps[:, ~known].astype(np.float32)
        self._to_labelled = steps[:, known].astype(np.float32)
        # the probability that a walk ends at a labelled item; 0 where it cannot
        self.reach = self._ends(np.ones((int(known.sum()), 1), dtype=np.float32)).ravel()

    def likely(self, labels: sp.csr_array) -> sp.csr_array:
        """Return the labels that more than half of the walks from each unlabelled item end at."""
        parts = [sp.csr_array(shares > LIKELY) for shares in self.shares(labels)]
        return sp.csr_array(sp.hstack(parts))

    def shares(self, labels: sp.csr_array) -> Iterator[np.ndarray]:
        """Yield, some columns of labels at a time, the share of the walks that end at each.

        From (n_labelled, n_labels) to (n_unlabelled, n_columns), 0 for items that no walk leaves.
        """
        reach = np.maximum(self.reach, np.finfo(np.float32).tiny)[:, None]
        n_columns = max(1, _BLOCK_ENTRIES // max(self.reach.size, labels.shape[0]))
        for start in range(0, labels.shape[1], n_columns):
            columns = slice(start, start + n_columns)
            yield self._ends(labels[:, columns].toarray().astype(np.float32)) / reach

    def _ends(self, at_labelled: np.ndarray) -> np.ndarray:
        """Return the expected value at the end of walks, 0 for those that do not end."""
        first = self._to_labelled @ at_labelled
        expected = first.copy()
        for _ in range(N_STEPS):
            expected = self._to_unlabelled @ expected
            expected += first
        return expected


def spread_pairs(
    pairs: sp.csr_array,
    known: np.ndarray,
    graph: sp.csr_array,
    most: int,
    random_state: np.random.RandomState,
) -> tuple[np.ndarray, sp.csr_array]:
    """Return items, and all pairs with those that items without pairs adopt.

    Each of at most `most` items adopts pairs of the nearest item on the graph that has some, and
    is similar to it. They are pairs with known items, so that their number is linear in items.
    """
    items = np.flatnonzero(known)
    followers, followed = _nearest_known(graph, items)
    drawn = random_state.permutation(followers.size)[:most]
    followers, followed = followers[drawn], followed[drawn]
    at_known = sp.diags_array(known.astype(np.int8), dtype=np.int8)
    given = sp.csr_array(at_known @ pairs @ at_known)
    rows, columns, values = _few_per_row(given[followed], random_state)
    i = np.concatenate([followers[rows], followers])
    j = np.concatenate([columns, followed])
    y = np.concatenate([values, np.ones(followers.size, dtype=np.int8)])
    adopted = sp.csr_array((y, (i, j)), shape=given.shape)
    return np.concatenate([items, followers]), sp.csr_array(given + adopted + adopted.T)


def _nearest_known(graph: sp.csr_array, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the other items that the graph connects to a known one, and the nearest such."""
    lengths = graph.copy()
    lengths.data = 1 - np.log(lengths.data)  # every step counts, a long one more
    found = dijkstra(
        lengths, directed=False, indices=known, min_only=True, return_predecessors=True
    )
    distances, _, sources = found
    others = np.isfinite(distances)
    others[known] = False
    return np.flatnonzero(others), sources[others]


def _few_per_row(
    pairs: sp.csr_array, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, columns and values of at most 50 entries per row, drawn at random."""
    lengths = np.diff(pairs.indptr)
    rows = np.repeat(np.arange(lengths.size), lengths)
    order = np.lexsort((random_state.random_sample(rows.size), rows))
    place = np.arange(rows.size) - np.repeat(pairs.indptr[:-1], lengths)
    kept = order[place < MAX_PAIRS_PER_ITEM]
    return rows[kept], pairs.indices[kept], pairs.data[kept]
