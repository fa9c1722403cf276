"""The work of a cell: fit, encode, measure."""

from __future__ import annotations

import platform
import time
import warnings
from dataclasses import asdict, replace
from importlib.metadata import version
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from hashlearn.affinity import as_affinity
from hashlearn.base import BaseHasher
from hashlearn.experiments import selection
from hashlearn.experiments.building import build_hash_function, build_hasher
from hashlearn.experiments.cells import Cell
from hashlearn.experiments.known_methods import OWN_DISTANCE
from hashlearn.experiments.measuring import find_examples, measure_testing, measure_training
from hashlearn.experiments.protocol import Split
from hashlearn.experiments.sets import ExperimentSet
from hashlearn.experiments.step_one import infer_codes

PACKAGES = ("hashlearn", "numpy", "scipy", "scikit-learn", "numba")
N_WARM_UP = 300
ENCODED_ROWS = 2**16


def compute(
    cell: Cell,
    data: ExperimentSet,
    split: Split,
    chosen: dict[str, float] | None,
    n_jobs: int | None,
) -> dict[str, Any]:
    """Fit, encode, measure: return the record of a cell, ready for JSON."""
    hasher: Any = build_hasher(cell, chosen, n_jobs)
    seconds, queries, database = _run(hasher, data, split)
    distance = hasher.distance_ if cell.method.endswith(OWN_DISTANCE) else None
    return {
        "key": cell.key(data),
        "cell": asdict(cell) | {"fingerprint": data.fingerprint},
        "sizes": split.sizes,
        "selection": chosen,
        "training": measure_training(hasher, split, distance),
        **measure_testing(queries, database, split, cell.n_bits, distance),
        "seconds": seconds,
        "n_encoded": len(queries) + len(database),
        "examples": find_examples(queries, database, split, cell.n_bits, distance),
        "versions": _versions(n_jobs),
    }


def _run(
    hasher: BaseHasher, data: ExperimentSet, split: Split
) -> tuple[dict[str, float | None], np.ndarray, np.ndarray]:
    """Fit a hasher and encode queries and database, with the time of each."""
    training = data.X[split.training]
    supervision = split.supervision if hasher.supervised else {}
    begin = time.perf_counter()
    hasher.fit(training, **supervision)
    fitted = time.perf_counter()
    queries, query_seconds = _encode(hasher, data.X, split.queries)
    database, database_seconds = _encode(hasher, data.X, split.database)
    inference = hasher.get_params(deep=False).get("inference")
    seconds = {
        "fit": fitted - begin,
        "step_one": getattr(inference, "seconds_", None),
        "encode": query_seconds + database_seconds,
    }
    return seconds, queries, database


def _encode(hasher: BaseHasher, X: Any, rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the codes of some rows, a block of a memory map at a time, and the encoding time."""
    packed, seconds = [], 0.0
    for start in range(0, rows.size, ENCODED_ROWS):
        block = X[rows[start : start + ENCODED_ROWS]]
        begin = time.perf_counter()
        packed.append(hasher.encode(block))
        seconds += time.perf_counter() - begin
    return np.concatenate(packed), seconds


def choose(cell: Cell, data: ExperimentSet, split: Split, n_jobs: int | None) -> dict[str, float]:
    """Choose bandwidth and C for a cell's hash function, on training items and Step 1's codes."""
    X = data.X[split.training]
    affinity = as_affinity(split.supervision.get("affinity"), split.supervision.get("y"), X)
    codes = infer_codes(affinity, "bre", selection.N_BITS, cell.seed)
    few_anchors = None if cell.n_anchors is None else min(cell.n_anchors, selection.MOST_ANCHORS)
    function = build_hash_function(replace(cell, n_anchors=few_anchors), n_jobs)
    return selection.select_parameters(function, X, codes, cell.seed, n_jobs)


def warm_up(cell: Cell, data: ExperimentSet, split: Split, chosen: dict[str, float] | None) -> None:
    """Fit and encode a few items, so that no timing holds the compilation of a loop."""
    hasher = build_hasher(cell, chosen, n_jobs=None)
    few = np.arange(min(N_WARM_UP, split.training.size))
    X = data.X[split.training[few]]
    supervision = split.supervision if hasher.supervised else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few items make poor codes; nobody will see them
        hasher.fit(X, **{name: truth[few] for name, truth in supervision.items()}).encode(X)


def _versions(n_jobs: int | None) -> dict[str, str]:
    """Return what a result, and its seconds, were made with."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "threads": str(effective_n_jobs(n_jobs)),
    }
