"""Exact nearest codes by Hamming distance, or by another."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.search import scan
from hashlearn.search.distances import Distance, bits_of_distance
from hashlearn.search.distances import scan as distance_scan
from hashlearn.search.packing import as_words, check_packed

MAX_WIDE_BITS = 65_528  # distances are uint16, and one value beyond the largest stays free


def nearest_codes(
    queries: ArrayLike,
    database: ArrayLike,
    k: int,
    distance: Distance | None = None,
    *,
    n_bits: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Find the k codes of a database nearest to each query.

    Parameters
    ----------
    queries : array-like of shape (n_queries, width), uint8
        Packed codes.
    database : array-like of shape (n, width), uint8
        Packed codes.
    k : int
        Neighbours per query, at most n.
    distance : Distance, optional
        Another distance than Hamming's, such as a hasher's `distance_`.
    n_bits : int, optional
        Bits per code; what the distance has parameters for, or 8 * width, unless given.

    Returns
    -------
    distances : ndarray of shape (n_queries, k), int64 or float64
        Hamming distances, or those of `distance` in float64; increasing along each row.
    positions : ndarray of shape (n_queries, k), int64
        Where the neighbours stand in the database; equal distances in the order of position.

    Examples
    --------
    >>> database = np.array([[0b0000], [0b0111], [0b0001], [0b0010]], dtype=np.uint8)
    >>> distances, positions = nearest_codes(database[:1], database, k=3)
    >>> distances
    array([[0, 1, 1]])
    >>> positions
    array([[0, 2, 3]])
    """
    query_words, database_words = check_code_pair(
        queries, database, n_bits, names=("queries", "database")
    )
    check_k(k, database_words.shape[1])
    if distance is None:
        return scan.nearest(query_words.T, database_words, int(k))
    packed = check_packed(queries)
    n_bits = bits_of_distance(distance, packed.shape[1], n_bits)
    return distance_scan.nearest(distance, packed, database_words, int(k), n_bits)


def check_code_pair(
    queries: ArrayLike,
    database: ArrayLike,
    n_bits: int | None = None,
    names: tuple[str, str] = ("query_codes", "database_codes"),
) -> tuple[np.ndarray, np.ndarray]:
    """Check two arrays of packed codes of one length; return them as words for the kernels.

    Returns
    -------
    query_words, database_words : ndarray of shape (n_words, n), uint64
    """
    queries = check_packed(queries, n_bits, names[0])
    database = check_packed(database, n_bits, names[1])
    if queries.shape[1] != database.shape[1]:
        raise ValueError(
            f"{names[0]} is {queries.shape[1]} bytes wide and {names[1]} {database.shape[1]}: "
            "both take the same width."
        )
    if 8 * queries.shape[1] > MAX_WIDE_BITS:
        n_bits = 8 * queries.shape[1]
        raise ValueError(f"{names[0]} has {n_bits} bits: at most {MAX_WIDE_BITS} work.")
    return np.ascontiguousarray(as_words(queries).T), np.ascontiguousarray(as_words(database).T)


def check_k(k: int, n: int, name: str = "k") -> None:
    """Check that `k` of `n` items can be taken."""
    if not isinstance(k, Integral) or isinstance(k, bool):
        raise TypeError(f"{name}={k!r} is not an integer: it takes one from 1 to {n}.")
    if not 1 <= k <= n:
        raise ValueError(f"{name}={k} is out of range: with {n} items it takes 1 to {n}.")


def check_radius(radius: float, distance: Distance | None = None) -> None:
    """Check that `radius` is a Hamming distance, or one of `distance`."""
    kind, words = (Integral, "an integer") if distance is None else (Real, "a number")
    if not isinstance(radius, kind) or isinstance(radius, bool) or not radius >= 0:
        raise ValueError(f"radius={radius!r} is no distance: it takes {words} of at least 0.")
