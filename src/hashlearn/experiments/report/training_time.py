"""Table 2: how long learning takes, Step 1 in brackets."""

from __future__ import annotations

from functools import partial

from hashlearn.experiments.known_methods import KnownMethod
from hashlearn.experiments.published import Seconds, published_seconds
from hashlearn.experiments.report.content import (
    NOTHING,
    Cell,
    Material,
    Part,
    Picture,
    Table,
    time_text,
)
from hashlearn.experiments.report.json_rows import result_row
from hashlearn.experiments.report.row_figures import Marks, RowPanel, plot_rows
from hashlearn.experiments.report.tables import (
    at_printed_bits,
    by_dataset,
    dataset_title,
    method_sections,
    of_protocol,
    row_titles,
    seeds_note,
)
from hashlearn.experiments.summaries import Result, Spread

NAME = "2"
TITLE = "Table 2: training time"
TEXT = (
    "Seconds to learn from the training items; in brackets Step 1 alone, the inference of codes. "
    "Choosing the parameters of the hash functions is not part of it and has a column of its own: "
    "it is done once for the training items of a seed, and serves every loss and code length. The "
    "paper's seconds are from its own machine of 2013."
)


def training_time(material: Material) -> Part:
    """Return Table 2."""
    part = Part(NAME, TITLE, TEXT)
    for dataset, results in by_dataset(of_protocol(material.results, "usual")).items():
        for n_bits, at_bits in at_printed_bits(results).items():
            heading = f"{dataset_title(dataset)}, {n_bits} bits"
            sections = method_sections(at_bits, _cells, partial(_missing_cells, dataset, n_bits))
            columns = ["method", "seconds to learn (Step 1)", "seconds to select parameters"]
            part.tables.append(Table(heading, columns, sections, seeds_note(at_bits)))
            part.pictures.append(_picture(heading, dataset, n_bits, at_bits))
            part.rows.extend(result_row(NAME, result) for result in at_bits)
    return part


def _cells(result: Result) -> list[Cell]:
    setting = result.setting
    step_one = result.spread("seconds", "step_one")
    selection = result.spread("selection", "seconds")
    text = time_text(result.spread("seconds", "fit"))
    if step_one.mean is not None:
        text += f" ({time_text(step_one)})"
    printed = published_seconds(setting.dataset, setting.method, setting.n_bits)
    return [
        Cell(text, _aside(printed)),
        Cell(NOTHING if selection.mean is None else time_text(selection)),
    ]


def _missing_cells(dataset: str, n_bits: int, method: KnownMethod) -> list[Cell] | None:
    printed = published_seconds(dataset, method.name, n_bits)
    return printed and [Cell(NOTHING, _aside(printed)), Cell(NOTHING)]


def _aside(printed: Seconds | None) -> str:
    if printed is None:
        return ""
    step_one = "" if printed.step_one is None else f" ({printed.step_one:g})"
    return f"paper {printed.total:g}{step_one}"


def _picture(heading: str, dataset: str, n_bits: int, results: list[Result]) -> Picture:
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
        f"table-2-{dataset}-{n_bits}-bits",
        f"{heading}: seconds to learn, with Step 1 as a mark within"
        + (", and the paper's." if any(printed) else "."),
        plot_rows(row_titles(results), [panel], f"{heading}: time to learn"),
    )
