"""Retrieval examples: queries and their neighbours, wrong ones boxed in red."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn._report.content import Part, Picture
from hashlearn.experiments.known_methods import example_methods
from hashlearn.experiments.pictures import plot_neighbours
from hashlearn.experiments.report.material import Material
from hashlearn.experiments.report.tables import (
    at_printed_bits,
    by_dataset,
    dataset_title,
    of_protocol,
    rows_for,
)
from hashlearn.experiments.summaries import Record, Result

NAME = "examples"
MOST_QUERIES = 4
N_NEIGHBOURS = 30
IN_A_LINE = 15
IMAGE_DPI = 80  # thumbnails have few pixels; 120 in colour take about 120 kB
TEXT = (
    "Queries, on the left, and the 30 nearest items of the database, nearest first. Items that are "
    "not relevant to the query are boxed in red."
)


def examples(material: Material) -> Part:
    """Return pictures of queries and their neighbours."""
    part = Part(NAME, "Retrieval examples", TEXT)
    for dataset, results in by_dataset(_with_truth(material.results)).items():
        candidates = [result for result in results if any(map(_has_examples, result.records))]
        shown = _two_methods(candidates)
        images = material.images_of(dataset) if shown else None
        if images is None:
            continue
        for result in shown:
            record = next(filter(_has_examples, result.records))  # of the first seed with any
            part.pictures.append(_picture(result, record, np.asarray(images)))
            part.rows.append(_row(record))
    return part


def _with_truth(results: list[Result]) -> list[Result]:
    """Return the usual results, and Euclidean ones of data sets that have no labels."""
    usual = of_protocol(results, "usual")
    labelled = {result.setting.dataset for result in usual}
    euclidean = of_protocol(results, "l2")
    return usual + [result for result in euclidean if result.setting.dataset not in labelled]


def _has_examples(record: Record) -> bool:
    return bool(record.get("examples")) and bool(record["examples"]["queries"])


def _two_methods(results: list[Result]) -> list[Result]:
    """Return TSH and one unsupervised method, at the largest number of bits shown in tables."""
    if not results:
        return []
    candidates = list(at_printed_bits(results).values())[-1]
    first = {result.setting.method: result for result in reversed(candidates)}
    return [first[name] for name in example_methods(first)]


def _picture(result: Result, record: Record, images: np.ndarray) -> Picture:
    found = record["examples"]
    queries = np.array(found["queries"][:MOST_QUERIES])
    neighbours = np.array(found["neighbours"])[:MOST_QUERIES, :N_NEIGHBOURS]
    wrong = np.array(found["wrong"], dtype=bool)[:MOST_QUERIES, :N_NEIGHBOURS]
    title = next(row.title for row in rows_for([result]) if row.name == result.setting.method)
    setting = result.setting
    return Picture(
        f"examples-{setting.dataset}-{setting.method}",
        f"{dataset_title(setting.dataset)}, {title}, {setting.n_bits} bits: {wrong.sum()} of "
        f"{wrong.size} neighbours are wrong.",
        plot_neighbours(images[queries], images[neighbours], wrong, n_columns=IN_A_LINE),
        dpi=IMAGE_DPI,
    )


def _row(record: Record) -> dict[str, Any]:
    names = ("dataset", "method", "hash_function", "n_bits", "seed")
    return {
        "part": NAME,
        **{name: record["cell"][name] for name in names},
        **record["examples"],
    }
