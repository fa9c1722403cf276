"""Measures of a cell: training codes, and queries against the database."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn.base import BaseHasher
from hashlearn.experiments.protocol import Split
from hashlearn.metrics import (
    Evaluation,
    evaluate,
    mean_average_precision,
    precision_curve,
    precision_recall_curve,
    precision_within_radius,
)
from hashlearn.search import nearest_codes, pack_codes
from hashlearn.search.distances import Distance

K = 300
MAP_CUTOFF = 1000
RADIUS = 2
CURVE_KS = (1, 10, 50, *range(100, 1001, 100))
MOST_RADII = 256  # points of a curve; a distance with more radii is thinned out

N_EXAMPLES, N_NEIGHBOURS = 8, 30

# The meaning of records: a change of any gives other cells.
MEASURED = {
    "k": K,
    "map_cutoff": MAP_CUTOFF,
    "radius": RADIUS,
    "ks": CURVE_KS,
    "ties": "index",  # that of insertion; the word is part of earlier records
    "ties_of_whole_rankings": "expected",
    "examples": (N_EXAMPLES, N_NEIGHBOURS),
}


def measure_training(
    hasher: BaseHasher, split: Split, distance: Distance | None
) -> dict[str, float | None] | None:
    """Measure the training items' codes against themselves, each in its own ranking."""
    if split.training_relevance is None:
        return None
    codes = pack_codes(hasher.codes_)
    return _as_json(_evaluate(codes, codes, split.training_relevance, hasher.n_bits, distance))


def measure_testing(
    queries: np.ndarray,
    database: np.ndarray,
    split: Split,
    n_bits: int,
    distance: Distance | None,
) -> dict[str, Any]:
    """Measure the queries against the database: the paper's measures, and curves."""
    pairs = queries, database, split.relevance
    ks = [k for k in CURVE_KS if k <= len(database)]
    how: Any = {"n_bits": n_bits, "distance": distance}
    curve = precision_recall_curve(*pairs, **how)
    n_radii = len(curve.recall)
    shown = np.unique([*range(0, n_radii, -(-n_radii // MOST_RADII)), n_radii - 1])
    whole = mean_average_precision(*pairs, ties="expected", **how)
    testing = _as_json(_evaluate(*pairs, n_bits, distance))
    return {
        "testing": testing | {"full_mean_average_precision": _or_none(whole)},
        "curves": {
            "k": ks,
            "precision_at_k": _numbers(precision_curve(*pairs, ks, ties="insertion", **how)),
            "recall": _numbers(curve.recall[shown]),
            "precision": _numbers(curve.precision[shown]),
        },
    }


def find_examples(
    queries: np.ndarray,
    database: np.ndarray,
    split: Split,
    n_bits: int,
    distance: Distance | None,
) -> dict[str, Any]:
    """Return the first queries with their nearest items, as rows of the data set."""
    n = min(N_EXAMPLES, len(queries))
    k = min(N_NEIGHBOURS, len(database))
    _, positions = nearest_codes(
        queries[:n], database, k, distance, n_bits=n_bits, ties="insertion"
    )
    relevant = np.take_along_axis(split.relevance.block(0, n) > 0, positions, axis=1)
    return {
        "queries": split.queries[:n].tolist(),
        "neighbours": split.database[positions].tolist(),
        "wrong": (~relevant).tolist(),
    }


def _evaluate(
    queries: np.ndarray,
    database: np.ndarray,
    relevance: Any,
    n_bits: int,
    distance: Distance | None,
) -> Evaluation:
    found = evaluate(
        queries,
        database,
        relevance,
        k=K,
        map_cutoff=MAP_CUTOFF,
        radius=RADIUS,
        ties="insertion",
        n_bits=n_bits,
        distance=distance,
    )
    if distance is None:
        return found
    # A look-up in hash tables uses the Hamming distance, also if another distance ranks.
    looked_up = precision_within_radius(queries, database, relevance, RADIUS, n_bits=n_bits)
    return found._replace(
        precision_within_radius=looked_up.precision, empty_share=looked_up.empty_share
    )


def _as_json(evaluation: Evaluation) -> dict[str, float | None]:
    return {name: _or_none(value) for name, value in evaluation._asdict().items()}


def _numbers(values: np.ndarray) -> list[float | None]:
    return [_or_none(value) for value in values]


def _or_none(value: float) -> float | None:
    """Return a measure as JSON can hold it: None where it is not defined."""
    return float(value) if np.isfinite(value) else None
