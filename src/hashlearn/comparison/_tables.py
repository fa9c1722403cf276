"""Tables of a comparison, for a terminal, a page or a notebook."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from hashlearn._report.content import Cell, Section, Table
from hashlearn.comparison._measuring import ASYMMETRIC, HAMMING, VECTORS
from hashlearn.comparison._options import Estimate, Option, best_of, of_codes
from hashlearn.comparison._truths import CANDIDATES, NEW
from hashlearn.comparison.settings import Settings

BEST = "*"  # in a terminal without colour too
NONE = "–"
FIRST_FOLD = (0,)  # which all rows have, so that they can be compared
FULL = 0.9995  # of a precision: what is shown as 1


def quality_table(options: Sequence[Option], settings: Settings) -> Table:
    """Return a table with a row per method and length, lengths in sections."""
    by_length: dict[int, dict[str, list[Option]]] = {}
    for option in options:
        by_length.setdefault(option.n_bits, {}).setdefault(option.method, []).append(option)
    columns = _value_columns(settings)
    sections = []
    for length, of_methods in by_length.items():
        rows = [_row(method, found, of_methods, columns) for method, found in of_methods.items()]
        title = f"{length} bits" if length else ""
        if length or settings.supervised:
            sections.append(Section(title, rows))
    head = ["method", "bytes", *columns, "fit s", "µs", "q/s"]
    return Table("", head, sections, _note(options, settings))


Column = tuple[str, str | None, int]  # a measure, a search or the better one, and candidates


def _value_columns(settings: Settings) -> dict[str, Column]:
    """Return what the columns of values show, by their titles."""
    if not settings.supervised:
        name = settings.measure
        rescored = {f"{times}x": (name, None, times) for times in CANDIDATES if times > 1}
        return {"Hamming": (name, HAMMING, 1), "asym.": (name, ASYMMETRIC, 1), **rescored}
    return {_title(name): (name, None, 1) for name in settings.measures}


def _title(measure: str) -> str:
    name = measure.removeprefix(NEW).replace("precision", "P").replace("map", "MAP")
    name = "nDCG" if name.startswith("ndcg") else name  # its cut-off stands in the note
    return f"new {name}" if measure.startswith(NEW) else name


def _row(
    method: str,
    found: list[Option],
    of_methods: dict[str, list[Option]],
    columns: dict[str, Column],
) -> list[Cell]:
    """Return the row of a method: the best of its searches by each measure."""
    everything = [option for each in of_methods.values() for option in each]
    cells = []
    for measure, search, candidates in columns.values():
        mine = _best(found, measure, search, candidates)
        best = _best(everything, measure, search, candidates)
        estimate = None if mine is None else mine.estimate(measure, folds=FIRST_FOLD)
        is_best = (
            method != VECTORS
            and len(of_methods) > 1
            and mine is not None
            and best is not None
            and (mine is best or mine.is_level(best, measure, FIRST_FOLD))
        )
        cells.append(_cell(estimate, is_best))
    first = found[0]
    decisive = next(iter(columns.values()))[0]
    shown = best_of(of_codes(found), decisive)
    rate = None if shown is None else shown.queries_per_second
    beside = {one.n_bytes for one in found}
    return [
        Cell(method),
        Cell("/".join(f"{n:,}" for n in sorted(beside))),
        *cells,
        Cell(_time(first.fit_seconds)),
        Cell(_time(first.encode_microseconds)),
        Cell(_rate(rate) if rate else NONE),
    ]


def _best(
    options: Sequence[Option], measure: str, search: str | None, candidates: int
) -> Option | None:
    fitting = [
        one
        for one in options
        if one.candidates in (candidates, 1 if one.method == VECTORS else candidates)
        and search in (None, one.search)
    ]
    return best_of(fitting, measure, FIRST_FOLD)


def _cell(estimate: Estimate | None, is_best: bool) -> Cell:
    if estimate is None:
        return Cell(NONE)
    return Cell(figure(estimate.mean), f"± {figure(estimate.error)}", is_best)


def figure(value: float) -> str:
    """Return a share in three digits, without the zero in front."""
    return f"{value:.3f}".removeprefix("0") if value < FULL else f"{value:.2f}"


def in_words(measure: str) -> str:
    """Return the name of a measure for a sentence: "new-precision@10" is on new classes."""
    plain = measure.removeprefix(NEW)
    name, _, k = plain.partition("@")
    name = {"map": "mean average precision", "ndcg": "nDCG"}.get(name, name)
    said = f"{name} at {k}" if k else name
    return f"{said} on new classes" if plain != measure else said


def exact(value: float) -> str:
    """Return a share as it was asked for, without the zero in front."""
    text = f"{value:g}"
    return text.removeprefix("0") if "." in text else text


def _time(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 0.1 else f"{value:.2f}"


def _rate(value: float) -> str:
    return (
        f"{value / 1e6:.1f}M"
        if value >= 1e6
        else f"{value / 1e3:,.0f}k"
        if value >= 1e3
        else f"{value:.0f}"
    )


def _note(options: Sequence[Option], settings: Settings) -> str:
    sizes, k = settings.sizes, settings.k
    shown = [one for one in options if settings.supervised or one.method != VECTORS]
    found = [one.estimate(name, folds=FIRST_FOLD) for one in shown for name in settings.measures]
    gain = f"; nDCG: of the first {k}, by labels in common" if settings.several else ""
    new = ""
    if settings.new_measure:
        new = "; new: on classes kept out of training, of the queries that have them"
    worst = max((estimate.error for estimate in found if estimate), default=0)
    what = (
        f"The better of Hamming and asymmetric search. P@{k}: precision at {k}; MAP: over the "
        f"whole ranking{gain}{new}."
        if settings.supervised
        else f"Recall at {k} of the nearest by {settings.metric.replace('_', ' ')}: by Hamming "
        "distance, by asymmetric search (queries not rounded to bits), and of 2, 4 and 10 times "
        "as many candidates ordered by the vectors, after the better search."
    )
    beside = ""
    if len({one.n_bytes - -(-one.n_bits // 8) for one in of_codes(options)}) > 1:
        beside = " bytes: of codes, and with the byte that asymmetric search has beside some."
    ceiling = ""
    if settings.ceiling < FULL:
        ceiling = f" A perfect ranking has P@{k} {figure(settings.ceiling)}."
    return (
        f"{what}{ceiling}{beside} fit s: seconds to learn; µs: to encode an item; q/s: queries "
        f"that a search answers in a second. Standard errors: at most {figure(worst)}. Bold, "
        f"{BEST}: best of its length, or level with it. {sizes.n_queries:,} queries, "
        f"{sizes.n_training:,} training items and {sizes.n_database:,} items in the database, "
        "all disjoint; of the first fold."
    )


def as_rich(table: Table) -> Any:
    """Return a table for rich, narrow enough for 80 columns."""
    from rich import box
    from rich.console import Group
    from rich.table import Table as RichTable
    from rich.text import Text

    printed = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
    for i, column in enumerate(table.columns):
        column = column.replace("new ", "new\n")  # the heads of several labels fit in two lines
        printed.add_column(column, justify="right" if i else "left", no_wrap=i == 0)
    for section in table.sections:
        if section.title:
            printed.add_row(Text(section.title, style="bold"))
        for row in section.rows:
            printed.add_row(*(_rich_cell(cell) for cell in row))
        printed.add_section()
    return Group(printed, Text(table.note))


def _rich_cell(cell: Cell) -> Any:
    from rich.text import Text

    return Text(f"{cell.text}{BEST}" if cell.strong else cell.text, "bold" if cell.strong else "")


def as_text(table: Table, width: int = 100) -> str:
    """Return a table as plain text."""
    from rich.console import Console

    buffer = io.StringIO()
    Console(file=buffer, width=width, color_system=None).print(as_rich(table))
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())
