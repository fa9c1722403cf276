"""Tables of methods: the results they show, their order and their titles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from hashlearn._report.content import Cell, Section
from hashlearn.experiments import digits
from hashlearn.experiments.digits import Measure
from hashlearn.experiments.known_methods import GROUPS, KnownMethod, is_implemented, method_rows
from hashlearn.experiments.measuring import K
from hashlearn.experiments.published import N_BITS
from hashlearn.experiments.report.numbers import count_text
from hashlearn.experiments.summaries import SIZES, Result
from hashlearn.experiments.variants import anywhere, variant_of

# By their names in records.
MEASURES = {
    "pr_area": digits.MEASURES["pr_area"],
    "mean_average_precision": Measure(
        "MAP",
        "mean average precision of the ranking by Hamming distance over its first 1,000 items, "
        "divided by the right ones found there; items at equal distance in the order of the "
        "database",
    ),
    "precision_at_k": Measure(
        "P@300",
        "the share of right items among the first 300; it cannot reach 1 where fewer are right, as "
        "on training data with 200 of each class (0.667 at best). Not shown where a query has, on "
        "average, fewer than 300 right items in the database: P@10 is shown there",
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
    "precision_at_10": Measure("P@10", "the share of right items among the first 10"),
    "ndcg": Measure(
        "nDCG@1000",
        "normalised discounted cumulative gain of the first 1,000 items: an item gains the number "
        "of labels that it shares with the query, divided by the binary logarithm of its rank plus "
        "one; the best ranking has 1. Only for sets with several labels per item: with one label "
        "all right items would gain the same",
    ),
}
DATASET_TITLES = {
    "mnist": "MNIST",
    "cifar10": "CIFAR-10",
    "labelme": "LabelMe",
    "tmc2007": "TMC2007",
    "tiny580k": "Tiny-580K",
    "flickr1m": "Flickr1M",
    "digits": "digits",
    "banking77": "BANKING77",
    "clinc150": "CLINC150",
    "cifar10-efficientnet": "CIFAR-10, EfficientNet",
}
USUAL_FUNCTION = "rbf-svm"  # the paper: "if not specified, our method uses SVM with RBF kernel"
_SIZE_WORDS = {
    "n_queries": "queries",
    "n_training": "training items",
    "n_database": "in the database",
    "n_anchors": "anchors",
}
# The columns of Table 1: those of the paper, and those of sets that are not like the paper's.
PRINTED = ("pr_area", "mean_average_precision", "precision_at_k")
PRINTED_OF_SEVERAL_LABELS = (*PRINTED, "full_mean_average_precision", "ndcg")
PRINTED_OF_SMALL_CLASSES = (*PRINTED[:2], "precision_at_10", "full_mean_average_precision")

CellsOf = Callable[[Result], list[Cell]]
MissingCellsOf = Callable[[KnownMethod], list[Cell] | None]


def printed_measures(results: Iterable[Result]) -> tuple[str, ...]:
    """Return the measures of a table of one data set and protocol: those that say something."""
    results = list(results)
    if any(result.spread("testing", "ndcg").n for result in results):
        return PRINTED_OF_SEVERAL_LABELS
    right = [
        result.chance.mean * result.size("n_database")[1]
        for result in results
        if result.chance.mean is not None
    ]
    return PRINTED_OF_SMALL_CLASSES if right and max(right) < K else PRINTED


def status(method: str) -> str:
    """Return why a method has no result."""
    return "not run" if is_implemented(method) else "not implemented"


def method_sections(
    results: list[Result], cells_of: CellsOf, missing_cells_of: MissingCellsOf | None = None
) -> list[Section]:
    """Return the rows of a table of one data set by group, in the order of the known methods.

    The callables give the cells of a row after its title; None for a missing method means no row.
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
    """Return the note of a table: sizes of the data, and number of seeds."""
    counts = sorted({len(result.seeds) for result in results}) or [0]
    sizes = f"{_sizes(results)}. " if results else ""
    if counts[-1] < 2:
        return f"{sizes}One seed."
    spread = "Mean ± standard deviation (of the values themselves, ddof=0)"
    several = [n for n in counts if n > 1]
    single = "; a value without deviation is of one seed" if counts[0] < 2 else ""
    return f"{sizes}{spread} over {' or '.join(map(str, several))} seeds{single}."


def _sizes(results: list[Result]) -> str:
    """Return the numbers of queries, training items and database items in words."""
    drawn = {name: [n for result in results for n in result.size(name)] for name in SIZES}
    return ", ".join(
        f"{count_text(min(values), max(values))} {_SIZE_WORDS[name]}"
        for name, values in drawn.items()
    )


def _seeds_aside(result: Result, most_seeds: int) -> str:
    n_seeds = len(result.seeds)
    return "" if n_seeds == most_seeds else f"{n_seeds} of {most_seeds} seeds"


def dataset_title(name: str) -> str:
    """Return the title of a data set; a file keeps its name."""
    return DATASET_TITLES.get(name, name)


def by_dataset(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Return results by data set, those of the paper first, each in the order of the tables."""
    order = list(DATASET_TITLES)
    groups = defaultdict(list)
    for result in in_table_order(results):
        groups[result.setting.dataset].append(result)
    rank = {name: order.index(name) if name in order else len(order) for name in groups}
    return {name: groups[name] for name in sorted(groups, key=lambda name: (rank[name], name))}


def in_table_order(results: Iterable[Result]) -> list[Result]:
    """Return results in the order of the tables, then by bits, hash function and sizes."""
    results = list(results)
    rank = {row.name: i for i, row in enumerate(rows_for(results))}

    def place(result: Result) -> tuple:
        setting = result.setting
        sizes = [getattr(setting, name) or 0 for name in _SIZE_WORDS]
        return (
            rank[setting.method],
            setting.n_bits,
            setting.hash_function or "",
            *sizes,
            setting.fingerprint or "",
        )

    return sorted(results, key=place)


def rows_for(results: Iterable[Result]) -> list[KnownMethod]:
    """Return the rows of tables, with one for every method of the results.

    Rows that are not for all labels and protocols are left out where they have no result.
    """
    found = {result.setting.method for result in results}
    rows = [(row, variant_of(row.name)) for row in method_rows(found)]
    return [row for row, v in rows if row.name in found or v is None or v.suits is anywhere]


def of_protocol(results: Iterable[Result], protocol: str) -> list[Result]:
    """Return the results of one protocol, with the usual hash function where there is one.

    Without it, every hash function has its own row.
    """
    groups = defaultdict(list)
    for result in results:
        if result.setting.protocol == protocol:
            groups[(*result.setting[:3], result.setting.n_bits)].append(result)
    chosen = []
    for members in groups.values():
        usual = [result for result in members if result.setting.hash_function == USUAL_FUNCTION]
        chosen += usual or members
    return chosen


def at_printed_bits(results: list[Result]) -> dict[int, list[Result]]:
    """Return one data set's results by n_bits: only at the paper's 32 bits if there are any."""
    present = sorted({result.setting.n_bits for result in results})
    return {
        n_bits: [result for result in results if result.setting.n_bits == n_bits]
        for n_bits in ([N_BITS] if N_BITS in present else present)
    }


class TableResults(NamedTuple):
    """The results of one table: those of a data set at one code length."""

    dataset: str
    n_bits: int
    results: list[Result]

    @property
    def heading(self) -> str:
        """The title of the table."""
        return f"{dataset_title(self.dataset)}, {self.n_bits} bits"

    @property
    def name(self) -> str:
        """The end of the names of its pictures."""
        return f"{self.dataset}-{self.n_bits}-bits"


def by_table(results: Iterable[Result]) -> Iterator[TableResults]:
    """Yield the results of every table, in order."""
    for dataset, members in by_dataset(results).items():
        for n_bits, at_bits in at_printed_bits(members).items():
            yield TableResults(dataset, n_bits, at_bits)


def row_titles(results: list[Result], titles: dict[str, str] | None = None) -> list[str]:
    """Return a title for each result of a table: its method, and what distinguishes it.

    `titles` replaces the usual titles of methods by name.
    """
    names = {row.name: row.title for row in rows_for(results)} | (titles or {})
    functions, sizes = defaultdict(set), defaultdict(set)
    for result in results:
        functions[result.setting.method].add(result.setting.hash_function)
        sizes[_line(result)].add(_size_values(result))
    texts = []
    for result in results:
        words = [names[result.setting.method]]
        if len(functions[result.setting.method]) > 1:
            words.append(result.setting.hash_function or "no hash function")
        words += _differing(_size_values(result), sizes[_line(result)])
        texts.append(", ".join(words))
    return texts


def _line(result: Result) -> tuple:
    setting = result.setting
    return setting.dataset, setting.protocol, setting.method, setting.hash_function


def _size_values(result: Result) -> tuple:
    return *(getattr(result.setting, name) for name in _SIZE_WORDS), result.setting.fingerprint


def _differing(values: tuple, others: set[tuple]) -> list[str]:
    """Return the sizes in which a result differs from others of the same name, as words."""
    words = []
    for i, word in enumerate(_SIZE_WORDS.values()):
        if len({other[i] for other in others}) > 1:
            words.append(f"{'all' if values[i] is None else f'{values[i]:,}'} {word}")
    if len({other[-1] for other in others}) > 1:
        words.append(f"data {str(values[-1])[:8]}")
    return words
