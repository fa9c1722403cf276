"""Runs of cells: fit, encode, measure, and store each record as soon as it is finished."""

from __future__ import annotations

import platform
import time
import warnings
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from hashlearn.affinity import as_affinity
from hashlearn.base import BaseHasher
from hashlearn.experiments import selection
from hashlearn.experiments.building import build_hash_function, build_hasher
from hashlearn.experiments.cells import Cell, CellStore
from hashlearn.experiments.classifier_codes import infer_codes
from hashlearn.experiments.known_methods import OWN_DISTANCE
from hashlearn.experiments.measuring import find_examples, measure_testing, measure_training
from hashlearn.experiments.protocol import Split, draw_split
from hashlearn.experiments.sets import ExperimentSet

PACKAGES = ("hashlearn", "numpy", "scipy", "scikit-learn", "numba")
N_WARM_UP = 300
ENCODED_ROWS = 2**16


class Runner:
    """Computes cells, and remembers what neighbouring cells share.

    Parameters
    ----------
    sets : dict of str to ExperimentSet
        The data, by name.
    store : CellStore
        Holds the finished cells.
    n_jobs : int or None
        Threads of a fit.
    """

    def __init__(
        self, sets: Mapping[str, ExperimentSet], store: CellStore, n_jobs: int | None = None
    ) -> None:
        self.sets, self.store, self.n_jobs = sets, store, n_jobs
        self._split = lru_cache(maxsize=1)(self._draw)  # one at a time: relevance may be large
        self._warm: set[tuple[str, str | None]] = set()

    def finished(self, cell: Cell) -> dict[str, Any] | None:
        """Return the record of a cell, if it has been computed."""
        record = self.store.get(cell.key(self.sets[cell.dataset]))
        if record is None or "cell" not in record:
            return None
        record["cell"]["dataset"] = cell.dataset  # the same data may have had another name
        return record

    def compute(self, cell: Cell) -> None:
        """Compute a cell, and store its record."""
        self.store.put(cell.key(self.sets[cell.dataset]), self._record(cell))

    def _record(self, cell: Cell) -> dict[str, Any]:
        data, split = self.sets[cell.dataset], self._split(*cell.split_name, cell.sizes)
        chosen = self._select(cell, split) if cell.hash_function else None
        if (cell.method, cell.hash_function) not in self._warm:
            _warm_up(cell, data, split, chosen)
            self._warm.add((cell.method, cell.hash_function))
        return compute(cell, data, split, chosen, self.n_jobs)

    def _select(self, cell: Cell, split: Split) -> dict[str, float]:
        """Return the parameters of a cell's hash function, chosen once for all that share it."""
        data = self.sets[cell.dataset]
        key = cell.selection_key(data)
        known = self.store.get(key)
        if known is None or "chosen" not in known:
            known = {"key": key, "chosen": choose(cell, data, split, self.n_jobs)}
            self.store.put(key, known)
        return known["chosen"]

    def _draw(self, dataset: str, protocol: str, seed: int, sizes: Any) -> Split:
        return draw_split(self.sets[dataset], protocol, sizes, seed)


def compute(
    cell: Cell,
    data: ExperimentSet,
    split: Split,
    chosen: dict[str, float] | None,
    n_jobs: int | None,
) -> dict[str, Any]:
    """Fit, encode, measure: return the record of a cell, ready for JSON."""
    hasher: Any = build_hasher(cell, chosen, n_jobs)
    seconds, queries, database = _fit_and_encode(hasher, data, split)
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


def choose(cell: Cell, data: ExperimentSet, split: Split, n_jobs: int | None) -> dict[str, float]:
    """Choose bandwidth and C for a cell's hash function, on training items and Step 1's codes."""
    X = data.X[split.training]
    affinity = as_affinity(split.supervision.get("affinity"), split.supervision.get("y"), X)
    codes = infer_codes(affinity, "bre", selection.N_BITS, cell.seed)
    few_anchors = None if cell.n_anchors is None else min(cell.n_anchors, selection.MOST_ANCHORS)
    function = build_hash_function(replace(cell, n_anchors=few_anchors), n_jobs)
    return selection.select_parameters(function, X, codes, cell.seed, n_jobs)


def _fit_and_encode(
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


def _warm_up(
    cell: Cell, data: ExperimentSet, split: Split, chosen: dict[str, float] | None
) -> None:
    """Fit and encode a few items, so that no measured time includes compilation."""
    hasher = build_hasher(cell, chosen, n_jobs=None)
    few = np.arange(min(N_WARM_UP, split.training.size))
    X = data.X[split.training[few]]
    supervision = split.supervision if hasher.supervised else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few items give poor codes, which are not used
        hasher.fit(X, **{name: truth[few] for name, truth in supervision.items()}).encode(X)


def _versions(n_jobs: int | None) -> dict[str, str]:
    """Return the versions and the number of threads behind a result and its seconds."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "threads": str(effective_n_jobs(n_jobs)),
    }
