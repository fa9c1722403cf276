"""Curves over bits, and the same for large sets: supervised and unsupervised methods."""

from __future__ import annotations

from hashlearn.experiments.report.cells import share_cell
from hashlearn.experiments.report.choosing import (
    at_printed_bits,
    by_dataset,
    dataset_title,
    of_protocol,
)
from hashlearn.experiments.report.content import Cell, Material, Part, Table
from hashlearn.experiments.report.json_rows import result_row
from hashlearn.experiments.report.panels import bits_table, group_pictures, without_other_losses
from hashlearn.experiments.report.tables import MEASURES, PRINTED, method_sections, seeds_note
from hashlearn.experiments.summaries import Result

BITS_TEXT = (
    "The usual protocol at several lengths of codes. As in the paper, TSH is two-step hashing "
    "with the BRE loss, and stands beside the supervised and beside the unsupervised methods."
)
LARGE_TEXT = (
    "No labels are used: the nearest 2 percent of the database in Euclidean distance are relevant "
    "to a query. Supervised methods learn from pairs of training items, which are similar if "
    "either is among the nearest 2 percent of the other."
)


def over_bits(material: Material) -> Part:
    """Return the curves over bits."""
    results = without_other_losses(of_protocol(material.results, "usual"))
    part = Part("bits", "Curves over bits", BITS_TEXT)
    for members in by_dataset(results).values():
        part.rows.extend(result_row(part.name, result) for result in members)
    return _curves(part, results)


def large_sets(material: Material) -> Part:
    """Return the measures with Euclidean neighbours as the truth."""
    results = of_protocol(material.results, "l2")
    part = Part("large", "Large sets: Euclidean neighbours", LARGE_TEXT)
    for dataset, members in by_dataset(results).items():
        for n_bits, at_bits in at_printed_bits(members).items():
            part.tables.append(_table(f"{dataset_title(dataset)}, {n_bits} bits", at_bits))
        part.rows.extend(result_row(part.name, result) for result in members)
    return _curves(part, without_other_losses(results))


def _table(title: str, results: list[Result]) -> Table:
    """Return every method at one length of codes."""

    def cells(result: Result) -> list[Cell]:
        return [share_cell(result.spread("testing", name)) for name in PRINTED]

    columns = ["method", *(MEASURES[name].title for name in PRINTED)]
    return Table(title, columns, method_sections(results, cells), seeds_note(results))


def _curves(part: Part, results: list[Result]) -> Part:
    for dataset, members in by_dataset(results).items():
        part.tables.append(bits_table(dataset, members, "mean_average_precision"))
        part.pictures.extend(group_pictures(part.name, dataset, members))
    return part
