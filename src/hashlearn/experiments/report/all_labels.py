"""All labels of the database used in training."""

from __future__ import annotations

from hashlearn._report.content import Cell, Part, Picture, Table
from hashlearn.experiments.report.figures import Marks, RowPanel, plot_rows
from hashlearn.experiments.report.json_rows import result_row
from hashlearn.experiments.report.material import Material
from hashlearn.experiments.report.numbers import share_cell, time_text
from hashlearn.experiments.report.tables import (
    MEASURES,
    by_dataset,
    dataset_title,
    method_sections,
    row_titles,
    seeds_note,
)
from hashlearn.experiments.summaries import Result

NAME = "all-labels"
SHOWN = ("full_mean_average_precision", "mean_average_precision")
TEXT = (
    "The usual protocol, but with the whole database as training items. The database is still "
    "encoded by the hash functions, not by the codes that Step 1 inferred for it. Bandwidth and C "
    "of TSH-BRE are chosen on 2,000 of its items, with 300 anchors; TSH (default) chooses all by "
    "itself. Shown are methods that can learn from so many items."
)


def all_labels(material: Material) -> Part:
    """Return the results of learning from the whole database."""
    part = Part(NAME, "All labels", TEXT)
    chosen = [result for result in material.results if result.setting.protocol == NAME]
    for dataset, results in by_dataset(chosen).items():
        columns = [
            "method",
            "hash function",
            "bits",
            *(MEASURES[name].title for name in SHOWN),
            "seconds to choose parameters",
            "seconds to learn",
            "seconds to encode",
            "together",
        ]
        title = dataset_title(dataset)
        sections = method_sections(results, _cells)
        part.tables.append(Table(title, columns, sections, seeds_note(results)))
        part.pictures.append(_picture(dataset, results))
        part.rows.extend(result_row(NAME, result) for result in results)
    return part


def _cells(result: Result) -> list[Cell]:
    return [
        Cell(result.setting.hash_function or "none"),
        Cell(str(result.setting.n_bits)),
        *(share_cell(result.spread("testing", name)) for name in SHOWN),
        Cell(time_text(result.spread("selection", "seconds"))),
        Cell(time_text(result.spread("seconds", "fit"))),
        Cell(time_text(result.spread("seconds", "encode"))),
        Cell(time_text(result.total_seconds)),
    ]


def _picture(dataset: str, results: list[Result]) -> Picture:
    names = [
        f"{title}, {result.setting.n_bits} bits"
        for title, result in zip(row_titles(results), results, strict=True)
    ]
    seconds = [result.total_seconds for result in results]
    panels = [
        RowPanel(
            MEASURES[SHOWN[0]].title,
            [Marks("MAP", [result.spread("testing", SHOWN[0]) for result in results], "dot")],
        ),
        RowPanel(
            "seconds to choose, learn and encode (logarithmic)",
            [Marks("time", seconds, "dot")],
            is_log=True,
        ),
    ]
    title = f"{dataset_title(dataset)}: all labels of the database"
    caption = f"{title}: quality over the whole ranking, and time to choose, learn and encode."
    return Picture(f"all-labels-{dataset}", caption, plot_rows(names, panels, title))
