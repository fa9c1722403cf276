"""Records of measurements that no hasher made: as good as they are said to be, at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise

import numpy as np

from hashlearn.comparison import _running
from hashlearn.comparison._contest import Contest
from hashlearn.comparison._data import Data, make_truth
from hashlearn.comparison._measuring import Task
from hashlearn.comparison._options import Option
from hashlearn.comparison._running import Memory, TaskRunner
from hashlearn.comparison._truths import NEW

MEASURE = "recall@1"
N_ITEMS = 60


def made_record(
    task, choosing, reporting=None, *, search="hamming", candidates=1, seconds=0.0, beside=0
):
    """Return a record of values per query, by measure or of one."""
    reporting = choosing if reporting is None else reporting
    if not isinstance(choosing, dict):
        choosing, reporting = {MEASURE: list(choosing)}, {MEASURE: list(reporting)}
    ranking = {"search": search, "candidates": candidates}
    return {
        "task": asdict(task),
        "n_training": 10,
        "n_database": 40,
        "rankings": [ranking | {"choosing": choosing, "reporting": reporting}],
        "bytes": -(-task.n_bits // 8) if task.n_bits else 256,
        "bytes_beside": beside,
        "fit_seconds": seconds,
        "encode_microseconds": 0.0,
        "seconds": seconds,
    }


def made_option(method, n_bits, *folds, reporting=None, search="hamming", candidates=1, beside=0):
    """Return an option of values per query, a sequence for each fold."""
    made = {"search": search, "candidates": candidates, "beside": beside}
    records = [
        made_record(Task(method, n_bits, fold), values, reporting, **made)
        for fold, values in enumerate(folds)
    ]
    return Option(records, search, candidates)


class MadeMeasure:
    """Takes the place of `measure`: quality and seconds by task, both of a user's choosing."""

    def __init__(self, quality, seconds=lambda task: 1.0, compiling=lambda task: 0.0):
        self.quality, self.seconds, self.compiling = quality, seconds, compiling
        self.tasks = []

    def __call__(self, task, data, n_jobs=None):
        self.tasks.append(task)
        values = np.clip(self.quality(task) + np.tile([-0.01, 0.01], 10), 0, 1)
        before = NEW if task.new else ""
        of_measures = {before + name: values.tolist() for name in data.truth.measures}
        record = made_record(task, of_measures, of_measures, seconds=self.seconds(task))
        record["n_training"] = data.sizes_of(screening=task.screening).n_training
        record["compile_seconds"] = self.compiling(task)
        record["seconds"] += record["compile_seconds"]
        return record


def run_contest(
    monkeypatch,
    methods: Sequence[str],
    lengths: Sequence[int],
    quality,
    *,
    seconds=lambda task: 1.0,
    compiling=lambda task: 0.0,
    y=None,
    target=None,
    limit=None,
    store=None,
    on_task=lambda seconds, text: None,
):
    """Run a contest of made measurements; return its runner, and the tasks that were measured."""
    made = MadeMeasure(quality, seconds, compiling)
    monkeypatch.setattr(_running, "measure", made)
    n_items = N_ITEMS if y is None else len(y)
    X = np.random.RandomState(0).normal(size=(n_items, 4))
    runner = TaskRunner(
        Data(X, make_truth(n_items, y, None, 1), "cosine", 1, 0),
        limit,
        store=Memory() if store is None else store,
        describe={},
        n_jobs=1,
        on_task=on_task,
    )
    Contest(runner, methods, lengths, target).run()
    return runner, made.tasks


def timeless(rows):
    """Return rows without times, which differ from run to run."""
    times = ("fit_seconds", "encode_microseconds", "queries_per_second")
    return [{name: value for name, value in row.items() if name not in times} for row in rows]


def grows(values):
    return all(a <= b for a, b in pairwise(values))
