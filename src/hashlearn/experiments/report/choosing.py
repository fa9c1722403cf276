"""Which results stand in a table, in which order, and under which title."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from hashlearn.experiments.known_methods import KnownMethod, method_rows
from hashlearn.experiments.published import N_BITS
from hashlearn.experiments.summaries import Result

DATASET_TITLES = {
    "mnist": "MNIST",
    "cifar10": "CIFAR-10",
    "labelme": "LabelMe",
    "tmc2007": "TMC2007",
    "tiny580k": "Tiny-580K",
    "flickr1m": "Flickr1M",
    "digits": "digits",
}
USUAL_FUNCTION = "rbf-svm"  # the paper: "if not specified, our method uses SVM with RBF kernel"
_SIZE_WORDS = {
    "n_queries": "queries",
    "n_training": "training items",
    "n_database": "in the database",
    "n_anchors": "anchors",
}


def dataset_title(name: str) -> str:
    """Return a data set's name for people; a file keeps its own.

    Examples
    --------
    >>> dataset_title("cifar10"), dataset_title("mine.npz")
    ('CIFAR-10', 'mine.npz')
    """
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
    """Return results by method as the tables have them, then by bits, hash function and sizes."""
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
    """Return the rows that tables have, with one for every method of the results."""
    return method_rows({result.setting.method for result in results})


def of_protocol(results: Iterable[Result], protocol: str) -> list[Result]:
    """Return the results of one protocol; of a method with several hash functions the usual one.

    Without the usual one, all hash functions stay, each a row of its own.
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
    """Return one data set's results by n_bits: the paper's 32 alone where they are there."""
    present = sorted({result.setting.n_bits for result in results})
    return {
        n_bits: [result for result in results if result.setting.n_bits == n_bits]
        for n_bits in ([N_BITS] if N_BITS in present else present)
    }


def row_titles(results: list[Result], titles: dict[str, str] | None = None) -> list[str]:
    """Return a title for each result of one table: its method, and what else tells it apart.

    Parameters
    ----------
    results : list of Result
        Of one data set and protocol.
    titles : dict of str to str, optional
        Titles of methods that differ from the usual ones.
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
    """Return the sizes in which a result differs from others of its name, in words."""
    words = []
    for i, word in enumerate(_SIZE_WORDS.values()):
        if len({other[i] for other in others}) > 1:
            words.append(f"{'all' if values[i] is None else f'{values[i]:,}'} {word}")
    if len({other[-1] for other in others}) > 1:
        words.append(f"data {str(values[-1])[:8]}")
    return words
