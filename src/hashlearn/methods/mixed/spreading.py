"""Labels spread over a graph of neighbours, from the items that have some to the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import paired_euclidean_distances

from hashlearn.affinity.neighbor_search import nearest_graph

N_NEIGHBORS = 10
SURVIVAL = 0.99  # of a walk, at each step: near labels count more than far ones
N_STEPS = 50
_BLOCK_PAIRS = 2**14  # distances computed at a time
_BLOCK_ENTRIES = 2**26  # scores of items held at a time


def neighbor_weights(X: Any, *, n_jobs: int | None = None, verbose: int = 0) -> sp.csr_array:
    r"""Return a symmetric graph of near items, weighted by how near they are.

    Items are joined if either is among the 10 nearest of the other, with the weight
    :math:`\exp(-\|x_i - x_j\|^2 / (s_i s_j))`, :math:`s_i^2` the mean squared distance of i
    to its nearest [1]_.

    References
    ----------
    .. [1] Zelnik-Manor and Perona, "Self-Tuning Spectral Clustering", NIPS 2004.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> neighbor_weights(X).toarray().round(2)[0]
    array([0.  , 0.96, 0.84, 0.15])
    """
    n_neighbors = min(N_NEIGHBORS, X.shape[0] - 1)
    near = nearest_graph(
        X,
        n_neighbors,
        search="auto",
        random_state=0,
        n_jobs=n_jobs,
        verbose=verbose,
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


class Spreading:
    """Walks from unlabelled items over a graph that end at labelled ones.

    Parameters
    ----------
    graph : csr_array of shape (n_items, n_items)
        Symmetric, weights of joined items.
    known : ndarray of bool, of shape (n_items,)
        Which items are labelled.

    Attributes
    ----------
    reach : ndarray of shape (n_unlabelled,)
        How likely a walk ends at a labelled item, and not on its way; 0 where it cannot.
    """

    def __init__(self, graph: sp.csr_array, known: np.ndarray) -> None:
        degree = np.maximum(graph.sum(axis=1), np.finfo(np.float64).tiny)
        steps = sp.csr_array(sp.diags_array(SURVIVAL / degree[~known]) @ graph[~known])
        self._to_unlabelled = steps[:, ~known].astype(np.float32)
        self._to_labelled = steps[:, known].astype(np.float32)
        self.reach = self._ends(np.ones((int(known.sum()), 1), dtype=np.float32)).ravel()

    def shares(self, labels: sp.csr_array) -> Iterator[np.ndarray]:
        """Yield, some labels at a time, the share of each among the labels that walks end at.

        Parameters
        ----------
        labels : csr_array of shape (n_labelled, n_labels)
            Which labels the labelled items have.

        Yields
        ------
        shares : ndarray of shape (n_unlabelled, n_columns)
            0 for items that no walk leaves.
        """
        reach = np.maximum(self.reach, np.finfo(np.float32).tiny)[:, None]
        n_columns = max(1, _BLOCK_ENTRIES // max(self.reach.size, labels.shape[0]))
        for start in range(0, labels.shape[1], n_columns):
            columns = slice(start, start + n_columns)
            yield self._ends(labels[:, columns].toarray().astype(np.float32)) / reach

    def _ends(self, at_labelled: np.ndarray) -> np.ndarray:
        """Return the expected value where walks end, 0 for those that do not."""
        first = self._to_labelled @ at_labelled
        expected = first.copy()
        for _ in range(N_STEPS):
            expected = self._to_unlabelled @ expected
            expected += first
        return expected
