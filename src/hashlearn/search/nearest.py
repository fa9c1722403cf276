"""Exact nearest codes by Hamming or another distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_k, check_option
from hashlearn._numerics.ids import tie_keys
from hashlearn._numerics.tie_order import tie_order
from hashlearn._numerics.words import as_words, by_word, check_same_width, from_words
from hashlearn.search import _distance_scan, _float_scan, _scan
from hashlearn.search.float_queries import FloatQueries, as_float_queries
from hashlearn.search.packing import check_packed, joint_model
from hashlearn.search.results import TieOrder

if TYPE_CHECKING:
    from hashlearn.search.distances import Distance


def nearest_codes(
    queries: ArrayLike | FloatQueries,
    database: ArrayLike,
    k: int,
    distance: Distance | None = None,
    *,
    n_bits: int | None = None,
    ties: TieOrder = "neutral",
) -> tuple[np.ndarray, np.ndarray]:
    """Find the k codes of a database nearest to each query.

    Parameters
    ----------
    queries : array-like of shape (n_queries, width), uint8, or FloatQueries
        Packed codes; or queries that are not rounded to bits, as a hasher's `encode_queries`
        returns them, or an array of margins, (n_queries, n_bits) floats.
    database : array-like of shape (n, width), uint8
        Packed codes.
    k : int
        Neighbours per query, at most n.
    distance : Distance, optional
        A distance of packed codes other than Hamming's, such as a hasher's `distance_`.
    n_bits : int, optional
        Bits per code; by default those that the distance or float queries have, or 8 * width.
    ties : {"neutral", "insertion"}, default="neutral"
        The order of codes at equal distance: by a fixed mixing of their positions, as in a
        :class:`HammingIndex`, or by position.

    Returns
    -------
    distances : ndarray of shape (n_queries, k), int64 or float64
        Hamming distances, or those of `distance` or of float queries in float64; increasing
        along each row.
    positions : ndarray of shape (n_queries, k), int64
        Positions of the neighbours in the database; equal distances in the order of `ties`.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn import nearest_codes
    >>> database = np.array([[0b0000], [0b0111], [0b0001], [0b0010]], dtype=np.uint8)
    >>> distances, positions = nearest_codes(database[:1], database, k=3)
    >>> distances
    array([[0, 1, 1]])
    >>> positions
    array([[0, 2, 3]])
    """
    joint_model(queries=queries, database=database)
    floats = as_float_queries(queries)
    if floats is None:
        codes = check_packed(cast(ArrayLike, queries), n_bits, "queries")
    else:
        floats.check(n_bits, distance)
        codes, n_bits = floats.codes, floats.n_bits
    database = check_packed(database, n_bits, "database")
    check_same_width(codes, database)
    check_k(k, len(database))
    check_option("ties", ties, TieOrder)
    words, order = by_word(database), None
    if ties == "neutral":
        order = tie_order(tie_keys(np.arange(len(database))))
        words = np.take(words, order, axis=1)
    if floats is not None:
        terms = floats.terms
        levels = None if terms is None else terms.levels(from_words(words, floats.n_bits))
        distances, places = _float_scan.nearest(floats, words, levels, int(k))
    elif distance is None:
        distances, places = _scan.nearest(as_words(codes), words, int(k))
    else:
        from hashlearn.search.distances import check_distance

        n_bits = check_distance(distance, n_bits, width=codes.shape[1])
        distances, places = _distance_scan.nearest(distance, codes, words, int(k), n_bits)
    return distances, places if order is None else order[places]
