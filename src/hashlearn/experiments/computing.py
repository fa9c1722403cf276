"""The work of a cell: fit, encode, measure."""

from __future__ import annotations

import platform
import time
import warnings
from dataclasses import asdict, replace
from importlib.metadata import version
from typing import Any

import numpy as np

from hashlearn.affinity import as_affinity
from hashlearn.base import BaseHasher
from hashlearn.experiments.building import build_hash_function, build_hasher
from hashlearn.experiments.cells import Cell
from hashlearn.experiments.measuring import measure_testing, measure_training
from hashlearn.experiments.protocol import Split
from hashlearn.experiments.selection import select_parameters
from hashlearn.experiments.sets import ExperimentSet
from hashlearn.experiments.step_one import infer_codes
from hashlearn.search import nearest_codes

PACKAGES = ("hashlearn", "numpy", "scipy", "scikit-learn", "numba")
N_EXAMPLES, N_NEIGHBOURS = 8, 30
N_SELECTION_BITS = 32
N_SELECTION_ANCHORS = 300  # with thousands the grid would take longer than the experiment
N_WARM_UP = 60


def compute(
    cell: Cell,
    data: ExperimentSet,
    split: Split,
    selection: dict[str, float] | None,
    n_jobs: int | None,
) -> dict[str, Any]:
    """Fit, encode, measure: return the record of a cell, ready for JSON."""
    hasher = build_hasher(cell, selection, n_jobs)
    seconds, queries, database = _run(hasher, data, split)
    return {
        "key": cell.key(data),
        "cell": asdict(cell) | {"fingerprint": data.fingerprint},
        "sizes": split.sizes,
        "selection": selection,
        "training": measure_training(hasher, split),
        **measure_testing(queries, database, split, cell.n_bits),
        "seconds": seconds,
        "n_encoded": len(queries) + len(database),
        "examples": _examples(queries, database, split),
        "versions": _versions(),
    }


def _run(
    hasher: BaseHasher, data: ExperimentSet, split: Split
) -> tuple[dict[str, float | None], np.ndarray, np.ndarray]:
    """Fit a hasher and encode queries and database, with the time of each."""
    training, queries, database = (
        data.X[rows] for rows in (split.training, split.queries, split.database)
    )
    supervision = split.supervision if hasher.supervised else {}
    begin = time.perf_counter()
    hasher.fit(training, **supervision)
    fitted = time.perf_counter()
    query_codes, database_codes = hasher.encode(queries), hasher.encode(database)
    encoded = time.perf_counter()
    inference = hasher.get_params(deep=False).get("inference")
    seconds = {
        "fit": fitted - begin,
        "step_one": getattr(inference, "seconds_", None),
        "encode": encoded - fitted,
    }
    return seconds, query_codes, database_codes


def choose(cell: Cell, data: ExperimentSet, split: Split, n_jobs: int | None) -> dict[str, float]:
    """Choose bandwidth and C for a cell's hash function, on training items and Step 1's codes."""
    X = data.X[split.training]
    affinity = as_affinity(split.supervision.get("affinity"), split.supervision.get("y"), X)
    codes = infer_codes(affinity, "bre", N_SELECTION_BITS, cell.seed)
    few_anchors = None if cell.n_anchors is None else min(cell.n_anchors, N_SELECTION_ANCHORS)
    function = build_hash_function(replace(cell, n_anchors=few_anchors), n_jobs)
    return select_parameters(function, X, codes, cell.seed, n_jobs)


def warm_up(
    cell: Cell, data: ExperimentSet, split: Split, selection: dict[str, float] | None
) -> None:
    """Fit and encode a few items, so that no timing holds the compilation of a loop."""
    hasher = build_hasher(cell, selection, n_jobs=None)
    few = np.arange(min(N_WARM_UP, split.training.size))
    X = data.X[split.training[few]]
    supervision = split.supervision if hasher.supervised else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few items make poor codes; nobody will see them
        hasher.fit(X, **{name: truth[few] for name, truth in supervision.items()}).encode(X)


def _examples(queries: np.ndarray, database: np.ndarray, split: Split) -> dict[str, Any]:
    """Return the first queries with their nearest, as rows of the data set."""
    n = min(N_EXAMPLES, len(queries))
    k = min(N_NEIGHBOURS, len(database))
    _, positions = nearest_codes(queries[:n], database, k)
    relevant = np.take_along_axis(split.relevance.block(0, n) > 0, positions, axis=1)
    return {
        "queries": split.queries[:n].tolist(),
        "neighbours": split.database[positions].tolist(),
        "wrong": (~relevant).tolist(),
    }


def _versions() -> dict[str, str]:
    return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
