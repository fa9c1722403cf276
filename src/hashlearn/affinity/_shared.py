"""Groups of items with equal rows, and entries and sums that several affinities need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

PAIRS_REMEDY = "for pairs (i, j, y) use SparseAffinity.from_pairs(pairs, n_items)."


class Groups(NamedTuple):
    """Groups of exchangeable items: some optimum of Step 1 gives each group one code.

    Attributes
    ----------
    labels : ndarray of shape (n_items,)
        The group of every item.
    representatives : ndarray of shape (n_groups,)
        One item of every group; affinities between groups are those between these.
    inside : ndarray of shape (n_groups,)
        How many ordered pairs are defined (and similar) inside each group.
    """

    labels: np.ndarray
    representatives: np.ndarray
    inside: np.ndarray


def check_square(shape: tuple[int, ...], name: str) -> None:
    """Raise if a matrix is not square; `name` is the class that splits its columns, too."""
    if len(shape) == 2 and shape[0] == shape[1]:
        return
    problem = f"affinity must be square; got shape {shape}"
    if len(shape) == 2 and shape[1] in (2, 3):
        raise ValueError(f"{problem}: {PAIRS_REMEDY}")
    raise ValueError(
        f"{problem}: if cross-validation split its rows alone, pass it as {name}(affinity)."
    )


def groups_from_keys(keys: Sequence[Any] | np.ndarray, alone: np.ndarray | None = None) -> Groups:
    """Group items with equal keys; all pairs inside a group are similar.

    Keys are an array, or a sequence of hashable values. Items marked in `alone` are not grouped.
    """
    labels = _first_occurrence(keys)
    if alone is not None:
        labels = np.where(alone, np.arange(labels.size), labels)
    representatives, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return Groups(labels, representatives, sizes * (sizes - 1))


def _first_occurrence(keys: Sequence[Any] | np.ndarray) -> np.ndarray:
    """Return for every item the position of the first item with the same key."""
    if isinstance(keys, np.ndarray):
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        return first[which]
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(key, i) for i, key in enumerate(keys)], dtype=np.int64)


def exchangeable_rows(n_items: int, key: Callable[[int, int], bytes]) -> Groups:
    """Group items by equal rows of Y, read with +1 and then with 0 on the diagonal.

    Equal rows with diagonal +1 mean: the same affinity to all others, and +1 inside. Items that
    are alone then are grouped with diagonal 0: the same, and undefined inside. `key(i, y)` is
    row i as bytes, with y on the diagonal.
    """
    similar = groups_from_keys([key(i, 1) for i in range(n_items)])
    alone = np.bincount(similar.labels)[similar.labels] == 1
    keys = [key(i, 0) if alone[i] else int(similar.labels[i]) for i in range(n_items)]
    groups = groups_from_keys(keys)
    undefined = alone[groups.representatives]
    return groups._replace(inside=np.where(undefined, 0, groups.inside))


def zero_diagonal(block: np.ndarray, rows: np.ndarray | slice) -> np.ndarray:
    """Set the diagonal entries that lie in a block of full rows to 0, in place."""
    items = np.arange(block.shape[1])[rows]
    block[np.arange(items.size), items] = 0
    return block


def sums_by_group(V: np.ndarray, labels: np.ndarray, n_groups: int) -> np.ndarray:
    """Sum the rows of V (or the entries of a vector) by group."""
    if V.ndim == 1:
        return np.bincount(labels, weights=V, minlength=n_groups)
    return np.stack([np.bincount(labels, weights=v, minlength=n_groups) for v in V.T], axis=1)


def entries_at(matrix: Any, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Return entries of a sparse matrix as an array, 0 where none is stored."""
    picked = matrix[np.ravel(i), np.ravel(j)]
    dense = picked.toarray() if sp.issparse(picked) else np.asarray(picked)
    return dense.reshape(np.shape(i))


def membership(groups: np.ndarray, n_groups: int) -> sp.csr_array:
    """Return the 0/1 matrix of int8 that has one row per item and one column per group."""
    ones, starts = np.ones(groups.size, dtype=np.int8), np.arange(groups.size + 1)
    return sp.csr_array((ones, groups, starts), shape=(groups.size, n_groups))
