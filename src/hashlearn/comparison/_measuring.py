"""Measurements: one hasher fitted to a part of the items, its codes searched, all of it timed."""

from __future__ import annotations

import time
import warnings
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.compiled import timed_compiling
from hashlearn.base import BaseHasher
from hashlearn.comparison._data import Data, Part
from hashlearn.comparison._truths import IN_USE, NEW, Found
from hashlearn.methods import make_hasher
from hashlearn.search import HammingIndex

VECTORS = "vectors"  # in place of a method: the ranking by the vectors themselves
EXACT, HAMMING, ASYMMETRIC = "exact", "hamming", "asymmetric"  # searches
N_WARM_UP = 64
DECIMALS = 5  # of values per query in a record


@dataclass(frozen=True)
class Task:
    """One fit and its measurement: on all classes, or on those that the fold keeps out."""

    method: str
    n_bits: int
    fold: int = 0
    screening: bool = False
    new: bool = False

    @property
    def part(self) -> str:
        """The items, in words."""
        part = "first round" if self.screening else f"fold {self.fold + 1}"
        return f"{part}, classes kept out" if self.new else part

    def __str__(self) -> str:
        what = "the vectors" if self.method == VECTORS else f"{self.method}, {self.n_bits} bits"
        return f"{what}, {self.part}"


def build_hasher(
    method: str, n_bits: int, metric: str, seed: int, n_jobs: int | None
) -> BaseHasher:
    """Return an unfitted hasher, with those of the parameters that the method has."""
    hasher = make_hasher(method, n_bits=n_bits)
    known = hasher.get_params(deep=False)
    asked = {"random_state": seed, "n_jobs": n_jobs, "metric": metric}
    return hasher.set_params(**{name: v for name, v in asked.items() if name in known})


def measure(task: Task, data: Data, n_jobs: int | None = None) -> dict[str, Any]:
    """Return the record of a task, ready for JSON."""
    begin = time.perf_counter()
    part = data.part(task.fold, task.screening, task.new)
    with timed_compiling() as compiling:
        if task.method == VECTORS:
            record = _measure_vectors(task, data, part)
        else:
            with warnings.catch_warnings(action="ignore"):  # of a hasher that is thrown away
                record = _measure_hasher(task, data, part, n_jobs)
    return {
        "task": asdict(task),
        "n_training": part.split.training.size,
        "n_database": part.split.database.size,
        **record,
        "compile_seconds": compiling(),  # of all seconds; never again on this machine
        "seconds": time.perf_counter() - begin,
    }


def _measure_vectors(task: Task, data: Data, part: Part) -> dict[str, Any]:
    rankings = _rankings(EXACT, data.truth.measure_vectors(part), part, [False, True])
    if _has_in_use(task, data):
        used = part.in_use()
        _add_in_use(rankings, data.truth.measure_vectors(used), used)
    return {"rankings": rankings, "bytes": data.vector_bytes}


def _measure_hasher(task: Task, data: Data, part: Part, n_jobs: int | None) -> dict[str, Any]:
    seed = (data.seed + task.fold) % (1 << 32)
    hasher = build_hasher(task.method, task.n_bits, data.metric, seed, n_jobs)
    fit_seconds, n_learned = _fit(hasher, task, data, part)
    hasher.encode(part.X_queries[:N_WARM_UP])  # loads compiled code
    begin = time.perf_counter()
    codes = hasher.encode(part.X_database)
    per_item = (time.perf_counter() - begin) / len(codes)
    index = HammingIndex(task.n_bits)
    index.add(codes)
    asked: dict[str, Any] = {
        HAMMING: hasher.encode(part.X_queries),
        ASYMMETRIC: hasher.encode_queries(part.X_queries),
    }
    rankings = []
    for search, queries in asked.items():
        of_search = data.truth.measure(queries, codes, part)
        rankings += _rankings(search, of_search, part, [task.new])
    if _has_in_use(task, data):
        used = part.in_use()
        stored = np.concatenate([codes, hasher.encode(part.X_training)])
        rows = np.isin(part.queries, used.queries)
        for search, queries in asked.items():
            found = data.truth.measure(queries[rows], stored, used)
            _add_in_use([one for one in rankings if one["search"] == search], found, used)
    return {
        "rankings": rankings,
        "bytes": int(codes.shape[1]),
        "bytes_beside": int(asked[ASYMMETRIC].terms is not None),  # what an index keeps for it
        "fit_seconds": fit_seconds,
        "n_learned": n_learned,  # training items, and unlabelled ones
        "encode_microseconds": 1e6 * per_item,
        "queries_per_second": {
            search: _search_rate(index, queries, data.k) for search, queries in asked.items()
        },
    }


def _fit(hasher: BaseHasher, task: Task, data: Data, part: Part) -> tuple[float, int]:
    """Fit a hasher; return the seconds and the number of items."""
    items, given = data.truth.given(part.split.training, hasher.semi_supervised)
    X = part.X_training if items is part.split.training else data.X[items]
    begin = time.perf_counter()
    # with few items, threads of a matrix library wait for each other longer than they work
    threads = one_blas_thread() if task.screening else nullcontext()
    with threads, timed_compiling() as compiling:
        hasher.fit(X, **(given if hasher.supervised else {}))
    return time.perf_counter() - begin - compiling(), X.shape[0]


def _search_rate(index: HammingIndex, queries: Any, k: int) -> float:
    """Return the queries that a search answers in a second, all at once."""
    index.search(queries[:N_WARM_UP], k)
    begin = time.perf_counter()
    index.search(queries, k)
    return len(queries) / max(time.perf_counter() - begin, 1e-9)


def _rankings(
    search: str, found: dict[int, Found], part: Part, kept_out: list[bool]
) -> list[dict[str, Any]]:
    """Return measures for JSON: a value per query, null where nothing is relevant.

    `kept_out` has True for measures on classes kept out, False for those on all queries.
    """
    is_choosing = np.arange(part.queries.size) < part.n_choosing
    rankings = []
    if part.is_new is None:
        kept_out = [False]
    for candidates, of_measures in found.items():
        ranking: dict[str, Any] = {"search": search, "candidates": candidates}
        for queries, chosen in (("choosing", is_choosing), ("reporting", ~is_choosing)):
            ranking[queries] = {}
            for new in kept_out:
                rows = chosen & part.is_new if new else chosen
                for name, values in of_measures.items():
                    ranking[queries][(NEW if new else "") + name] = _listed(values[rows])
        rankings.append(ranking)
    return rankings


def _has_in_use(task: Task, data: Data) -> bool:
    """Return whether a task has measures of a database with the training items."""
    return data.truth.supervised and not (task.fold or task.screening or task.new)


def _add_in_use(rankings: list[dict[str, Any]], found: dict[int, Found], used: Part) -> None:
    """Add measures of a database that has the training items, too."""
    for ranking in rankings:
        for name, values in found[ranking["candidates"]].items():
            ranking["choosing"][IN_USE + name] = _listed(values[: used.n_choosing])
            ranking["reporting"][IN_USE + name] = _listed(values[used.n_choosing :])


def _listed(values: np.ndarray) -> list[float | None]:
    return [None if v != v else v for v in np.round(values, DECIMALS).tolist()]
