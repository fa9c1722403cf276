"""Curves over bits, also for large sets, of supervised and unsupervised methods."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from hashlearn._report.content import Cell, Part, Picture, Section, Table
from hashlearn.experiments.coverage import why_fewer
from hashlearn.experiments.known_methods import GROUPS, TSH, Group, figure_methods, is_two_step
from hashlearn.experiments.published import N_BITS
from hashlearn.experiments.report.figures import Panel, curve_over_bits, plot_panels
from hashlearn.experiments.report.json_rows import result_row
from hashlearn.experiments.report.material import Material
from hashlearn.experiments.report.numbers import NOTHING, share_cell
from hashlearn.experiments.report.tables import (
    MEASURES,
    at_printed_bits,
    by_dataset,
    dataset_title,
    method_sections,
    of_protocol,
    printed_measures,
    row_titles,
    rows_for,
    seeds_note,
)
from hashlearn.experiments.summaries import Curve, Result
from hashlearn.experiments.variants import further_rankings

BITS_TEXT = (
    "The usual protocol at several lengths of codes. As in the paper, TSH is two-step hashing "
    "with the BRE loss, and is shown with both the supervised and the unsupervised methods."
)
LARGE_TEXT = (
    "No labels are used: the nearest 2 percent of the database in Euclidean distance are relevant "
    "to a query. Supervised methods learn from pairs of training items, which are similar if "
    "either is among the nearest 2 percent of the other; those that need classes, such as ITQ-CCA, "
    "cannot."
)
GROUP_TITLES = {
    "supervised": "supervised methods",
    "unsupervised": "two-step hashing and unsupervised methods",
}
RADIUS_MEASURE = "precision_within_radius"
OVER_BITS = ("mean_average_precision", "full_mean_average_precision", "ndcg")  # with a table

Lines = dict[str, dict[int, Result]]  # by the line's title, then by n_bits


def over_bits(material: Material) -> Part:
    """Return the curves over bits."""
    results = without_other_losses(of_protocol(material.results, "usual"))
    part = Part("bits", "Curves over bits", BITS_TEXT)
    for members in by_dataset(results).values():
        part.rows.extend(_rows(part.name, members))
    return _curves(part, results)


def large_sets(material: Material) -> Part:
    """Return the measures with Euclidean neighbours as the truth."""
    results = of_protocol(material.results, "l2")
    part = Part("large", "Large sets: Euclidean neighbours", LARGE_TEXT)
    for dataset, members in by_dataset(results).items():
        for n_bits, at_bits in at_printed_bits(members).items():
            part.tables.append(_table(f"{dataset_title(dataset)}, {n_bits} bits", at_bits))
        part.rows.extend(_rows(part.name, members))
    return _curves(part, without_other_losses(results))


def _rows(part: str, results: list[Result]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a data set, with curves at the length at which they are drawn."""
    drawn = common_bits(lines_of(results))
    for result in results:
        yield result_row(part, result, with_curves=result.setting.n_bits == drawn)


def _table(title: str, results: list[Result]) -> Table:
    """Return every method at one length of codes."""

    def cells(result: Result) -> list[Cell]:
        return [share_cell(result.spread("testing", name)) for name in shown]

    shown = printed_measures(results)
    columns = ["method", *(MEASURES[name].title for name in shown)]
    return Table(title, columns, method_sections(results, cells), seeds_note(results))


def _curves(part: Part, results: list[Result]) -> Part:
    for dataset, members in by_dataset(results).items():
        shown = [name for name in printed_measures(members) if name in OVER_BITS]
        part.tables.extend(bits_table(dataset, members, name) for name in shown)
        part.pictures.extend(group_pictures(part.name, dataset, members))
    return part


def without_other_losses(results: list[Result]) -> list[Result]:
    """Return results with only one loss of TSH, as in the paper's figures.

    Rows that rank a method's codes in another way, which are run at one length, are left out.
    """
    names = {result.setting.method for result in results} - further_rankings().keys()
    kept = figure_methods(names)
    return [result for result in results if result.setting.method in kept]


def group_pictures(prefix: str, dataset: str, results: list[Result]) -> list[Picture]:
    """Draw five panels for the supervised methods and five for the unsupervised ones.

    TSH is in both groups, classifier codes are among the supervised methods.
    """
    pictures = []
    for group in GROUPS[:2]:
        members = [result for result in results if _belongs(result, group)]
        if members:
            title = f"{dataset_title(dataset)}{_truth(results)}: {GROUP_TITLES[group]}"
            caption = f"{title}. Bands are one standard deviation over seeds."
            figure = plot_panels(five_panels(lines_of(members)), list(lines_of(members)), title)
            pictures.append(Picture(f"{prefix}-{dataset}-{group}", caption, figure))
    return pictures


def _truth(results: list[Result]) -> str:
    return ", Euclidean neighbours" if results[0].setting.protocol == "l2" else ""


def bits_table(dataset: str, results: list[Result], measure: str) -> Table:
    """Return a measure over code lengths: one row per method, one column per length."""
    bits = sorted({result.setting.n_bits for result in results})
    sections = []
    for group in GROUPS:
        members = [result for result in results if _group_of(result) == group]
        rows = [
            [Cell(title), *(_measure_cell(line.get(n_bits), measure) for n_bits in bits)]
            for title, line in lines_of(members).items()
        ]
        sections += [Section(group, rows)] if rows else []
    title = f"{dataset_title(dataset)}{_truth(results)}: {MEASURES[measure].title} over bits"
    columns = ["method", *(f"{n_bits} bits" for n_bits in bits)]
    return Table(title, columns, sections, f"{seeds_note(results)}{_left_out(results)}")


def _left_out(results: list[Result]) -> str:
    """Return which rows have fewer lengths than others, and why."""
    lines = lines_of(results)
    most = max(map(len, lines.values()), default=0)
    reasons = {
        title: why_fewer(next(iter(line.values())).setting.method)
        for title, line in lines.items()
        if len(line) < most
    }
    texts = [f"{title} ({why})" if why else title for title, why in reasons.items()]
    return f" {NOTHING} Not run: {'; '.join(texts)}." if texts else ""


def lines_of(results: list[Result]) -> Lines:
    """Return results as lines over bits."""
    lines: Lines = defaultdict(dict)
    for title, result in zip(row_titles(results, {TSH: "TSH"}), results, strict=True):
        lines[title][result.setting.n_bits] = result
    # TSH, the subject of the figure, comes first, also among unsupervised methods.
    return dict(sorted(lines.items(), key=lambda line: not line[0].startswith("TSH")))


def five_panels(lines: Lines) -> list[Panel]:
    """Return MAP, P@K and precision within 2 over bits, P@K over K and precision over recall."""
    results = [result for line in lines.values() for result in line.values()]
    _, average, precision, *_ = printed_measures(results)
    names = (average, precision, RADIUS_MEASURE)
    return [*(_over_bits(lines, name) for name in names), *curve_panels(lines)]


def curve_panels(lines: Lines) -> list[Panel]:
    """Return P@K and precision over recall, at one length of codes."""
    n_bits = common_bits(lines)
    at_bits = {title: line[n_bits] for title, line in lines.items() if n_bits in line}
    at_k = {title: result.precision_at_k() for title, result in at_bits.items()}
    recall = {title: result.precision_recall() for title, result in at_bits.items()}
    return [
        Panel(
            f"precision at K, {n_bits} bits",
            "K, retrieved items",
            "precision",
            _present(at_k),
        ),
        Panel(
            f"precision and recall, {n_bits} bits",
            "recall",
            "precision",
            {title: _from_recall_0(curve) for title, curve in _present(recall).items()},
        ),
    ]


def common_bits(lines: Lines) -> int:
    """Return the length, up to the paper's 32, that most lines have; the largest of these."""
    counts = Counter(n_bits for line in lines.values() for n_bits in line)
    candidates = [n_bits for n_bits in counts if n_bits <= N_BITS] or list(counts)
    return max(candidates, key=lambda n_bits: (counts[n_bits], n_bits))


def _over_bits(lines: Lines, measure: str) -> Panel:
    title = MEASURES[measure].title
    bits = sorted({n_bits for line in lines.values() for n_bits in line})
    curves = {}
    for name, line in lines.items():
        spreads = {n_bits: line[n_bits].spread("testing", measure) for n_bits in sorted(line)}
        points = [(n, spread.mean, spread.std) for n, spread in spreads.items() if spread.n]
        if points:
            x, means, stds = zip(*points, strict=True)
            curves[name] = curve_over_bits(x, means, stds)
    return Panel(f"{title} over bits", "bits", title, curves, bits)


def _measure_cell(result: Result | None, measure: str) -> Cell:
    return Cell(NOTHING) if result is None else share_cell(result.spread("testing", measure))


def _present(curves: dict[str, Curve | None]) -> dict[str, Curve]:
    return {title: curve for title, curve in curves.items() if curve is not None}


def _from_recall_0(curve: Curve) -> Curve:
    """Return a curve from recall 0 on, as in the area under it."""
    x, y, std = curve
    return Curve(np.r_[0.0, x], np.r_[y[:1], y], np.r_[std[:1], std])


def _group_of(result: Result) -> Group:
    return next(row.group for row in rows_for([result]) if row.name == result.setting.method)


def _belongs(result: Result, group: Group) -> bool:
    own = _group_of(result)
    return (
        is_two_step(result.setting.method)
        or own == group
        or (own == "reference" and group == "supervised")
    )
