"""Tables of methods: a row per result in sections by group, and rows for what is not there."""

from __future__ import annotations

from collections.abc import Callable

from hashlearn.experiments.digits import Measure
from hashlearn.experiments.known_methods import GROUPS, KnownMethod, is_implemented
from hashlearn.experiments.report.cells import count_text
from hashlearn.experiments.report.choosing import row_titles, rows_for
from hashlearn.experiments.report.content import Cell, Section
from hashlearn.experiments.summaries import Result

# By their names in records.
MEASURES = {
    "pr_area": Measure(
        "area under PR",
        "the area under the precision-recall curve: precision and recall of everything within "
        "Hamming distance 0, 1, 2 and so on of a query",
    ),
    "mean_average_precision": Measure(
        "MAP",
        "mean average precision of the ranking by Hamming distance over its first 1,000 items, "
        "divided by the right ones found there; items at equal distance in the order of the "
        "database",
    ),
    "precision_at_k": Measure(
        "P@300",
        "the share of right items among the first 300; it cannot reach 1 where fewer are right, as "
        "on training data with 200 of each class (0.667 at best)",
    ),
    "precision_within_radius": Measure(
        "precision within 2",
        "the share of right items within Hamming distance 2; a query that finds nothing there "
        "counts 0. (A query to which nothing is relevant counts 0 here and in P@300, and is left "
        "out of the other measures)",
    ),
    "full_mean_average_precision": Measure(
        "MAP, whole ranking",
        "mean average precision over the whole database; items at equal distance in random order "
        "(the mean over all orders)",
    ),
}
PRINTED = ("pr_area", "mean_average_precision", "precision_at_k")  # the columns of Table 1

CellsOf = Callable[[Result], list[Cell]]
MissingCellsOf = Callable[[KnownMethod], list[Cell] | None]


def status(method: str) -> str:
    """Return why a method has no result.

    Examples
    --------
    >>> status("lsh"), status("tsh-none")
    ('not run', 'not implemented')
    """
    return "not run" if is_implemented(method) else "not implemented"


def method_sections(
    results: list[Result], cells_of: CellsOf, missing_cells_of: MissingCellsOf | None = None
) -> list[Section]:
    """Return the rows of a table by group, in the order of the known methods.

    Parameters
    ----------
    results : list of Result
        Of one data set, in the order of the tables.
    cells_of : callable
        The cells of a result, without its title.
    missing_cells_of : callable, optional
        The cells of a method without a result, or None for no row.
    """
    most_seeds = max((len(result.seeds) for result in results), default=0)
    titles = dict(zip(results, row_titles(results), strict=True))
    sections = []
    for group in GROUPS:
        rows = []
        for method in (row for row in rows_for(results) if row.group == group):
            own = [result for result in results if result.setting.method == method.name]
            for result in own:
                title = Cell(titles[result], _seeds_aside(result, most_seeds))
                rows.append([title, *cells_of(result)])
            missing = missing_cells_of(method) if missing_cells_of and not own else None
            if missing is not None:
                rows.append([Cell(method.title, status(method.name)), *missing])
        if rows:
            sections.append(Section(group, rows))
    return sections


def seeds_note(results: list[Result]) -> str:
    """Say what the numbers of a table are measured on, and means of."""
    n_seeds = max((len(result.seeds) for result in results), default=0)
    sizes = f"{_sizes(results)}. " if results else ""
    if n_seeds < 2:
        return f"{sizes}One seed."
    spread = "Mean ± standard deviation (of the values themselves, ddof=0)"
    return f"{sizes}{spread} over {n_seeds} seeds."


def _sizes(results: list[Result]) -> str:
    """Say how many queries, training items and database items there were."""
    words = {
        "n_queries": "queries",
        "n_training": "training items",
        "n_database": "in the database",
    }
    ranges = {name: [n for result in results for n in result.size(name)] for name in words}
    return ", ".join(
        f"{count_text(min(ranges[name]), max(ranges[name]))} {word}" for name, word in words.items()
    )


def _seeds_aside(result: Result, most_seeds: int) -> str:
    n_seeds = len(result.seeds)
    return "" if n_seeds == most_seeds else f"{n_seeds} of {most_seeds} seeds"
