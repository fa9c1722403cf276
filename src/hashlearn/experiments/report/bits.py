"""Curves over bits, and the same for large sets: supervised and unsupervised methods."""

from __future__ import annotations

from hashlearn.experiments.report.choosing import by_dataset, of_protocol
from hashlearn.experiments.report.content import Material, Part
from hashlearn.experiments.report.json_rows import result_row
from hashlearn.experiments.report.panels import bits_table, group_pictures, without_other_losses
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
    return _curves(Part("bits", "Curves over bits", BITS_TEXT), results, ["mean_average_precision"])


def large_sets(material: Material) -> Part:
    """Return the measures with Euclidean neighbours as the truth."""
    results = without_other_losses(of_protocol(material.results, "l2"))
    part = Part("large", "Large sets: Euclidean neighbours", LARGE_TEXT)
    return _curves(part, results, ["mean_average_precision", "precision_at_k", "pr_area"])


def _curves(part: Part, results: list[Result], measures: list[str]) -> Part:
    for dataset, members in by_dataset(results).items():
        part.tables.extend(bits_table(dataset, members, measure) for measure in measures)
        part.pictures.extend(group_pictures(part.name, dataset, members))
        part.rows.extend(result_row(part.name, result) for result in members)
    return part
