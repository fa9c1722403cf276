"""Successive halving of methods: a first round on few items, then all lengths, then more folds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hashlearn.comparison._choice import Target, choose
from hashlearn.comparison._measuring import VECTORS, Task
from hashlearn.comparison._options import Option, best_of, gather, of_codes
from hashlearn.comparison._running import TaskRunner
from hashlearn.comparison._splits import N_FOLDS
from hashlearn.comparison._truths import NEW, is_new

SCREENING_SHARE = 0.4  # of the time, for the first round
FIRST_SHARE = 0.6  # of the time, for all lengths, before classes kept out and other folds
LEAST_KEPT = 2  # methods that a round keeps for each measure


class Contest:
    """The rounds of a comparison.

    Parameters
    ----------
    runner : TaskRunner
        Measures within the time.
    methods : sequence of str
        The methods.
    lengths : sequence of int
        The numbers of bits, increasing.
    target : Target or None
        What must be reached: much longer codes than needed are not tried.
    """

    def __init__(
        self,
        runner: TaskRunner,
        methods: Sequence[str],
        lengths: Sequence[int],
        target: Target | None,
    ) -> None:
        self.runner, self.data = runner, runner.data
        self.methods, self.lengths, self.target = list(methods), list(lengths), target
        decisive = self.data.truth.decisive
        named = None if target is None else target.measure
        self.measure = decisive if named is None or is_new(named) else named
        new = named if named is not None and is_new(named) else NEW + self.measure
        self.new_measure = new if self.data.has_new else None
        self._new_scores: dict[str, float] = {}  # of methods in the first round
        self._dropped: list[str] = []  # by the first round; measured last

    def run(self) -> None:
        """Run all rounds that the time allows; each leaves some of it for those behind it."""
        self.runner.share = SCREENING_SHARE
        survivors = self._first_round() if self.data.has_screening else self.methods
        self.runner.run(Task(VECTORS, 0))
        for share in (FIRST_SHARE, 1.0):  # twice: other folds may change what is chosen
            self._further_rounds(survivors, share)
        if self._dropped and not self._is_reached(-1):
            self._further_rounds(self._dropped, 1.0)
        self._all_lengths(survivors)
        measured = {option.method for option in self.options}
        for method in self._dropped:
            if method not in measured:
                reason = f"{self._first_length} bits learned from few items were worse"
                self.runner.put_off(method, reason)

    def _further_rounds(self, methods: Sequence[str], share: float) -> None:
        """Measure methods at the lengths that matter, then what may be chosen in other ways."""
        self.runner.share = share
        if self.target is None:
            self._all_lengths(methods)
        else:
            self.runner.share = 1.0  # without the right length, nothing else is of use
            self._search_lengths(methods)
        self.runner.share = (1 + share) / 2
        self._new_classes()
        self.runner.share = 1.0
        self._other_folds()

    def _other_folds(self) -> None:
        """Repeat the codes that may be chosen on other folds."""
        for fold in range(1, N_FOLDS):
            for option in self._finalists():
                # what vectors reach is said beside codes: of the same folds
                of_fold = Task(VECTORS, 0, fold), Task(*option.key, fold)
                if all(map(self.runner.run, of_fold)) and self.data.has_new:
                    first = Task(*option.key, new=True)  # all means have the first fold in them
                    if self.runner.run(first):
                        self.runner.run(replace(first, fold=fold))

    @property
    def options(self) -> list[Option]:
        """What was measured on whole folds."""
        return gather(self.runner.records)

    def _first_round(self) -> list[str]:
        """Measure every method at a middle length on few items; return the better half."""
        length = self._first_length
        scores: dict[str, dict[str, float]] = {}
        for method in self.methods:
            tasks = [Task(method, length, screening=True)]
            if self.data.has_new:
                tasks.append(Task(method, length, screening=True, new=True))
            for task in filter(self.runner.run, tasks):
                for name, value in _best_values(self.runner.record_of(task)).items():
                    scores.setdefault(name, {})[method] = value
        wanted = [name for name in (self.measure, self.new_measure) if name in scores]
        kept = {method for name in wanted for method in _better_half(scores[name])}
        # a method that failed, such as one with too many bits, may work at another length
        kept |= set(self.methods) - {method for found in scores.values() for method in found}
        self._dropped = [method for method in self.methods if method not in kept]
        self._new_scores = scores.get(self.new_measure or "", {})
        self.runner.quickest = self.runner.least_time(kept)
        by_score = scores.get(self.measure, {})
        return sorted(
            filter(kept.__contains__, self.methods), key=lambda method: -by_score.get(method, 0)
        )

    @property
    def _first_length(self) -> int:
        return self.lengths[(len(self.lengths) - 1) // 2]

    def _measure_codes(self, method: str, length: int) -> None:
        """Measure codes as the target needs it."""
        task = Task(method, length)
        if self.runner.run(task) and self.target is not None and is_new(self.target.measure):
            self.runner.run(replace(task, new=True))

    def _search_lengths(self, methods: Sequence[str]) -> None:
        """Measure the lengths that tell which is the shortest to reach the target.

        At each, the better half of the methods is kept for the next one.
        """
        assert self.target is not None
        low, high = 0, len(self.lengths) - 1
        while low <= high:
            middle = (low + high) // 2
            length = self.lengths[middle]
            for method in methods:
                self._measure_codes(method, length)
            if self._is_reached(middle):
                high = middle - 1
            else:
                low = middle + 1
            methods = self._better(methods, length, self.target.measure)

    def _is_reached(self, place: int) -> bool:
        """Return whether codes of at most a length reach the target."""
        if self.target is None:
            return False
        length = self.lengths[place]
        codes = of_codes(self.options)
        return any(one.n_bits <= length and one.reaches(*self.target) for one in codes)

    def _better(self, methods: Sequence[str], length: int, measure: str) -> list[str]:
        """Return the better half of methods at a length."""
        scores: dict[str, float] = {}
        for option in of_codes(self.options):
            found = option.estimate(measure)
            if found and option.n_bits == length and option.method in methods:
                scores[option.method] = max(found.mean, scores.get(option.method, -math.inf))
        return _better_half(scores) if scores else list(methods)

    def _all_lengths(self, methods: Sequence[str]) -> None:
        """Measure methods at all lengths, the shortest first, up to one more than is enough."""
        n_enough = 0
        for place, length in enumerate(self.lengths):
            if n_enough > 1:
                if all(option.n_bits != length for option in self.options):
                    self.runner.leave_out(f"{length} bits", "fewer bits reach the target")
                continue
            for method in methods:
                self._measure_codes(method, length)
            n_enough += self._is_reached(place)

    def _new_classes(self) -> None:
        """Measure classes kept out: for the code that would be chosen, then for the others.

        Methods that were good at them in the first round, and longer codes, come first.
        """
        if not self.data.has_new:
            return
        likely = sorted(
            of_codes(self.options),
            key=lambda option: (-self._new_scores.get(option.method, 0.0), -option.n_bits),
        )
        codes = [option.key for option in (*self._finalists()[:1], *likely)]
        for method, length in dict.fromkeys(codes):
            self.runner.run(Task(method, length, new=True))

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
        place = {length: i for i, length in enumerate(lengths)}
        try:
            chosen = choose(self.options, name, target).option.n_bits
        except ValueError:  # nothing was measured by it
            return lengths
        return sorted(lengths, key=lambda length: abs(place[length] - place[chosen]))


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
