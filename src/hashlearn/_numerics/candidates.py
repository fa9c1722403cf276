"""Candidates of a search, in an index or a store, ordered again by a rescoring."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, inf
from numbers import Real
from typing import Any

import numpy as np

BLOCK_PAIRS = 1 << 17  # pairs of query and candidate at once: 64 MiB of codes at 4,096 bits


def check_rescoring(rescoring: Any, n_queries: int, n_bits: int) -> None:
    """Raise if `rescoring` is not a Rescoring, or does not fit a search."""
    if not callable(getattr(rescoring, "scores", None)):
        raise TypeError(f"rescore must be a Rescoring, such as VectorRescoring; got {rescoring!r}.")
    rescoring.check(n_queries, n_bits)


def candidate_count(k: int, oversample: Any, n: int | None = None) -> int:
    """Return how many of n items a search for k looks at twice; all only if n is known."""
    is_number = isinstance(oversample, Real) and float(oversample) >= 1
    if not is_number or (n is None and float(oversample) == inf):
        raise ValueError(f"oversample must be a number of at least 1; got {oversample!r}.")
    wanted = round(k * float(oversample), 9)  # 10 * 1.1 is a little more than 11 in floats
    return n if n is not None and wanted >= n else ceil(wanted)


def rescore_candidates(
    rescoring: Any,
    places: np.ndarray,
    is_there: np.ndarray,
    ids_of: Callable[[np.ndarray], np.ndarray],
    codes_of: Callable[[np.ndarray], np.ndarray],
    k: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Order candidates by their scores; return scores and ids of the first k.

    Candidates are given by what their ids and codes are found by, (n_queries, n_candidates). The
    score of one that is not there is infinite.
    """
    n_queries, n_candidates = places.shape
    scores = np.full(places.shape, np.inf)
    step = max(1, BLOCK_PAIRS // max(1, n_candidates))
    for start in range(0, n_queries, step):  # one after the other: a callable may not be shared
        queries, columns = np.nonzero(is_there[start : start + step])
        queries += start
        pairs = places[queries, columns]
        codes = codes_of(pairs) if rescoring.needs_codes else None
        scores[queries, columns] = rescoring.scores(queries, ids_of(pairs), codes)
    order = np.argsort(scores, axis=1, kind="stable")[:, :k]
    places = np.take_along_axis(places, order, axis=1)
    return np.take_along_axis(scores, order, axis=1), ids_of(places)
