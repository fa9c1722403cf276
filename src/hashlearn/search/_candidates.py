"""Candidates of a Hamming search, ordered again by a rescoring."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from numbers import Real
from typing import Any

import numpy as np

from hashlearn.search.rescoring import Rescoring

BLOCK_PAIRS = 1 << 17  # pairs of query and candidate at once: 64 MiB of codes at 4,096 bits


def check_rescoring(rescoring: Any, n_queries: int, n_bits: int) -> None:
    """Raise if `rescoring` is not a Rescoring, or does not fit a search."""
    if not isinstance(rescoring, Rescoring):
        raise TypeError(f"rescore must be a Rescoring, such as VectorRescoring; got {rescoring!r}.")
    rescoring.check(n_queries, n_bits)


def candidate_count(k: int, oversample: float, n: int) -> int:
    """Return how many of n items a search for k looks at twice."""
    if not isinstance(oversample, Real) or not float(oversample) >= 1:
        raise ValueError(f"oversample must be a number of at least 1; got {oversample!r}.")
    wanted = round(k * float(oversample), 9)  # 10 * 1.1 is a little more than 11 in floats
    return n if wanted >= n else ceil(wanted)


def rescore_candidates(
    rescoring: Rescoring,
    positions: np.ndarray,
    ids_of: Callable[[np.ndarray], np.ndarray],
    codes_of: Callable[[np.ndarray], np.ndarray],
    k: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Order candidates, (n_queries, n_candidates), by their scores and keep the first k.

    Position -1 means no candidate: its score is infinite and its id -1.
    """
    n_queries, n_candidates = positions.shape
    scores = np.full(positions.shape, np.inf)
    step = max(1, BLOCK_PAIRS // max(1, n_candidates))
    for start in range(0, n_queries, step):  # one after the other: a callable may not be shared
        queries, columns = np.nonzero(positions[start : start + step] >= 0)
        queries += start
        places = positions[queries, columns]
        codes = codes_of(places) if rescoring.needs_codes else None
        scores[queries, columns] = rescoring.scores(queries, ids_of(places), codes)
    order = np.argsort(scores, axis=1, kind="stable")[:, :k]
    positions = np.take_along_axis(positions, order, axis=1)
    return np.take_along_axis(scores, order, axis=1), ids_of(positions)
