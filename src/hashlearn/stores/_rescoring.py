"""The candidates of a store's search, ordered again by a rescoring."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from numbers import Real
from typing import Any

import numpy as np

from hashlearn.search.rescoring import Rescoring
from hashlearn.search.results import Neighbours

BLOCK_PAIRS = 1 << 17  # pairs of query and candidate at once


def check_rescoring(rescoring: Any, n_queries: int, n_bits: int) -> None:
    """Raise if `rescoring` is not a Rescoring, or does not fit a search."""
    if not isinstance(rescoring, Rescoring):
        raise TypeError(f"rescore must be a Rescoring, such as VectorRescoring; got {rescoring!r}.")
    rescoring.check(n_queries, n_bits)


def candidate_count(k: int, oversample: Any) -> int:
    """Return how many candidates a rescoring for k looks at."""
    if not isinstance(oversample, Real) or not 1 <= float(oversample) < np.inf:
        raise ValueError(f"oversample must be a number of at least 1; got {oversample!r}.")
    return ceil(round(k * float(oversample), 9))  # 10 * 1.1 is a little more than 11 in floats


def rescored(
    rescoring: Rescoring,
    candidates: Neighbours,
    is_there: np.ndarray,
    codes_of: Callable[[np.ndarray], np.ndarray],
    k: int,
) -> Neighbours:
    """Return the first k candidates by their scores; those that are not there score infinity."""
    ids = candidates.ids
    scores = np.full(ids.shape, np.inf)
    step = max(1, BLOCK_PAIRS // max(1, ids.shape[1]))
    for start in range(0, len(ids), step):
        queries, columns = np.nonzero(is_there[start : start + step])
        queries += start
        pairs = ids[queries, columns]
        codes = codes_of(pairs) if rescoring.needs_codes else None
        scores[queries, columns] = rescoring.scores(queries, pairs, codes)
    order = np.argsort(scores, axis=1, kind="stable")[:, :k]
    return Neighbours(
        np.take_along_axis(scores, order, axis=1), np.take_along_axis(ids, order, axis=1)
    )
