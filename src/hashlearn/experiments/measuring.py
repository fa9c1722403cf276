"""Measures of a cell: training codes, and queries against the database."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hashlearn.base import BaseHasher
from hashlearn.experiments.protocol import Split
from hashlearn.metrics import (
    Evaluation,
    PrecisionRecallCurve,
    Relevance,
    count_rankings,
    evaluate,
    mean_average_precision,
    ndcg,
    precision_curve,
    precision_recall_curve,
    precision_within_radius,
)
from hashlearn.search import FloatQueries, nearest_codes, pack_codes
from hashlearn.search.distances import Distance

K = 300
MAP_CUTOFF = 1000
RADIUS = 2
NDCG_CUTOFF = 1000
CURVE_KS = (1, 10, 50, *range(100, 1001, 100))
MOST_RADII = 256  # points of a curve; a distance with more radii is thinned out

N_EXAMPLES, N_NEIGHBOURS = 8, 30

# The meaning of records: a change of any gives other cells.
MEASURED = {
    "k": K,
    "map_cutoff": MAP_CUTOFF,
    "radius": RADIUS,
    "ndcg_cutoff": NDCG_CUTOFF,
    "ks": CURVE_KS,
    "ties": "index",  # that of insertion; the word is part of earlier records
    "ties_of_whole_rankings": "expected",
    "examples": (N_EXAMPLES, N_NEIGHBOURS),
}

_CUTOFFS: dict[str, Any] = {
    "k": K,
    "map_cutoff": MAP_CUTOFF,
    "radius": RADIUS,
    "ties": "insertion",
}


class Codes(NamedTuple):
    """Codes of queries and database, and what ranks them if that is not the Hamming distance."""

    queries: np.ndarray
    database: np.ndarray
    n_bits: int
    distance: Distance | None = None  # the method's own
    floats: FloatQueries | None = None  # the queries, not rounded to bits

    @property
    def by_hamming(self) -> bool:
        """Whether the Hamming distance ranks."""
        return self.distance is None and self.floats is None

    @property
    def ranked(self) -> tuple[Any, np.ndarray]:
        """What measures and searches rank: the queries, as codes or floats, and the database."""
        return (self.queries if self.floats is None else self.floats), self.database

    @property
    def how(self) -> dict[str, Any]:
        """The arguments of measures besides what is ranked."""
        return {"n_bits": self.n_bits, "distance": self.distance}


def measure_training(
    hasher: BaseHasher, split: Split, distance: Distance | None
) -> dict[str, float | None] | None:
    """Measure the training items' codes against themselves, each in its own ranking."""
    if split.training_relevance is None:
        return None
    packed = pack_codes(hasher.codes_)
    codes = Codes(packed, packed, hasher.n_bits, distance)
    grades = split.training_relevance if split.graded else None
    return _measures(codes, _measured(codes, split.training_relevance), grades)


def measure_testing(codes: Codes, split: Split) -> dict[str, Any]:
    """Measure the queries against the database: the paper's measures, further ones, and curves."""
    found = _measured(codes, split.relevance)
    n_radii = len(found.curve.recall)
    shown = np.unique([*range(0, n_radii, -(-n_radii // MOST_RADII)), n_radii - 1])
    return {
        "testing": _measures(codes, found, split.relevance if split.graded else None),
        "curves": {
            "k": list(found.precision_at_k),
            "precision_at_k": [_or_none(value) for value in found.precision_at_k.values()],
            "recall": _numbers(found.curve.recall[shown]),
            "precision": _numbers(found.curve.precision[shown]),
        },
    }


def find_examples(codes: Codes, split: Split) -> dict[str, Any]:
    """Return the first queries with their nearest items, as rows of the data set."""
    n = min(N_EXAMPLES, len(codes.queries))
    k = min(N_NEIGHBOURS, len(codes.database))
    queries, database = codes.ranked
    _, positions = nearest_codes(
        queries[:n], database, k, codes.distance, n_bits=codes.n_bits, ties="insertion"
    )
    relevant = np.take_along_axis(split.relevance.block(0, n) > 0, positions, axis=1)
    return {
        "queries": split.queries[:n].tolist(),
        "neighbours": split.database[positions].tolist(),
        "wrong": (~relevant).tolist(),
    }


class _Measured(NamedTuple):
    """What is measured of one set of rankings."""

    evaluation: Evaluation
    whole: float  # mean average precision of whole rankings
    curve: PrecisionRecallCurve
    precision_at_k: dict[int, float]


def _measured(codes: Codes, relevance: Relevance) -> _Measured:
    ks = [k for k in CURVE_KS if k <= len(codes.database)]
    return (_by_hamming if codes.by_hamming else _by_real_distance)(codes, relevance, ks)


def _by_hamming(codes: Codes, relevance: Relevance, ks: list[int]) -> _Measured:
    """Measure everything from one pass over the pairs, which takes most of the time."""
    n_first = max(K, MAP_CUTOFF, *CURVE_KS)
    counts = count_rankings(
        *codes.ranked, relevance, n_first=n_first, ties="insertion", n_bits=codes.n_bits
    )
    assert counts.first is not None  # kept for these ties
    hits = np.cumsum(counts.first, axis=1)
    return _Measured(
        Evaluation.from_counts(counts, **_CUTOFFS),
        _mean(counts.average_precision()),
        PrecisionRecallCurve.from_counts(counts),
        {k: hits[:, k - 1].mean() / k for k in ks},
    )


def _by_real_distance(codes: Codes, relevance: Relevance, ks: list[int]) -> _Measured:
    pairs = *codes.ranked, relevance
    radius = RADIUS if codes.floats is None else None  # float queries have other radii
    how: dict[str, Any] = _CUTOFFS | {"radius": radius} | codes.how
    # A look-up in hash tables uses the Hamming distance, also if another distance ranks.
    looked_up = precision_within_radius(
        codes.queries, codes.database, relevance, RADIUS, n_bits=codes.n_bits
    )
    precisions = precision_curve(*pairs, ks, ties="insertion", **codes.how)
    return _Measured(
        evaluate(*pairs, **how)._replace(
            precision_within_radius=looked_up.precision, empty_share=looked_up.empty_share
        ),
        mean_average_precision(*pairs, ties="expected", **codes.how),
        precision_recall_curve(*pairs, **codes.how),
        dict(zip(ks, precisions, strict=True)),
    )


def _measures(codes: Codes, found: _Measured, grades: Relevance | None) -> dict[str, float | None]:
    """Return the measures of a record; nDCG where relevance is graded."""
    values = found.evaluation._asdict() | {
        "full_mean_average_precision": found.whole,
        "precision_at_10": found.precision_at_k.get(10, np.nan),
    }
    if grades is not None:
        k = min(NDCG_CUTOFF, len(codes.database))
        values["ndcg"] = _mean(ndcg(*codes.ranked, grades, k=k, ties="insertion", **codes.how))
    return {name: _or_none(value) for name, value in values.items()}


def _mean(values: np.ndarray) -> float:
    """Return the mean over the queries that have a value."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else np.nan


def _numbers(values: np.ndarray) -> list[float | None]:
    return [_or_none(value) for value in values]


def _or_none(value: float) -> float | None:
    """Return a measure as JSON can hold it: None where it is not defined."""
    return float(value) if np.isfinite(value) else None
