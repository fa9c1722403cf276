"""Results over seeds: one mean and one spread per setting from the records of single runs.

A setting is everything but the seed, so runs of different sizes or data are never averaged. Sizes
are the requested ones; the sizes that a seed drew may differ, as in the protocol ``unseen``, where
each seed draws classes of different sizes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

Record = Mapping[str, Any]
SIZES = ("n_queries", "n_training", "n_database")


class Spread(NamedTuple):
    """A measure over the seeds that have a value; the mean is None without any."""

    mean: float | None
    std: float | None  # of the values themselves (ddof=0); None below two values
    n: int


class Setting(NamedTuple):
    """What runs that differ only in their seed share; a size of None means all items."""

    dataset: str
    protocol: str
    method: str
    hash_function: str | None
    n_bits: int
    n_queries: int | None
    n_training: int | None
    n_database: int | None
    n_anchors: int | None
    fingerprint: str


class Curve(NamedTuple):
    """Mean and spread of a curve: y over x, with the standard deviation of y."""

    x: np.ndarray
    y: np.ndarray
    std: np.ndarray


@dataclass(frozen=True, eq=False)  # records are large: compared by identity
class Result:
    """The runs of one setting, in the order of their seeds."""

    setting: Setting
    records: tuple[Record, ...]

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs."""
        return [record["cell"]["seed"] for record in self.records]

    def spread(self, *path: str) -> Spread:
        """Return a measure over seeds, such as ``spread("testing", "pr_area")``."""
        return spread_of(_lookup(record, path) for record in self.records)

    def size(self, name: str) -> tuple[int, int]:
        """Return the least and the greatest drawn size over the seeds."""
        values = self.drawn(name)
        return min(values), max(values)

    def drawn(self, name: str) -> list[int]:
        """Return the size that each seed drew."""
        return [(record.get("sizes") or record["cell"])[name] for record in self.records]

    @property
    def encode_microseconds(self) -> Spread:
        """Encoding time per item."""
        return spread_of(
            1e6 * seconds / record["n_encoded"]
            if (seconds := _number(_lookup(record, ("seconds", "encode")))) is not None
            and record.get("n_encoded")
            else None
            for record in self.records
        )

    @property
    def total_seconds(self) -> Spread:
        """Time to choose parameters, to fit and to encode, together."""
        return spread_of(map(_total_seconds, self.records))

    @property
    def chance(self) -> Spread:
        """Share of relevant items in the database: the precision of a random order."""
        whole = [_lookup(record, ("curves", "precision")) or [None] for record in self.records]
        return spread_of(precision[-1] for precision in whole)

    def precision_at_k(self) -> Curve | None:
        """Return precision over the number of retrieved items, at the numbers of all seeds."""
        runs = [dict(points) for points in self._curves("k", "precision_at_k")]
        common = sorted(set.intersection(*map(set, runs))) if runs else []
        return _mean_curve([[(k, run[k]) for k in common] for run in runs])

    def precision_recall(self) -> Curve | None:
        """Return precision over recall, at the Hamming radii 0 to n_bits."""
        return _mean_curve(self._curves("recall", "precision"))

    def _curves(self, x: str, y: str) -> list[list[tuple[Any, Any]]]:
        """Return the points of every seed that has a curve."""
        names = ("curves", x), ("curves", y)
        pairs = [[_lookup(record, name) or [] for name in names] for record in self.records]
        return [list(zip(*pair, strict=True)) for pair in pairs if all(pair)]


def summarise(records: Iterable[Record]) -> list[Result]:
    """Group records by setting, sorted; their order does not matter, and duplicates count once."""
    groups: dict[Setting, list[Record]] = defaultdict(list)
    for record in {record["key"]: record for record in records}.values():
        groups[_setting(record)].append(record)
    results = [_result(setting, members) for setting, members in groups.items()]
    return sorted(results, key=lambda result: tuple(map(str, result.setting)))


def spread_of(values: Iterable[Any]) -> Spread:
    """Return mean, standard deviation (ddof=0) and number of the values that are numbers."""
    numbers = [number for value in values if (number := _number(value)) is not None]
    if not numbers:
        return Spread(None, None, 0)
    std = float(np.std(numbers)) if len(numbers) > 1 else None
    return Spread(float(np.mean(numbers)), std, len(numbers))


def _setting(record: Record) -> Setting:
    return Setting(**{name: record["cell"].get(name) for name in Setting._fields})


def _result(setting: Setting, records: list[Record]) -> Result:
    if len({record["cell"]["seed"] for record in records}) < len(records):
        keys = ", ".join(sorted(record["key"] for record in records))
        raise ValueError(
            f"records hold several runs of one seed for {setting.method!r} on {setting.dataset!r} "
            f"with {setting.n_bits} bits (keys {keys}); a report needs one run per seed."
        )
    return Result(setting, tuple(sorted(records, key=lambda record: record["cell"]["seed"])))


def _lookup(record: Record, path: Sequence[str]) -> Any:
    """Return a nested value; None if a part of the path is missing."""
    value: Any = record
    for name in path:
        value = (value or {}).get(name)
    return value


def _number(value: Any) -> float | None:
    """Return a finite number, or None for anything else."""
    return float(value) if value is not None and math.isfinite(value) else None


def _total_seconds(record: Record) -> float | None:
    """Return the time of a run with the choice of its parameters, if it had one."""
    paths = [("seconds", "fit"), ("seconds", "encode")]
    if record.get("selection"):
        paths.append(("selection", "seconds"))
    values = [_number(_lookup(record, path)) for path in paths]
    return None if None in values else math.fsum(value for value in values if value is not None)


def _mean_curve(runs: list[list[tuple[Any, Any]]]) -> Curve | None:
    """Return the mean over runs, without the points where a run has no number."""
    points = np.array(runs, dtype=float)  # (run, point, x or y); None becomes NaN
    if not points.size:
        return None
    points = points[:, np.isfinite(points).all(axis=(0, 2))]
    if not points.size:
        return None
    x, y = points[..., 0], points[..., 1]
    return Curve(x.mean(axis=0), y.mean(axis=0), y.std(axis=0))
