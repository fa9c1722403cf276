"""The page of the demo: measures, curves, neighbours and the fitted hasher."""

from __future__ import annotations

import numpy as np

from hashlearn._report.content import Cell, Page, Part, Picture, Section, Table
from hashlearn._report.versions import package_versions
from hashlearn.experiments.digits import MEASURES, Retrieval, Split, first_of_each_digit
from hashlearn.experiments.pictures import plot_neighbours, plot_precision_recall

N_NEIGHBOURS = 10
N_WORST = 5
LEAD = """
Every image of a digit, {item_bytes} bytes of numbers, became a code of {n_bits} bits ({n_bytes}).
Similar images should get similar codes: then looking for similar images is counting the bits in
which two codes differ, their Hamming distance.

Two-step hashing first chooses codes for {n_training:,} labelled images, so that images of the same
digit get near codes and images of different digits far ones; then it learns, bit by bit, to tell
the code of any image. Random projections, the baseline, cut the space of images at random and learn
nothing. {n_queries} other images, never seen in learning, search a database of {n_database:,}
images, which contains the {n_training:,}. A result is right if it shows the same digit.
"""
CURVES = (
    "Each curve goes from Hamming distance 0, few results, to {n_bits}, the whole database: recall "
    "is how many of the right images are found, precision how many of the found images are right. "
    "A query that finds nothing counts as precision 0, which is why a curve can start low."
)


def demo_page(split: Split, results: list[Retrieval], command: str) -> Page:
    """Return a page about the first of the results; `command` makes it again."""
    learned = results[0]
    n_bytes = learned.query_codes.shape[1]
    lead = LEAD.format(
        n_bits=learned.hasher.n_bits,
        n_bytes="1 byte" if n_bytes == 1 else f"{n_bytes} bytes",
        item_bytes=split.database.X[0].nbytes,
        n_queries=len(split.queries.y),
        n_training=len(split.training.y),
        n_database=len(split.database.y),
    )
    return Page(
        "Binary codes for handwritten digits",
        lead,
        parts=[
            Part("measures", "How good is the search?", tables=[_measures(results)]),
            Part("curves", "Precision against recall", pictures=[_curves(results)]),
            *_neighbours(split, results),
            Part("hasher", "The fitted hasher", listings=[str(learned.hasher.summary())]),
        ],
        command=command,
        versions=package_versions("matplotlib"),
    )


def _measures(results: list[Retrieval]) -> Table:
    """Return the measures with their meanings, one column per method, the best emphasised."""
    rows = []
    for measure in MEASURES.values():
        values = [result.measures[measure.title] for result in results]
        cells = [Cell(f"{value:.3f}", strong=value == max(values)) for value in values]
        rows.append([Cell(measure.title, measure.meaning), *cells])
    seconds = [Cell(f"{result.seconds:.2f}") for result in results]
    rows.append([Cell("seconds to learn"), *seconds])
    note = "1 is perfect. Items at equal distance count with the mean over all of their orders."
    return Table("", ["measure", *(result.name for result in results)], [Section("", rows)], note)


def _curves(results: list[Retrieval]) -> Picture:
    curves = {result.name: (result.curve.recall, result.curve.precision) for result in results}
    caption = CURVES.format(n_bits=results[0].hasher.n_bits)
    return Picture("curves", caption, plot_precision_recall(curves))


def _neighbours(split: Split, results: list[Retrieval]) -> list[Part]:
    """Return the neighbours of a query of each digit, and of the worst queries."""
    samples = first_of_each_digit(split.queries.y)
    learned = results[0]
    return [
        Part(
            "neighbours",
            "Queries and their nearest neighbours",
            "The first query of each digit, then the ten nearest images of the database. Wrong "
            "ones are boxed in red.",
            pictures=[_picture(result, split, samples) for result in results],
        ),
        Part(
            "worst",
            "Where two-step hashing fails",
            f"The queries with the most wrong neighbours of all {len(split.queries.y)}.",
            pictures=[_picture(learned, split, _worst_queries(learned, split))],
        ),
    ]


def _picture(result: Retrieval, split: Split, rows: np.ndarray) -> Picture:
    """Return some queries with their neighbours, and the number of wrong ones."""
    _, positions = result.search(rows, N_NEIGHBOURS)
    queries, found = split.queries[rows], split.database[positions]
    wrong = found.y != queries.y[:, None]
    caption = f"{result.name}: {wrong.sum()} of {wrong.size} neighbours are wrong."
    figure = plot_neighbours(queries.images, found.images, wrong)
    return Picture(result.name, caption, figure, wide=False)


def _worst_queries(result: Retrieval, split: Split) -> np.ndarray:
    """Return the queries with the most wrong neighbours, the worst first."""
    _, positions = result.search(np.arange(len(split.queries.y)), N_NEIGHBOURS)
    n_wrong = (split.database.y[positions] != split.queries.y[:, None]).sum(axis=1)
    return np.argsort(-n_wrong, kind="stable")[:N_WORST]
