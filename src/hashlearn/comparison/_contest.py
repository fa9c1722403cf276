"""Successive halving of methods: a first round on few items, then all lengths, then more folds."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Protocol

from hashlearn._version import __version__
from hashlearn.comparison._choice import Target, choose, is_new
from hashlearn.comparison._data import Data
from hashlearn.comparison._measuring import VECTORS, Task, measure
from hashlearn.comparison._options import Option, best_of, gather, of_codes
from hashlearn.comparison._splits import N_FOLDS
from hashlearn.comparison._truths import NEW
from hashlearn.methods import make_hasher

REVISION = 1  # increase it when results change: older records are then measured again
LEAST_KEPT = 2  # methods that a first round keeps for each measure

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


class Contest:
    """The rounds of a comparison. `records` are what was measured, `untried` what was not.

    Parameters
    ----------
    data : Data
        The items.
    methods : sequence of str
        The methods, cheap and promising ones first.
    lengths : sequence of int
        The numbers of bits, increasing.
    target : Target or None
        What must be reached: much longer codes than needed are not tried.
    limit : float or None
        Seconds of measuring, those of earlier runs that are resumed included.
    store : Store
        Keeps finished records.
    describe : dict
        What identifies the data: records of other data are not used.
    n_jobs : int or None
        Threads.
    on_task : callable
        Called when a task begins.
    """

    def __init__(
        self,
        data: Data,
        methods: Sequence[str],
        lengths: Sequence[int],
        target: Target | None,
        limit: float | None,
        *,
        store: Store,
        describe: dict[str, Any],
        n_jobs: int | None,
        on_task: OnTask,
    ) -> None:
        self.data, self.methods, self.lengths = data, list(methods), list(lengths)
        self.target, self.limit, self.n_jobs = target, limit, n_jobs
        self._store, self._describe, self._on_task = store, describe, on_task
        self.records: list[dict[str, Any]] = []
        self.untried: dict[str, list[str]] = {}  # by reason
        self.seconds = 0.0
        self._share = 1.0  # of the limit, for the current round
        self._done: dict[Task, dict[str, Any]] = {}
        self._late: dict[Task, None] = {}  # that there was no time for
        measure = data.truth.decisive
        if target is not None and not is_new(target.measure):
            measure = target.measure
        self.measure = measure
        new = target.measure if target is not None and is_new(target.measure) else NEW + measure
        self.new_measure = new if data.has_new else None

    def run(self) -> None:
        """Run all rounds that the time allows; each leaves some of it for those behind it."""
        self._do(Task(VECTORS, 0))
        survivors = self._first_round() if self.data.has_screening else self.methods
        for share in (0.6, 1.0):  # at last, whatever there was no time for
            self._share = share
            self._all_lengths(survivors)
            self._share = (1 + share) / 2
            self._new_classes()
            self._share = 1.0
            self._other_folds()
        if self._late:
            self.untried["no time was left"] = _grouped(self._late)

    def _other_folds(self) -> None:
        """Repeat the codes that may be chosen on other folds."""
        for fold in range(1, N_FOLDS):
            self._do(Task(VECTORS, 0, fold))
            for option in self._finalists():
                if self._do(Task(*option.key, fold)) and self._learns_classes(option.method):
                    self._do(Task(*option.key, fold, new=True))

    @property
    def options(self) -> list[Option]:
        """What was measured on whole folds."""
        return gather(self.records)

    def _first_round(self) -> list[str]:
        """Measure every method at a middle length on few items; return the better half."""
        length = self.lengths[(len(self.lengths) - 1) // 2]
        scores: dict[str, dict[str, float]] = {}
        for method in self.methods:
            tasks = [Task(method, length, screening=True)]
            if self._learns_classes(method):
                tasks.append(Task(method, length, screening=True, new=True))
            for record in filter(None, map(self._do, tasks)):
                for name, value in _best_values(record).items():
                    scores.setdefault(name, {})[method] = value
        wanted = [name for name in (self.measure, self.new_measure) if name in scores]
        kept = {method for name in wanted for method in _better_half(scores[name])}
        # a method that failed, such as one with too many bits, may work at another length
        kept |= set(self.methods) - {method for found in scores.values() for method in found}
        for method in self.methods:
            if method not in kept:
                self._leave_out(method, f"{length} bits learned from few items were worse")
        by_score = scores.get(self.measure, {})
        return sorted(kept, key=lambda method: -by_score.get(method, 0))

    def _all_lengths(self, methods: Iterable[str]) -> None:
        """Measure methods at all lengths, the shortest first, up to one that is long enough."""
        methods, enough = list(methods), 0
        for length in self.lengths:
            if enough > 1:
                self._leave_out(f"{length} bits", "fewer reach the target")
                continue
            for method in methods:
                self._do(Task(method, length))
            enough += self._is_reached()

    def _new_classes(self) -> None:
        """Measure classes kept out: first for the codes that may be chosen, then for all others."""
        likely = {option.key: None for option in self._finalists()}
        others = {option.key: None for option in of_codes(self.options)}
        for method, length in likely | others:
            if self._learns_classes(method):
                self._do(Task(method, length, new=True))

    def _is_reached(self) -> bool:
        if self.target is None or is_new(self.target.measure):
            return False
        return any(option.reaches(*self.target) for option in of_codes(self.options))

    def _finalists(self) -> list[Option]:
        """Return one option for each code that may be chosen, the likeliest first.

        At every length that is the best one and those that are level with it; lengths next to the
        one that would be chosen now come first.
        """
        codes = of_codes(self.options)
        finalists: dict[tuple[str, int], Option] = {}
        for name in filter(None, (self.measure, self.new_measure)):
            for length in self._by_likelihood(codes, name):
                of_length = [option for option in codes if option.n_bits == length]
                best = best_of(of_length, name)
                if best is not None:
                    level = [one for one in of_length if one.is_level(best, name)]
                    for option in [best, *level]:
                        finalists.setdefault(option.key, option)
        return list(finalists.values())

    def _by_likelihood(self, codes: list[Option], name: str) -> list[int]:
        lengths = sorted({option.n_bits for option in codes})
        target = self.target if self.target and self.target.measure == name else None
        with suppress(ValueError):  # nothing was measured by it
            chosen = lengths.index(choose(self.options, name, target).option.n_bits)
            lengths.sort(key=lambda length: abs(lengths.index(length) - chosen))
        return lengths

    def _learns_classes(self, method: str) -> bool:
        """Return whether classes kept out need a fit of their own; others are measured at once."""
        return self.data.has_new and make_hasher(method).supervised

    def _do(self, task: Task) -> dict[str, Any] | None:
        """Return the record of a task, None if it failed or there is no time for it."""
        if task not in self._done:
            key = self._key(task)
            record = self._store.get(key)
            if record is None:
                if not self._has_time(task):
                    self._late[task] = None
                    return None
                self._on_task(self.seconds, str(task))
                record = {"key": key, **self._measured(task)}
                self._store.put(key, record)
            self._late.pop(task, None)
            self._done[task] = record
            self.seconds += record["seconds"]
            if "failed" in record:
                self._leave_out(str(task), record["failed"])
            else:
                self.records.append(record)
        return None if "failed" in self._done[task] else self._done[task]

    def _has_time(self, task: Task) -> bool:
        if self.limit is None:
            return True
        return self.seconds + self._expected(task) <= self._share * self.limit

    def _measured(self, task: Task) -> dict[str, Any]:
        try:
            return measure(task, self.data, self.n_jobs)
        except (ValueError, MemoryError) as error:  # such as more bits than features
            return {"task": asdict(task), "failed": str(error).strip(), "seconds": 0.0}

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
        seconds = nearest["seconds"] * max(1.0, task.n_bits / max(nearest["task"]["n_bits"], 1))
        if nearest["task"]["screening"] and not task.screening:
            seconds *= self.data.sizes.n_training / nearest["n_training"]
        return seconds

    def _leave_out(self, what: str, reason: str) -> None:
        """Note what was not tried."""
        said = self.untried.setdefault(reason, [])
        if what not in said:
            said.append(what)

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


def _best_values(record: dict[str, Any]) -> dict[str, float]:
    """Return the highest mean of each measure over the searches of codes alone."""
    best: dict[str, float] = {}
    for ranking in record["rankings"]:
        if ranking["candidates"] == 1:
            for name, values in ranking["choosing"].items():
                known = [value for value in values if value is not None]
                mean = sum(known) / len(known) if known else -math.inf
                best[name] = max(mean, best.get(name, -math.inf))
    return best


def _better_half(scores: dict[str, float]) -> list[str]:
    """Return the better half of the methods."""
    ranked = sorted(scores, key=lambda method: -scores[method])
    return ranked[: max(LEAST_KEPT, math.ceil(len(ranked) / 2))]
