"""Runs of cells: fit, encode, measure, and store each record as soon as it is finished."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone

from hashlearn._numerics.blas import one_blas_thread
from hashlearn._report.versions import package_versions
from hashlearn.affinity import as_affinity
from hashlearn.base import BaseHasher
from hashlearn.experiments import selection
from hashlearn.experiments.cells import Cell
from hashlearn.experiments.classifier_codes import ClassifierCodes, infer_codes
from hashlearn.experiments.known_methods import REFERENCE
from hashlearn.experiments.measuring import Codes, find_examples, measure_testing, measure_training
from hashlearn.experiments.protocol import Split, draw_split
from hashlearn.experiments.sets import ExperimentSet
from hashlearn.experiments.variants import (
    FLOAT_QUERIES,
    OWN_DISTANCE,
    library_method,
    parameters_of,
)
from hashlearn.files import RecordStore
from hashlearn.hash_functions import HashFunction, as_hash_function
from hashlearn.inference import Inference, StepOne, as_inference
from hashlearn.losses import as_loss
from hashlearn.methods import make_hasher

N_WARM_UP = 300
ENCODED_ROWS = 2**16


class Runner:
    """Computes cells of data sets by name into a store, and caches what cells share."""

    def __init__(
        self, sets: Mapping[str, ExperimentSet], store: RecordStore, n_jobs: int | None = None
    ) -> None:
        self.sets, self.store, self.n_jobs = sets, store, n_jobs
        self._split = lru_cache(maxsize=1)(self._draw)  # only one: relevance may be large
        self._warm: set[tuple[str, str | None]] = set()

    def finished(self, cell: Cell) -> dict[str, Any] | None:
        """Return the record of a cell, if it has been computed."""
        record = self.store.get(cell.key(self.sets[cell.dataset]))
        if record is None or "cell" not in record:
            return None
        record["cell"]["dataset"] = cell.dataset  # the same data may have had another name
        return record

    def compute(self, cell: Cell) -> None:
        """Compute a cell, and store its record.

        The matrix library has one thread: with more, methods of many small products take twenty
        times as long beside another process. Methods have the threads of `n_jobs`.
        """
        with one_blas_thread():
            record = self._record(cell)
        self.store.put(cell.key(self.sets[cell.dataset]), record)

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
    codes = Codes(queries, database, cell.n_bits)
    training = None
    if cell.method.endswith(FLOAT_QUERIES):  # the codes of training items are not queries
        codes = codes._replace(floats=hasher.encode_queries(data.X[split.queries]))
    else:
        if cell.method.endswith(OWN_DISTANCE):
            codes = codes._replace(distance=hasher.distance_)
        training = measure_training(hasher, split, codes.distance)
    return {
        "key": cell.key(data),
        "cell": asdict(cell) | {"fingerprint": data.fingerprint},
        "sizes": split.sizes,
        "selection": chosen,
        "training": training,
        **measure_testing(codes, split),
        "seconds": seconds,
        "n_encoded": len(queries) + len(database),
        "examples": find_examples(codes, split),
        "versions": package_versions() | {"threads": str(effective_n_jobs(n_jobs))},
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
    """Return the codes of some rows, encoded in blocks, and the encoding time."""
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
    # Few items give poor codes, which are not used, and may be too few for a method.
    with warnings.catch_warnings(), suppress(ValueError):
        warnings.simplefilter("ignore")
        hasher.fit(X, **{name: truth[few] for name, truth in supervision.items()}).encode(X)


def build_hash_function(cell: Cell, n_jobs: int | None) -> HashFunction:
    """Return a cell's hash function, before its bandwidth and C are chosen."""
    function = clone(as_hash_function(cell.hash_function, n_samples=0))
    _set_known(function, random_state=cell.seed, n_jobs=n_jobs)
    return function if cell.n_anchors is None else function.set_params(n_anchors=cell.n_anchors)


def build_hasher(cell: Cell, selection: dict[str, float] | None, n_jobs: int | None) -> BaseHasher:
    """Return a cell's hasher, with the parameters that were chosen for its hash function."""
    if cell.hash_function is None:  # the method has its own
        method, parameters = library_method(cell.method), parameters_of(cell.method)
        plain = make_hasher(method, n_bits=cell.n_bits, **parameters)
        _set_known(plain, random_state=cell.seed, n_jobs=n_jobs)
        return plain if cell.n_anchors is None else plain.set_params(n_anchors=cell.n_anchors)
    function = build_hash_function(cell, n_jobs)
    function.set_params(**{n: v for n, v in (selection or {}).items() if n in ("sigma", "C")})
    if cell.method == REFERENCE:
        return ClassifierCodes(cell.n_bits, hash_function=function, random_state=cell.seed)
    parameters = parameters_of(cell.method)
    hasher: Any = make_hasher(cell.method, n_bits=cell.n_bits, hash_function=function, **parameters)
    inference = as_inference(hasher.inference, as_loss(hasher.loss))
    return hasher.set_params(
        inference=TimedInference(inference), random_state=cell.seed, n_jobs=n_jobs
    )


class TimedInference(Inference):
    """An inference that stores the time of the last Step 1 in `seconds_`."""

    def __init__(self, inference: Inference) -> None:
        self.inference = inference

    def check(self, loss: Any) -> None:
        """Raise if the inference does not support the loss."""
        self.inference.check(loss)

    def check_affinity(self, affinity: Any, loss: Any) -> None:
        """Raise if the inference does not support the affinity."""
        self.inference.check_affinity(affinity, loss)

    def infer(self, *args: Any, **kwargs: Any) -> StepOne:
        """Return the codes, and store the time."""
        begin = time.perf_counter()
        step_one = self.inference.infer(*args, **kwargs)
        self.seconds_ = time.perf_counter() - begin
        return step_one


def _set_known(estimator: Any, **parameters: Any) -> None:
    """Set the parameters that an estimator has, and leave out the others."""
    known = estimator.get_params(deep=False)
    estimator.set_params(**{n: v for n, v in parameters.items() if n in known})
