"""Hamming search in plain NumPy, to compare with."""

import numpy as np

from hashlearn._numerics.ids import tie_keys


def distances_between(queries, codes):
    differ = np.unpackbits(queries[:, None, :] ^ codes[None, :, :], axis=2)
    return differ.sum(axis=2, dtype=np.int64)


def in_order(codes, ids, ties):
    """Return codes and ids in the order of ties."""
    order = np.argsort(tie_keys(ids)) if ties == "neutral" else slice(None)
    return codes[order], ids[order]


def nearest(queries, codes, ids, k, ties="neutral"):
    codes, ids = in_order(codes, ids, ties)
    distances = distances_between(queries, codes)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, order, axis=1), ids[order]


def within(queries, codes, ids, radius, ties="neutral"):
    codes, ids = in_order(codes, ids, ties)
    hits = []
    for row in distances_between(queries, codes):
        order = np.argsort(row, kind="stable")
        order = order[row[order] <= radius]
        hits.append((ids[order], row[order]))
    offsets = np.cumsum([0, *(found.size for found, _ in hits)])
    empty = np.empty(0, dtype=np.int64)
    return (
        offsets,
        np.concatenate([empty, *(found for found, _ in hits)]),
        np.concatenate([empty, *(row for _, row in hits)]),
    )


def random_codes(random, n, n_bits, n_distinct=None):
    """Return packed codes, that repeat if fewer are distinct."""
    codes = np.packbits(random.integers(0, 2, (n_distinct or n, n_bits)), axis=1)
    return codes if n_distinct is None else codes[random.integers(0, n_distinct, n)]
