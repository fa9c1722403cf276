"""Tasks of a comparison: run once within a time, kept, and found again by a later run."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any, Protocol

from hashlearn._version import __version__
from hashlearn.comparison._data import Data
from hashlearn.comparison._measuring import VECTORS, Task, measure

REVISION = 5  # increase it when results change: older records are then measured again

LATE = "no time was left"  # a reason for what was not tried

OnTask = Callable[[float, str], None]  # the seconds so far, and the task that begins


class Store(Protocol):
    """Where finished records are kept."""

    def get(self, key: str) -> dict[str, Any] | None:
        """Return a record, or None."""

    def put(self, key: str, record: dict[str, Any]) -> None:
        """Keep a record."""


class Memory(dict):
    """A store that lasts as long as a comparison."""

    put = dict.__setitem__


class TaskRunner:
    """Runs tasks on data. `records` are what was measured, `untried` what was not, by reason.

    Parameters
    ----------
    data : Data
        The items.
    limit : float or None
        Seconds of measuring, those of records that are found again included.
    store : Store
        Keeps finished records.
    describe : dict
        What identifies the items: records of others are not used.
    n_jobs : int or None
        Threads.
    on_task : callable
        Called when a task begins.
    """

    def __init__(
        self,
        data: Data,
        limit: float | None,
        *,
        store: Store,
        describe: dict[str, Any],
        n_jobs: int | None,
        on_task: OnTask,
    ) -> None:
        self.data, self.limit, self.n_jobs = data, limit, n_jobs
        self._store, self._describe, self._on_task = store, describe, on_task
        self.records: list[dict[str, Any]] = []
        self.seconds = 0.0
        self.share = 1.0  # of the limit, for the current round
        self.quickest: str | None = None  # the method that runs once, whatever the limit; None: any
        self._reasons: dict[str, list[str]] = {}
        self._done: dict[Task, dict[str, Any]] = {}
        self._late: dict[Task, None] = {}  # there was no time for them

    def run(self, task: Task) -> bool:
        """Run a task unless that was done; return whether there is a record of it."""
        if task not in self._done:
            key = self._key(task)
            record = self._store.get(key)
            if record is None or "rankings" not in record:
                if not self._has_time(task):
                    self._late[task] = None
                    return False
                self._on_task(self.seconds, str(task))
                record = {"key": key, **self._measured(task)}
                if "failed" not in record:  # it may work later, elsewhere
                    self._store.put(key, record)
            self._late.pop(task, None)
            self._done[task] = record
            self.seconds += record["seconds"]
            if "failed" in record:
                self.leave_out(str(task), record["failed"])
            else:
                self.records.append(record)
        return "failed" not in self._done[task]

    def record_of(self, task: Task) -> dict[str, Any]:
        """Return the record of a task that was run."""
        return self._done[task]

    def leave_out(self, what: str, reason: str) -> None:
        """Note what was not tried."""
        said = self._reasons.setdefault(reason, [])
        if what not in said:
            said.append(what)

    def put_off(self, method: str, reason: str) -> None:
        """Note a method that was not tried for a reason, and for lack of time if there was none."""
        others = {task: None for task in self._late if task.method != method}
        is_late = len(others) < len(self._late)
        self._late = others
        self.leave_out(method, f"{reason}, and {LATE}" if is_late else reason)

    @property
    def untried(self) -> dict[str, list[str]]:
        """What was not tried, by reason."""
        late = _grouped(self._late)
        return self._reasons | ({LATE: late} if late else {})

    def _has_time(self, task: Task) -> bool:
        if self.limit is None or (self.limit and self._is_first(task)):
            return True
        return self.seconds + self._expected(task) <= self.share * self.limit

    def _is_first(self, task: Task) -> bool:
        """Return whether nothing could be recommended without a task."""
        if task == Task(VECTORS, 0):  # what codes are compared with
            return True
        is_first = not any(
            one["task"]["n_bits"] and not one["task"]["screening"] for one in self.records
        )
        is_any = self.quickest is None or task.method == self.quickest
        return is_first and is_any and not (task.screening or task.new)

    def least_time(self, methods: Iterable[str]) -> str | None:
        """Return the method that was learned in the least time so far, of some."""
        seconds = {
            one["task"]["method"]: one["fit_seconds"]
            for one in self.records
            if one["task"]["method"] in set(methods)
        }
        return min(seconds, key=seconds.__getitem__, default=None)

    def _expected(self, task: Task) -> float:
        """Return the seconds that a task should take, from earlier ones of the method."""
        known = [one for one in self.records if one["task"]["method"] == task.method]
        if not known:
            return 0.0
        nearest = min(
            known,
            key=lambda record: (
                record["task"]["screening"] != task.screening,
                record["task"]["new"] != task.new,
                abs(record["task"]["n_bits"] - task.n_bits),
            ),
        )
        seconds = nearest["seconds"] - nearest.get("compile_seconds", 0.0)
        if task.method == VECTORS:
            return seconds
        # fitting and encoding grow with the bits and the items; the rest is searches
        sizes = self.data.sizes_of(screening=task.screening)
        per_item = 1e-6 * nearest["encode_microseconds"]
        rest = seconds - nearest["fit_seconds"] - per_item * nearest["n_database"]
        fit = nearest["fit_seconds"] * max(1.0, sizes.n_training / nearest["n_training"])
        n_times = max(1.0, task.n_bits / nearest["task"]["n_bits"])
        return rest + n_times * (fit + per_item * sizes.n_database)

    def _measured(self, task: Task) -> dict[str, Any]:
        begin = time.perf_counter()
        try:
            return measure(task, self.data, self.n_jobs)
        except (ValueError, TypeError, MemoryError) as error:  # such as more bits than features
            return {
                "task": asdict(task),
                "failed": str(error).strip() or type(error).__name__,
                "seconds": time.perf_counter() - begin,
            }

    def _key(self, task: Task) -> str:
        """Return the hash of what a record depends on."""
        data = self.data
        settings = [data.metric, data.k, data.seed, data.sizes]
        parts = [__version__, REVISION, self._describe, settings, asdict(task)]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _grouped(tasks: Iterable[Task]) -> list[str]:
    """Return tasks in words, by the part of the items and the method."""
    by_part: dict[str, dict[str, list[str]]] = {}
    for task in tasks:
        if task.method == VECTORS:
            continue
        of_part = by_part.setdefault(task.part, {})
        of_part.setdefault(task.method, []).append(str(task.n_bits))
    return [
        f"{part}: " + ", ".join(f"{method} {'/'.join(bits)}" for method, bits in of_part.items())
        for part, of_part in by_part.items()
    ]
