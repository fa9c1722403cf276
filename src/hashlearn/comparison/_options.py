"""Options: codes of a method and a length with a way of searching, and their measured quality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from hashlearn.comparison._measuring import ASYMMETRIC, VECTORS
from hashlearn.comparison._truths import is_new

CHOOSING, REPORTING = "choosing", "reporting"  # the queries that a value is the mean of
MARGIN = 0.02  # of what vectors reach: codes that lose no more are as good
N_ERRORS = 2  # standard errors of a difference that is still called level

Values = dict[int, np.ndarray]  # per query, by fold


class Estimate(NamedTuple):
    """A mean over queries and folds, its standard error, and the number of queries."""

    mean: float
    error: float
    n_queries: int


class Option:
    """Codes of a method and a length, and a way of searching them; or the vectors themselves.

    Parameters
    ----------
    records : sequence of dict
        The measurements of the method and length on all folds, with and without classes kept out.
    search : str
        "hamming", "asymmetric", or "exact" for vectors.
    candidates : int
        The number of candidates per neighbour, which vectors put in order; 1: no vectors needed.
    """

    def __init__(self, records: Sequence[dict[str, Any]], search: str, candidates: int) -> None:
        self.search, self.candidates = search, candidates
        first = next((one for one in records if not one["task"]["new"]), records[0])
        self.method: str = first["task"]["method"]
        self.n_bits: int = first["task"]["n_bits"]
        beside = first.get("bytes_beside", 0) if search == ASYMMETRIC else 0
        self.n_bytes: int = first["bytes"] + beside
        self.n_training: int = first.get("n_learned", first["n_training"])
        self.n_database: int = first["n_database"]
        alike = [one for one in records if one["task"]["new"] == first["task"]["new"]]
        seconds = [one["fit_seconds"] for one in alike if "fit_seconds" in one]
        self.fit_seconds: float | None = min(seconds, default=None)  # the first loads code, too
        self.encode_microseconds: float | None = first.get("encode_microseconds")
        rates = first.get("queries_per_second", {}) if candidates == 1 else {}  # codes alone
        self.queries_per_second: float | None = rates.get(search)
        self._values: dict[tuple[str, str], Values] = {}
        for record in records:
            for ranking in record["rankings"]:
                if (ranking["search"], ranking["candidates"]) == (search, candidates):
                    self._add(record["task"]["fold"], ranking)

    def _add(self, fold: int, ranking: dict[str, Any]) -> None:
        for queries in (CHOOSING, REPORTING):
            for name, values in ranking[queries].items():
                of_fold = self._values.setdefault((queries, name), {})
                of_fold[fold] = np.array(values, dtype=np.float64)

    def __repr__(self) -> str:
        return f"{self.method}, {self.n_bits} bits, {self.search} x{self.candidates}"

    @property
    def key(self) -> tuple[str, int]:
        """The method and the length."""
        return self.method, self.n_bits

    @property
    def measures(self) -> list[str]:
        """The names of what was measured."""
        return [name for queries, name in self._values if queries == CHOOSING]

    @property
    def n_folds(self) -> int:
        """The number of folds."""
        return max(map(len, self._values.values()))

    def folds(self, measure: str) -> set[int]:
        """Return the folds on which a measure is defined."""
        of_measure = self._values.get((CHOOSING, measure), {})
        return {fold for fold, values in of_measure.items() if np.isfinite(values).any()}

    def estimate(
        self, measure: str, queries: str = CHOOSING, folds: Collection[int] | None = None
    ) -> Estimate | None:
        """Return the mean and its standard error; None if there is nothing to find.

        Choosing queries are others in each fold; reporting ones are the same, but for new classes.
        """
        kept = self.folds(measure) if folds is None else self.folds(measure) & set(folds)
        of_folds = [self._values[queries, measure][fold] for fold in sorted(kept)]
        of_folds = [values for values in of_folds if np.isfinite(values).any()]
        if not of_folds:
            return None
        return _summary(of_folds, same=queries == REPORTING and not is_new(measure))

    def reaches(self, measure: str, at_least: float) -> bool:
        """Return whether the mean is at least a number, by its standard error."""
        found = self.estimate(measure)
        return found is not None and found.mean - found.error >= at_least

    def is_level(self, other: Option, measure: str, folds: Collection[int] | None = None) -> bool:
        """Return whether the difference of two means, on the same queries, is within its error."""
        difference = self._difference(other, measure, folds)
        return difference is not None and abs(difference.mean) <= N_ERRORS * difference.error

    def is_as_good_as(self, other: Option, measure: str) -> bool:
        """Return whether the mean is above another, or at most the margin below it for certain."""
        difference, theirs = self._difference(other, measure), other.estimate(measure)
        if difference is None or theirs is None:
            return False
        return difference.mean - difference.error >= -MARGIN * theirs.mean

    def _difference(
        self, other: Option, measure: str, folds: Collection[int] | None = None
    ) -> Estimate | None:
        """Return the mean difference to another option on the queries that both have."""
        mine, theirs = (one._values.get((CHOOSING, measure), {}) for one in (self, other))
        common = mine.keys() & theirs.keys() & set(mine if folds is None else folds)
        of_folds = [mine[fold] - theirs[fold] for fold in sorted(common)]
        of_folds = [values for values in of_folds if np.isfinite(values).any()]
        return _summary(of_folds) if of_folds else None

    def as_row(self) -> dict[str, Any]:
        """Return settings, means, errors and costs, by name."""
        row: dict[str, Any] = {
            "method": self.method,
            "bits": self.n_bits,
            "search": self.search,
            "candidates": self.candidates,
            "bytes": self.n_bytes,
        }
        for name in self.measures:
            chosen, fresh = self.estimate(name, CHOOSING), self.estimate(name, REPORTING)
            row[name] = None if chosen is None else chosen.mean
            row[f"{name} error"] = None if chosen is None else chosen.error
            row[f"{name} fresh"] = None if fresh is None else fresh.mean
        return row | {
            "fit_seconds": self.fit_seconds,
            "encode_microseconds": self.encode_microseconds,
            "queries_per_second": self.queries_per_second,
            "folds": self.n_folds,
            "n_training": self.n_training,
            "n_database": self.n_database,
        }


def gather(records: Iterable[dict[str, Any]]) -> list[Option]:
    """Return the options that were measured on whole folds, shortest first; vectors are first."""
    by_key: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for record in records:
        task = record["task"]
        if "rankings" in record and not task["screening"]:
            by_key.setdefault((task["n_bits"], task["method"]), []).append(record)
    options = []
    for _, of_key in sorted(by_key.items(), key=lambda item: item[0]):
        # of folds that were measured with classes kept out alone, nothing is known of the others
        if all(record["task"]["new"] for record in of_key):
            continue
        ways = {(each["search"], each["candidates"]): None for each in of_key[0]["rankings"]}
        options += [Option(of_key, *way) for way in ways]
    return options


def best_of(
    options: Sequence[Option], measure: str, folds: Collection[int] | None = None
) -> Option | None:
    """Return the option with the highest mean, by default over the folds that most have."""
    known = [one for one in options if one.folds(measure)]
    if not known:
        return None
    if folds is None:
        counts = Counter(fold for one in known for fold in one.folds(measure))
        folds = {fold for fold, count in counts.items() if count == max(counts.values())}

    def mean(one: Option) -> float:
        found = one.estimate(measure, folds=folds)
        return -np.inf if found is None else found.mean

    return max(known, key=mean)


def _summary(of_folds: Sequence[np.ndarray], *, same: bool = False) -> Estimate:
    """Return the mean over folds; the error is that over queries and that between folds.

    Queries are others in each fold, so that the second has the first in it, or the same in all.
    """
    pooled = _mean_of_known(of_folds) if same else np.concatenate(of_folds)
    known = pooled[np.isfinite(pooled)]
    means = [np.nanmean(values) for values in of_folds]
    over_queries = known.std() / np.sqrt(max(known.size - 1, 1))
    between = np.std(means, ddof=1) / np.sqrt(len(means)) if len(means) > 1 else 0.0
    error = np.hypot(over_queries, between) if same else max(over_queries, between)
    mean = float(np.mean(means))
    if mean and error == 0:  # equal values: as if one more query had been another one
        error = 1 / (known.size + 1)
    return Estimate(mean, float(error), known.size)


def _mean_of_known(of_folds: Sequence[np.ndarray]) -> np.ndarray:
    """Return the mean of each query over the folds in which it has something to find."""
    return np.ma.masked_invalid(of_folds).mean(axis=0).compressed()


def vectors_of(options: Sequence[Option]) -> Option | None:
    """Return the ranking by the vectors themselves, if it was measured."""
    return next((one for one in options if one.method == VECTORS), None)


def of_codes(options: Iterable[Option], *, rescored: bool = False) -> list[Option]:
    """Return the options that need codes alone, or also those that need vectors at hand."""
    return [one for one in options if one.method != VECTORS and (rescored or one.candidates == 1)]
