"""Tables 1 and 2 of the paper: quality of codes, and training time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hashlearn._report.content import Cell, Part, Picture, Table
from hashlearn.experiments.known_methods import KnownMethod
from hashlearn.experiments.published import Seconds, published_quality, published_seconds
from hashlearn.experiments.report.figures import Marks, RowPanel, plot_rows
from hashlearn.experiments.report.json_rows import missing_row, result_row
from hashlearn.experiments.report.material import Material
from hashlearn.experiments.report.numbers import NOTHING, paper_aside, share_cell, time_text
from hashlearn.experiments.report.tables import (
    MEASURES,
    PRINTED,
    TableResults,
    by_table,
    method_sections,
    of_protocol,
    printed_measures,
    row_titles,
    rows_for,
    seeds_note,
    status,
)
from hashlearn.experiments.summaries import Result, Spread

QUALITY, TIME = "1", "2"
QUALITY_TEXT = (
    "The usual protocol: random queries, all other items as the database, and some of these as "
    "training items; items that share a label with the query are relevant. Training data are "
    "searched in themselves with the codes that were inferred for them, testing data with the "
    "codes of the hash functions. The paper's numbers, where it has any, are shown next to ours; "
    "they are for 2,000 queries, 2,000 training items and the rest as database, and cannot be "
    "compared with a run of other sizes. “TSH (default)” is `TwoStepHasher` with all parameters at "
    "their defaults; the rows TSH-KSH to TSH-ExpH are the paper's, with RBF kernels whose "
    "parameters are chosen from the paper's ranges. Rows of float queries rank the same codes by "
    "queries that are not rounded to bits; they are not in the tables of training data."
)
TIME_TEXT = (
    "Seconds to learn from the training items; in brackets Step 1 alone, the inference of codes. "
    "Choosing the parameters of the hash functions is not included and has its own column: it is "
    "done once for the training items of a seed, and used for every loss and code length; other "
    "methods, also TSH (default), choose their parameters while they learn. The matrix library has "
    "one thread. The "
    "paper's seconds are from its own machine of 2013."
)


def quality(material: Material) -> Part:
    """Return Table 1."""
    part = Part(QUALITY, "Table 1: quality of codes", QUALITY_TEXT)
    for group in by_table(of_protocol(material.results, "usual")):
        part.tables.append(_quality_table(group, "testing"))
        trained = [result for result in group.results if _has_training(result)]
        if trained:
            part.tables.append(_quality_table(group._replace(results=trained), "training"))
        part.pictures.append(_quality_picture(group))
        part.rows.extend(result_row(QUALITY, result) for result in group.results)
        part.rows.extend(_missing_rows(group))
    return part


def training_time(material: Material) -> Part:
    """Return Table 2, with Step 1 in brackets."""
    part = Part(TIME, "Table 2: training time", TIME_TEXT)
    columns = ["method", "seconds to learn (Step 1)", "seconds to select parameters"]
    for group in by_table(of_protocol(material.results, "usual")):
        missing = partial(_missing_time_cells, group.dataset, group.n_bits)
        sections = method_sections(group.results, _time_cells, missing)
        part.tables.append(Table(group.heading, columns, sections, seeds_note(group.results)))
        part.pictures.append(_time_picture(group))
        part.rows.extend(result_row(TIME, result, with_curves=False) for result in group.results)
    return part


def _has_training(result: Result) -> bool:
    return any(result.spread("training", name).n for name in PRINTED)


def _quality_table(group: TableResults, side: str) -> Table:
    shown = printed_measures(group.results)
    sections = method_sections(
        group.results,
        partial(_quality_cells, side, shown),
        partial(_missing_quality_cells, group.dataset, group.n_bits, side, shown),
    )
    columns = ["method", *(MEASURES[name].title for name in shown)]
    return Table(f"{group.heading}, {side} data", columns, sections, seeds_note(group.results))


def _quality_cells(side: str, shown: Sequence[str], result: Result) -> list[Cell]:
    setting = result.setting
    return [
        share_cell(
            result.spread(side, name),
            published_quality(setting.dataset, setting.method, side, name, setting.n_bits),
        )
        for name in shown
    ]


def _missing_quality_cells(
    dataset: str, n_bits: int, side: str, shown: Sequence[str], method: KnownMethod
) -> list[Cell] | None:
    """Return the paper's numbers; None (no row) in the training part without any."""
    printed = [published_quality(dataset, method.name, side, name, n_bits) for name in shown]
    if side == "training" and printed == [None] * len(printed):
        return None
    return [Cell(NOTHING, paper_aside(number)) for number in printed]


def _missing_rows(group: TableResults) -> list[dict]:
    present = {result.setting.method for result in group.results}
    return [
        missing_row(QUALITY, status(method.name), method, group.dataset, group.n_bits)
        for method in rows_for(group.results)
        if method.name not in present
    ]


def _quality_picture(group: TableResults) -> Picture:
    """Draw the testing part: a row for each method with our number or the paper's."""
    dataset, n_bits, results = group
    lines: list[tuple[str, KnownMethod, Result | None]] = []
    titles = row_titles(results)
    for method in rows_for(results):
        own = [
            (title, method, result)
            for title, result in zip(titles, results, strict=True)
            if result.setting.method == method.name
        ]
        is_printed = published_quality(dataset, method.name, "testing", "pr_area", n_bits)
        lines += own or ([(method.title, method, None)] if is_printed else [])

    def panel(measure: str) -> RowPanel:
        ours = [result.spread("testing", measure) if result else None for *_, result in lines]
        printed = [_printed(dataset, method.name, measure, n_bits) for _, method, _ in lines]
        marks = [Marks("ours", ours, "dot")]
        if any(printed):
            marks.append(Marks("the paper's", printed, "hollow"))
        return RowPanel(MEASURES[measure].title, marks)

    title = f"{group.heading}, testing data"
    caption = f"{title}: dots are ours with their spread over seeds"
    has_printed = any(_printed(dataset, method.name, "pr_area", n_bits) for _, method, _ in lines)
    return Picture(
        f"table-1-{group.name}",
        caption + (", hollow circles the paper's." if has_printed else "."),
        plot_rows([line[0] for line in lines], list(map(panel, printed_measures(results))), title),
    )


def _printed(dataset: str, method: str, measure: str, n_bits: int) -> Spread | None:
    number = published_quality(dataset, method, "testing", measure, n_bits)
    return None if number is None else Spread(number, None, 1)


def _time_cells(result: Result) -> list[Cell]:
    setting = result.setting
    step_one = result.spread("seconds", "step_one")
    selection = result.spread("selection", "seconds")
    text = time_text(result.spread("seconds", "fit"))
    if step_one.mean is not None:
        text += f" ({time_text(step_one)})"
    printed = published_seconds(setting.dataset, setting.method, setting.n_bits)
    return [
        Cell(text, _time_aside(printed)),
        Cell(NOTHING if selection.mean is None else time_text(selection)),
    ]


def _missing_time_cells(dataset: str, n_bits: int, method: KnownMethod) -> list[Cell] | None:
    printed = published_seconds(dataset, method.name, n_bits)
    return printed and [Cell(NOTHING, _time_aside(printed)), Cell(NOTHING)]


def _time_aside(printed: Seconds | None) -> str:
    if printed is None:
        return ""
    step_one = "" if printed.step_one is None else f" ({printed.step_one:g})"
    return f"paper {printed.total:g}{step_one}"


def _time_picture(group: TableResults) -> Picture:
    dataset, n_bits, results = group
    printed = [published_seconds(dataset, result.setting.method, n_bits) for result in results]
    marks = [
        Marks("learning, ours", [result.spread("seconds", "fit") for result in results], "dot"),
        Marks(
            "Step 1 of it, ours",
            [result.spread("seconds", "step_one") for result in results],
            "tick",
        ),
        Marks(
            "learning, the paper's",
            [time and Spread(time.total, None, 1) for time in printed],
            "hollow",
        ),
    ]
    panel = RowPanel("seconds (logarithmic)", marks, is_log=True)
    return Picture(
        f"table-2-{group.name}",
        f"{group.heading}: seconds to learn, with Step 1 as a tick"
        + (", and the paper's." if any(printed) else "."),
        plot_rows(row_titles(results), [panel], f"{group.heading}: time to learn"),
    )
