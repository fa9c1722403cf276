"""Overview of a report: its measures, and sizes, seeds, parameters and versions of its runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from hashlearn._report.content import Cell, Part, Section, Table
from hashlearn.experiments.coverage import coverage_text
from hashlearn.experiments.report.numbers import NOTHING, count_text, list_text, time_text
from hashlearn.experiments.report.tables import MEASURES, by_dataset, dataset_title
from hashlearn.experiments.summaries import SIZES, Record, Result, spread_of

LONGEST_FINGERPRINT = 12


def measures() -> Part:
    """Return what the measures mean."""
    definitions = [(measure.title, measure.meaning) for measure in MEASURES.values()]
    return Part("measures", "The measures", "1 is perfect.", definitions)


def runs(results: list[Result]) -> Part:
    """Return how the results were made."""
    tables = [runs_table(results), selections_table(results)]
    shown = [table for table in tables if table is not None]
    return Part("runs", "How it was run", coverage_text(), tables=shown)


def runs_table(results: list[Result]) -> Table:
    """Return the table of runs: a row for each data set, protocol and size."""
    columns = ["data set", "protocol", "queries", "training", "database", "bits", "seeds", "data"]
    rows = []
    for dataset, members in by_dataset(results).items():
        groups = defaultdict(list)
        for result in members:
            sizes = tuple(result.size(name) for name in SIZES)
            groups[result.setting.protocol, sizes, result.setting.fingerprint].append(result)
        for (protocol, sizes, fingerprint), same in sorted(groups.items(), key=str):
            bits = sorted({result.setting.n_bits for result in same})
            seeds = sorted({seed for result in same for seed in result.seeds})
            texts = [
                dataset_title(dataset),
                protocol,
                *(count_text(*size) for size in sizes),
                list_text(bits),
                list_text(seeds),
                str(fingerprint or NOTHING)[:LONGEST_FINGERPRINT],
            ]
            rows.append([Cell(text) for text in texts])
    note = "Runs of different sizes or data are never averaged." if len(rows) > 1 else ""
    return Table("Runs", columns, [Section("", rows)], note)


def selections_table(results: list[Result]) -> Table | None:
    """Return the table of parameters chosen on training data; None without any."""
    chosen = [result for result in results if any(map(_selection, result.records))]
    if not chosen:
        return None
    names = sorted({name for result in chosen for name in _names(result)})
    rows = []
    for dataset, members in by_dataset(chosen).items():
        groups: dict[tuple[str, str], dict[str, dict[str, Any]]] = defaultdict(dict)
        for result in members:
            place = result.setting.protocol, result.setting.hash_function or NOTHING
            # A choice that methods and bits share counts once.
            groups[place] |= {
                str(found): found for found in map(_selection, result.records) if found
            }
        for (protocol, function), unique in sorted(groups.items()):
            selections = list(unique.values())
            texts = [dataset_title(dataset), protocol, function]
            texts += [_values(selection.get(name) for selection in selections) for name in names]
            seconds = spread_of(selection.get("seconds") for selection in selections)
            rows.append([Cell(text) for text in (*texts, time_text(seconds))])
    words = [name.replace("_", " ") for name in names]
    columns = ["data set", "protocol", "hash function", *words, "seconds"]
    note = "Several values: the seeds have different training items and chose different values."
    return Table("Parameters chosen on training data", columns, [Section("", rows)], note)


def versions(records: Iterable[Record]) -> dict[str, str]:
    """Return the versions that the results were made with, by package."""
    found: dict[str, set[str]] = defaultdict(set)
    for record in records:
        for name, version in (record.get("versions") or {}).items():
            found[name].add(str(version))
    return {name: " and ".join(sorted(found[name])) for name in sorted(found)}


def _selection(record: Record) -> dict[str, Any] | None:
    return record.get("selection")


def _names(result: Result) -> list[str]:
    selections = filter(None, map(_selection, result.records))
    return [name for selection in selections for name in selection if name != "seconds"]


def _values(values: Iterable[Any]) -> str:
    """Return the different values, in order."""
    present = {value for value in values if value is not None}
    ordered = sorted(present, key=lambda value: (isinstance(value, str), value))
    texts = [value if isinstance(value, str) else f"{value:.4g}" for value in ordered]
    return list_text(list(dict.fromkeys(texts))) if texts else NOTHING
