"""Who is first where: the best methods of every data set, protocol and measure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import compress, groupby
from operator import not_
from typing import Any, NamedTuple

from hashlearn._report.content import Cell, Part, Section, Table
from hashlearn.experiments.known_methods import REFERENCE, figure_methods
from hashlearn.experiments.report.material import Material
from hashlearn.experiments.report.numbers import NOTHING, share_text
from hashlearn.experiments.report.tables import (
    MEASURES,
    by_dataset,
    by_table,
    dataset_title,
    of_protocol,
    printed_measures,
    row_titles,
)
from hashlearn.experiments.summaries import Result, Spread, spread_of
from hashlearn.experiments.variants import DEFAULT, further_rankings

NAME = "first"
PROTOCOL_TITLES = {
    "usual": "usual",
    "unseen": "unseen classes",
    "l2": "Euclidean neighbours",
    "all-labels": "all labels",
}
TEXT = (
    "The best two rows of every table, and the place of two-step hashing as users get it, with all "
    "parameters at their defaults. It is “level” with the first if their means differ by no more "
    "than the larger of their two standard deviations over seeds. On unseen classes, where the "
    "classes that a seed draws make most of that deviation, it is the deviation of the difference "
    "between the two, seed by seed, and rows with fewer seeds than others are not counted. Of the "
    "paper's losses, only BRE is counted, as in the paper's figures; the reference, a classifier's "
    "codes, is not counted, and is named where it is above the first."
)
PAIRED = "unseen"  # the protocol whose seeds draw the classes


class Standing(NamedTuple):
    """The order of rows by one measure; spreads by the titles of the rows, the best first."""

    measure: str
    ranked: list[tuple[str, Spread]]
    default: tuple[int, Spread] | None  # place (from 1) and spread of the default, if it was run
    reference: Spread | None
    tolerance: float  # up to which a difference from the first is level

    @property
    def is_level(self) -> bool:
        """Whether the default is first, or level with the first."""
        if self.default is None:
            return False
        place, own = self.default
        return place == 1 or _mean(self.ranked[0][1]) - _mean(own) <= self.tolerance


def first_places(material: Material) -> Part:
    """Return who is first, at the length of the tables and at the others."""
    part = Part(NAME, "Who is first where", TEXT)
    rows, lines = [], []
    for protocol in PROTOCOL_TITLES:
        results = of_protocol(material.results, protocol)
        for group in by_table(results):
            standings = list(standings_of(group.results))
            rows += [_row(group.dataset, protocol, group.n_bits, one) for one in standings]
            lines += [_line(group.dataset, protocol, group.n_bits, one) for one in standings]
    if not rows:
        return part
    part.tables.append(_table(rows, lines))
    part.tables.extend(_over_lengths(material.results))
    part.rows.extend(lines)
    return part


def standings_of(results: list[Result]) -> Iterator[Standing]:
    """Yield the standing of the results of one table by each of its measures."""
    kept = figure_methods({result.setting.method for result in results})
    titles = row_titles(results)
    titled = [
        (title, result)
        for title, result in zip(titles, results, strict=True)
        if result.setting.method in kept and _counts(result, results)
    ]
    for measure in printed_measures(results):
        found = [
            (title, result, result.spread("testing", measure))
            for title, result in titled
            if result.spread("testing", measure).n
        ]
        is_reference = [result.setting.method == REFERENCE for _, result, _ in found]
        references = list(compress(found, is_reference))
        ranked = sorted(compress(found, map(not_, is_reference)), key=lambda item: -_mean(item[2]))
        if not ranked:
            continue
        place = next(
            (i for i, item in enumerate(ranked) if item[1].setting.method == DEFAULT), None
        )
        yield Standing(
            measure,
            [(title, spread) for title, _, spread in ranked],
            None if place is None else (place + 1, ranked[place][2]),
            references[0][2] if references else None,
            0.0 if place is None else _tolerance(ranked[0][1], ranked[place][1], measure),
        )


def _counts(result: Result, results: list[Result]) -> bool:
    """Return whether a result is of the same seeds as others, where these draw the classes."""
    most = max(len(other.seeds) for other in results)
    return result.setting.protocol != PAIRED or len(result.seeds) == most


def _tolerance(first: Result, own: Result, measure: str) -> float:
    """Return by how much the first may be above a row that is level with it."""
    spreads = [result.spread("testing", measure) for result in (first, own)]
    if first.setting.protocol != PAIRED:
        return max(spread.std or 0.0 for spread in spreads)
    values = [
        {record["cell"]["seed"]: record["testing"].get(measure) for record in result.records}
        for result in (first, own)
    ]
    return (
        spread_of(
            values[0][seed] - values[1][seed]
            for seed in sorted(values[0].keys() & values[1].keys())
            if values[0][seed] is not None and values[1][seed] is not None
        ).std
        or 0.0
    )


def _table(rows: list[list[Cell]], lines: list[dict[str, Any]]) -> Table:
    columns = ["data set", "protocol", "bits", "measure", "first", "second"]
    columns += ["TSH (default)", "place", "first or level"]
    run = [line for line in lines if line["default"] is not None]
    level = sum(line["is_level"] for line in run)
    first = sum(line["place"] == 1 for line in run)
    note = (
        f"TSH (default) is first in {first} and first or level with the first in {level} of "
        f"{len(run)} rows."
        if run
        else "TSH (default) was not run."
    )
    return Table("First places at the tables' length", columns, [Section("", rows)], note)


def _row(dataset: str, protocol: str, n_bits: int, standing: Standing) -> list[Cell]:
    place, own = standing.default or (None, None)
    second = standing.ranked[1] if len(standing.ranked) > 1 else None
    best, reference = standing.ranked[0], standing.reference
    above = reference is not None and _mean(reference) > _mean(best[1])
    return [
        Cell(dataset_title(dataset)),
        Cell(PROTOCOL_TITLES[protocol]),
        Cell(str(n_bits)),
        Cell(MEASURES[standing.measure].title),
        Cell(_entry(best), f"reference {_mean(reference):.3f}" if reference and above else ""),
        Cell(_entry(second) if second else NOTHING),
        Cell(share_text(own) if own else "not run"),
        Cell(str(place) if place else NOTHING, f"of {len(standing.ranked)}" if place else ""),
        Cell("yes" if standing.is_level else "no" if own else NOTHING, strong=standing.is_level),
    ]


def _entry(entry: tuple[str, Spread]) -> str:
    title, spread = entry
    return f"{title}: {share_text(spread)}"


def _line(dataset: str, protocol: str, n_bits: int, standing: Standing) -> dict[str, Any]:
    place, own = standing.default or (None, None)
    return {
        "part": NAME,
        "dataset": dataset,
        "protocol": protocol,
        "n_bits": n_bits,
        "measure": standing.measure,
        "ranked": [{"title": title, **spread._asdict()} for title, spread in standing.ranked],
        "reference": standing.reference and standing.reference._asdict(),
        "default": own and own._asdict(),
        "place": place,
        "is_level": standing.is_level,
    }


def _over_lengths(results: list[Result]) -> Iterator[Table]:
    """Yield who is first at each length, where there are several lengths."""
    bits = sorted({result.setting.n_bits for result in results})
    rows = [row for protocol in PROTOCOL_TITLES for row in _length_rows(results, protocol, bits)]
    if rows:
        columns = ["data set", "protocol", "measure", *(f"{n_bits} bits" for n_bits in bits)]
        note = (
            "The first at each length; small, the place of TSH (default), with “level” where it is "
            "level with the first. Lengths with one seed have no deviation: no row is level there. "
            "Other rankings of a method's codes are not counted here."
        )
        yield Table("First places over lengths", columns, [Section("", rows)], note)


def _length_rows(results: Iterable[Result], protocol: str, bits: list[int]) -> Iterator[list[Cell]]:
    further = further_rankings()  # at the tables' length only
    results = [result for result in results if result.setting.method not in further]
    for dataset, members in by_dataset(of_protocol(results, protocol)).items():
        by_length = {
            n_bits: {one.measure: one for one in standings_of(list(group))}
            for n_bits, group in groupby(sorted(members, key=_bits), key=_bits)
        }
        if len(by_length) < 2:
            continue
        measures = dict.fromkeys(name for length in by_length.values() for name in length)
        for measure in measures:
            cells = [_length_cell(by_length.get(n_bits, {}).get(measure)) for n_bits in bits]
            words = dataset_title(dataset), PROTOCOL_TITLES[protocol], MEASURES[measure].title
            yield [*map(Cell, words), *cells]


def _length_cell(standing: Standing | None) -> Cell:
    if standing is None:
        return Cell(NOTHING)
    place = standing.default and standing.default[0]
    level = " level" if place and place > 1 and standing.is_level else ""
    return Cell(standing.ranked[0][0], f"TSH {place}{level}" if place and place > 1 else "")


def _bits(result: Result) -> int:
    return result.setting.n_bits


def _mean(spread: Spread) -> float:
    return -1.0 if spread.mean is None else spread.mean
