"""Nearest neighbours of items among themselves: exact up to 50,000 items, approximate above.

Exact search compares all pairs, in blocks of bounded memory. Approximate search is pynndescent's:
random projection trees give first neighbours, and neighbours of neighbours improve them.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, redirect_stdout
from typing import Any

import numba
import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from hashlearn.files.checkpoint import remember

MAX_EXACT_ITEMS = 50_000  # about a minute on two cores at 784 features; the time is quadratic
SEARCHES = ("auto", "exact", "approximate")
# Chosen on GIST features of 60,000 images, the hardest of the sets in benchmarks/neighbors.py: of
# 15 neighbours they find 0.98 in the mean, pynndescent's own defaults 0.87.
MIN_LIST = 32  # neighbours kept per item while searching, even if fewer are asked for
MAX_CANDIDATES = 32  # neighbours of neighbours that an item looks at in a pass


def nearest_graph(
    X: Any,
    n_neighbors: int,
    *,
    search: str = "auto",
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> sp.csr_array:
    """Return the directed graph from every item to its nearest others.

    Parameters
    ----------
    X : ndarray or csr matrix of shape (n_items, n_features)
        The items; copied whole, as float32, if they are neither float32 nor float64.
    n_neighbors : int
        The number of neighbours of each item, at most n_items - 1.
    search : {"auto", "exact", "approximate"}, default="auto"
        See `NeighborAffinity.from_data`.
    random_state : int, RandomState or None, default=0
        Seed of the approximate search.
    n_jobs : int, default=None
        Threads for the exact search.
    verbose : int, default=0
        If above 0, the approximate search shows its progress.

    Returns
    -------
    graph : csr_array of bool, of shape (n_items, n_items)
        Row i is True at the nearest neighbours of item i.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.affinity import nearest_graph
    >>> X = np.array([[0.0], [1.0], [5.0], [7.0]])
    >>> nearest_graph(X, 1).indices.tolist()
    [1, 0, 3, 2]
    """
    if search not in SEARCHES:
        raise ValueError(f"search must be one of {', '.join(map(repr, SEARCHES))}; got {search!r}.")
    exact = search == "exact" or (search == "auto" and X.shape[0] <= MAX_EXACT_ITEMS)
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float32)  # for other types scikit-learn would hold blocks in float64

    def lists() -> np.ndarray:
        if exact:
            nearest = NearestNeighbors(n_neighbors=n_neighbors, algorithm="brute", n_jobs=n_jobs)
            return nearest.fit(X).kneighbors(return_distance=False)
        return _approximate(X, n_neighbors, random_state, verbose)

    return _as_graph(*remember("neighbours", lambda: _without_gaps(lists())))


def _approximate(X: Any, n_neighbors: int, random_state: Any, verbose: int) -> np.ndarray:
    """Return each item's nearest others that pynndescent finds, -1 where it finds too few."""
    descent = _pynndescent(X.shape[0])
    n_listed = min(max(n_neighbors + 1, MIN_LIST), X.shape[0])
    n_threads = numba.get_num_threads()
    with ExitStack() as stack:
        stack.callback(numba.set_num_threads, n_threads)  # an error leaves it at n_jobs
        if verbose:  # progress goes to standard error here
            stack.enter_context(redirect_stdout(sys.stderr))
        found = descent.NNDescent(
            _as_float32(X),
            n_neighbors=n_listed,
            max_candidates=MAX_CANDIDATES,
            random_state=random_state,
            n_jobs=1,  # its random numbers depend on the number of threads
            verbose=bool(verbose),
        )
    return _without_themselves(found.neighbor_graph[0], n_neighbors)


def _pynndescent(n_items: int) -> Any:
    try:
        import pynndescent
    except ImportError as error:
        raise ImportError(
            f"Approximate neighbours among {n_items} items need pynndescent: pip install "
            "'hashlearn[graph]'. NeighborAffinity.from_data(X, search='exact') does without; its "
            "time grows with the square of the items."
        ) from error
    return pynndescent


def _as_float32(X: Any) -> Any:
    """Return X as the float32 that pynndescent works on; X itself, not a copy, if it is that."""
    if sp.issparse(X):
        return X if X.has_sorted_indices else X.sorted_indices()  # it would sort X in place
    if X.dtype != np.float64:
        return X
    centred = np.empty(X.shape, dtype=np.float32)  # far from 0 float32 would lose the differences
    return np.subtract(X, X.mean(axis=0), out=centred, casting="same_kind")


def _without_themselves(lists: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Return the first neighbours of each item other than itself, which its list may hold."""
    n_items = lists.shape[0]
    itself = lists == np.arange(n_items)[:, None]
    # each list is one too long: its own item is dropped, or the last if that is not listed
    itself[:, -1] |= ~itself.any(axis=1)
    return lists[~itself].reshape(n_items, -1)[:, :n_neighbors]


def _without_gaps(lists: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return neighbour lists as the row starts and columns of a CSR matrix; -1 is none."""
    lists.sort(axis=1)
    found = lists >= 0
    starts = np.zeros(lists.shape[0] + 1, dtype=index_dtype(lists.size))
    np.cumsum(found.sum(axis=1), out=starts[1:])
    return starts, lists[found].astype(starts.dtype, copy=False)


def _as_graph(starts: np.ndarray, neighbors: np.ndarray) -> sp.csr_array:
    n_items, ones = starts.size - 1, np.ones(neighbors.size, dtype=bool)
    return sp.csr_array((ones, neighbors, starts), shape=(n_items, n_items))


def index_dtype(n_entries: int) -> type[np.signedinteger[Any]]:
    """Return the smallest type of positions in a sparse matrix with this number of entries."""
    return np.int32 if n_entries <= np.iinfo(np.int32).max else np.int64
