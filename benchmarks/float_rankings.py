"""Average precision and precision at 10 of rankings by any distances, ties in expectation."""

import numpy as np

K = 10
_MOST_CELLS = 10_000_000  # of a block of distances


def measures(distances, labels, y, groups=None):
    """Return the mean average precision of whole rankings, and the mean precision at 10.

    ``distances(queries)`` returns the distances of a slice of the queries to all groups of items:
    items of one group are tied. Without `groups`, one per item, every item is one.
    """
    groups = np.arange(y.size) if groups is None else groups
    classes, y = np.unique(y, return_inverse=True)
    sizes = np.bincount(groups)
    relevant = np.zeros((classes.size, sizes.size), dtype=np.int32)
    np.add.at(relevant, (y, groups), 1)
    of_query = np.searchsorted(classes, labels)
    harmonic = np.append(0, np.cumsum(1 / np.arange(1, y.size + 1)))
    step = max(1, _MOST_CELLS // sizes.size)
    found = [
        _of_block(distances(queries), sizes, relevant[of_query[queries]], harmonic)
        for queries in (slice(i, i + step) for i in range(0, labels.size, step))
    ]
    return tuple(np.concatenate(values).mean() for values in zip(*found, strict=True))


def _of_block(distances, sizes, relevant, harmonic):
    order = np.argsort(distances, axis=1, kind="stable")
    n, r = sizes[order], np.take_along_axis(relevant, order, axis=1)
    before, found = np.cumsum(n, axis=1) - n, np.cumsum(r, axis=1) - r
    # the j-th of n tied items is relevant with probability r / n; then (j - 1)(r - 1) / (n - 1)
    # of the tied items before it are expected to be relevant too
    slope = (r - 1) / np.maximum(n - 1, 1)
    tied = (found + 1 - slope * (before + 1)) * (harmonic[before + n] - harmonic[before])
    average = (r / n * (tied + slope * n)).sum(axis=1) / relevant.sum(axis=1)
    first = (r / n * np.clip(K - before, 0, n)).sum(axis=1) / K
    return average, first
