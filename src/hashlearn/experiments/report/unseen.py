"""Classes that were never seen in training, compared with the usual protocol."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from hashlearn._report.content import Cell, Part, Picture, Table
from hashlearn.experiments.report.figures import Marks, RowPanel, plot_rows
from hashlearn.experiments.report.json_rows import result_row
from hashlearn.experiments.report.material import Material
from hashlearn.experiments.report.numbers import share_text
from hashlearn.experiments.report.tables import (
    MEASURES,
    by_table,
    method_sections,
    of_protocol,
    printed_measures,
    row_titles,
    seeds_note,
)
from hashlearn.experiments.summaries import Result, Spread

NAME = "unseen"
TEXT = (
    "Three tenths of the classes, drawn by each seed, are kept out of training, and queries and "
    "database come from these classes only (Sablayrolles et al., ICASSP 2017). In the usual "
    "protocol, a classifier whose predicted label is written as a code can score best, as "
    "classifier codes do; codes for new classes must do well here. The databases differ: with "
    "fewer classes, more items are right by chance, so compare methods within a protocol, not a "
    "method's two numbers. (An item with several labels is used if all of them are kept out.)"
)


class Pair(NamedTuple):
    """A method under both protocols."""

    unseen: Result
    usual: Result | None


def unseen_classes(material: Material) -> Part:
    """Return the measures on unseen classes next to the usual ones."""
    part = Part(NAME, "Unseen classes", TEXT)
    usual = _by_method(of_protocol(material.results, "usual"))
    for group in by_table(of_protocol(material.results, NAME)):
        pairs = _pairs(group.results, usual)
        part.tables.append(_table(group.heading, pairs))
        part.pictures.append(_picture(group.heading, f"unseen-{group.name}", pairs))
        part.rows.extend(_row(pair) for pair in pairs)
    return part


def _by_method(results: list[Result]) -> dict[tuple, list[Result]]:
    groups = defaultdict(list)
    for result in results:
        groups[_identity(result)].append(result)
    return groups


def _identity(result: Result) -> tuple:
    setting = result.setting
    return setting.dataset, setting.method, setting.hash_function, setting.n_bits


def _pairs(results: list[Result], usual: dict[tuple, list[Result]]) -> list[Pair]:
    """Return each result with its usual one, or None unless there is exactly one."""
    pairs = []
    for result in results:
        partners = usual.get(_identity(result), [])
        pairs.append(Pair(result, partners[0] if len(partners) == 1 else None))
    return pairs


def _table(heading: str, pairs: list[Pair]) -> Table:
    usual = {pair.unseen: pair.usual for pair in pairs}
    results = [pair.unseen for pair in pairs]
    shown = printed_measures(results)

    def cells(result: Result) -> list[Cell]:
        return [_cell(Pair(result, usual[result]), name) for name in shown]

    columns = ["method", *(f"{MEASURES[name].title}, usual → unseen" for name in shown)]
    note = f"{_chance(pairs)} On unseen classes: {seeds_note(results)}"
    return Table(heading, columns, method_sections(results, cells), note)


def _chance(pairs: list[Pair]) -> str:
    """Return the share of relevant items: all methods of a protocol search the same items."""
    unseen = share_text(pairs[0].unseen.chance)
    usual = next((pair.usual for pair in pairs if pair.usual), None)
    if usual is None:
        return f"By chance {unseen} of the database is right."
    return f"By chance {share_text(usual.chance)} → {unseen} of the database is right."


def _cell(pair: Pair, measure: str) -> Cell:
    unseen = pair.unseen.spread("testing", measure)
    if pair.usual is None:
        return Cell(f"not run → {share_text(unseen)}")
    usual = pair.usual.spread("testing", measure)
    return Cell(f"{share_text(usual)} → {share_text(unseen)}")


def _picture(heading: str, name: str, pairs: list[Pair]) -> Picture:
    panels = [
        RowPanel(
            MEASURES[measure].title,
            [
                Marks(
                    "usual protocol",
                    [_spread(pair.usual, measure) for pair in pairs],
                    "dot",
                ),
                Marks(
                    "unseen classes",
                    [_spread(pair.unseen, measure) for pair in pairs],
                    "diamond",
                ),
            ],
            is_joined=True,
        )
        for measure in printed_measures(pair.unseen for pair in pairs)
    ]
    caption = f"{heading}: each method under the usual protocol and on classes that it never saw."
    titles = row_titles([pair.unseen for pair in pairs])
    return Picture(name, caption, plot_rows(titles, panels, f"{heading}: usual and unseen"))


def _spread(result: Result | None, measure: str) -> Spread | None:
    return None if result is None else result.spread("testing", measure)


def _row(pair: Pair) -> dict:
    usual = pair.usual and result_row(NAME, pair.usual)["testing"]
    return result_row(NAME, pair.unseen, usual_testing=usual)
