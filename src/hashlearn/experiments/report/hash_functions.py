"""The hash functions of two-step hashing compared: quality, training and encoding time."""

from __future__ import annotations

from hashlearn._report.content import Cell, Part, Picture, Section, Table
from hashlearn.experiments.known_methods import is_two_step
from hashlearn.experiments.report.bits import Lines, curve_panels, without_other_losses
from hashlearn.experiments.report.figures import Marks, RowPanel, plot_panels, plot_rows
from hashlearn.experiments.report.json_rows import result_row
from hashlearn.experiments.report.material import Material
from hashlearn.experiments.report.numbers import share_cell, time_text
from hashlearn.experiments.report.tables import (
    MEASURES,
    PRINTED,
    by_table,
    row_titles,
    seeds_note,
)
from hashlearn.experiments.summaries import Result

TITLES = {
    "rbf-svm": "TSH-RBF",
    "kernel-features": "TSH-KF",
    "linear-svm": "TSH-SVM",
    "boosted-stumps": "TSH-Stump",
}
SHOWN = (*PRINTED, "precision_within_radius")
TEXT = (
    "Two-step hashing with one loss and one Step 1, then different hash functions: SVMs with "
    "an RBF kernel (TSH-RBF), linear SVMs on kernel-transferred features (TSH-KF), linear SVMs "
    "(TSH-SVM) and boosted decision stumps (TSH-Stump)."
)


def hash_functions(material: Material) -> Part:
    """Return the comparison of hash functions."""
    part = Part("hash-functions", "Hash functions", TEXT)
    chosen = [
        result
        for result in material.results
        if result.setting.protocol == "usual"
        and is_two_step(result.setting.method)
        and result.setting.hash_function in TITLES
    ]
    order = list(TITLES)
    for group in by_table(without_other_losses(chosen)):
        results = sorted(
            group.results, key=lambda result: order.index(result.setting.hash_function or "")
        )
        part.tables.append(_table(group.heading, results))
        part.pictures.extend(_pictures(group.name, group.heading, results))
        part.rows.extend(result_row(part.name, result) for result in results)
    return part


def _titles(results: list[Result]) -> list[str]:
    """Return a title per hash function, with the sizes of a run where one comes with several."""
    titles = []
    for function, title in TITLES.items():
        own = [result for result in results if result.setting.hash_function == function]
        titles += row_titles(own, dict.fromkeys((result.setting.method for result in own), title))
    return titles


def _table(heading: str, results: list[Result]) -> Table:
    columns = [
        "hash function",
        *(MEASURES[name].title for name in SHOWN),
        "seconds to learn",
        "µs to encode an item",
    ]
    rows = [
        [
            Cell(title),
            *(share_cell(result.spread("testing", name)) for name in SHOWN),
            Cell(time_text(result.spread("seconds", "fit"))),
            Cell(time_text(result.encode_microseconds)),
        ]
        for title, result in zip(_titles(results), results, strict=True)
    ]
    return Table(heading, columns, [Section("", rows)], seeds_note(results))


def _pictures(name: str, heading: str, results: list[Result]) -> list[Picture]:
    titles = _titles(results)
    lines: Lines = {
        title: {result.setting.n_bits: result}
        for title, result in zip(titles, results, strict=True)
    }
    times = RowPanel(
        "microseconds to encode an item (logarithmic)",
        [Marks("encoding", [result.encode_microseconds for result in results], "dot")],
        is_log=True,
    )
    return [
        Picture(
            f"hash-functions-{name}",
            f"{heading}: precision of the first K, and precision over recall.",
            plot_panels(curve_panels(lines), titles, f"{heading}: hash functions"),
        ),
        Picture(
            f"hash-functions-{name}-encoding",
            f"{heading}: time to encode one item.",
            plot_rows(titles, [times], f"{heading}: encoding time"),
        ),
    ]
