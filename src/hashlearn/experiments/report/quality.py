"""Table 1: how good codes are, on training and on testing data."""

from __future__ import annotations

from functools import partial

from hashlearn.experiments.known_methods import KnownMethod
from hashlearn.experiments.published import published_quality
from hashlearn.experiments.report.content import (
    NOTHING,
    Cell,
    Material,
    Part,
    Picture,
    Table,
    paper_aside,
    share_cell,
)
from hashlearn.experiments.report.json_rows import missing_row, result_row
from hashlearn.experiments.report.row_figures import Marks, RowPanel, plot_rows
from hashlearn.experiments.report.tables import (
    MEASURES,
    PRINTED,
    at_printed_bits,
    by_dataset,
    dataset_title,
    method_sections,
    of_protocol,
    row_titles,
    rows_for,
    seeds_note,
    status,
)
from hashlearn.experiments.summaries import Result, Spread

NAME = "1"
TITLE = "Table 1: quality of codes"
TEXT = (
    "The usual protocol: random queries, the rest of the items is the database, and some of it is "
    "learned from; relevant is what shares a label with the query. Training data are searched in "
    "themselves with the codes that were inferred for them, testing data with the codes of the "
    "hash functions. The paper's numbers are shown beside ours where there are any; they are of "
    "2,000 queries, 2,000 training items and the rest as database, and do not compare with a run "
    "of other sizes."
)


def quality(material: Material) -> Part:
    """Return Table 1."""
    part = Part(NAME, TITLE, TEXT)
    for dataset, results in by_dataset(of_protocol(material.results, "usual")).items():
        for n_bits, at_bits in at_printed_bits(results).items():
            heading = f"{dataset_title(dataset)}, {n_bits} bits"
            part.tables.append(_table(heading, dataset, n_bits, "testing", at_bits))
            if any(result.spread("training", name).n for result in at_bits for name in PRINTED):
                part.tables.append(_table(heading, dataset, n_bits, "training", at_bits))
            part.pictures.append(_picture(heading, dataset, n_bits, at_bits))
            part.rows.extend(result_row(NAME, result) for result in at_bits)
            part.rows.extend(_missing_rows(dataset, n_bits, at_bits))
    return part


def _table(heading: str, dataset: str, n_bits: int, side: str, results: list[Result]) -> Table:
    sections = method_sections(
        results,
        partial(_cells, side),
        partial(_missing_cells, dataset, n_bits, side),
    )
    columns = ["method", *(MEASURES[name].title for name in PRINTED)]
    return Table(f"{heading}, {side} data", columns, sections, seeds_note(results))


def _cells(side: str, result: Result) -> list[Cell]:
    setting = result.setting
    return [
        share_cell(
            result.spread(side, name),
            published_quality(setting.dataset, setting.method, side, name, setting.n_bits),
        )
        for name in PRINTED
    ]


def _missing_cells(dataset: str, n_bits: int, side: str, method: KnownMethod) -> list[Cell] | None:
    """Return the paper's numbers; in the training part there is no row without any."""
    printed = [published_quality(dataset, method.name, side, name, n_bits) for name in PRINTED]
    if side == "training" and printed == [None] * len(printed):
        return None
    return [Cell(NOTHING, paper_aside(number)) for number in printed]


def _missing_rows(dataset: str, n_bits: int, results: list[Result]) -> list[dict]:
    present = {result.setting.method for result in results}
    return [
        missing_row(NAME, status(method.name), method, dataset, n_bits)
        for method in rows_for(results)
        if method.name not in present
    ]


def _picture(heading: str, dataset: str, n_bits: int, results: list[Result]) -> Picture:
    """Draw the testing part: a row for each method with a number, ours or the paper's."""
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

    title = f"{heading}, testing data"
    caption = f"{title}: dots are ours with their spread over seeds"
    has_printed = any(_printed(dataset, method.name, "pr_area", n_bits) for _, method, _ in lines)
    return Picture(
        f"table-1-{dataset}-{n_bits}-bits",
        caption + (", hollow circles the paper's." if has_printed else "."),
        plot_rows([line[0] for line in lines], list(map(panel, PRINTED)), title),
    )


def _printed(dataset: str, method: str, measure: str, n_bits: int) -> Spread | None:
    number = published_quality(dataset, method, "testing", measure, n_bits)
    return None if number is None else Spread(number, None, 1)
