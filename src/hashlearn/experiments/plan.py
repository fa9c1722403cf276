"""The cells that the tables and figures of the paper need."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

from hashlearn.experiments.cells import Cell
from hashlearn.experiments.coverage import Place, n_seeds
from hashlearn.experiments.known_methods import (
    REFERENCE,
    example_methods,
    figure_methods,
    is_two_step,
)
from hashlearn.experiments.protocol import FEWEST_CLASSES, PROTOCOLS, n_classes
from hashlearn.experiments.sets import ExperimentSet
from hashlearn.experiments.variants import (
    VARIANTS,
    further_rankings,
    library_method,
    variant_of,
)
from hashlearn.losses import LOSSES
from hashlearn.methods import METHODS

PAPER_LOSSES = ("ksh", "bre", "splh", "ee", "exph")
PAPER_BITS = (8, 16, 24, 32, 48, 64)
TABLE_BITS = 32
DEFAULT_FUNCTION = "rbf-svm"
COMPARED_FUNCTIONS = ("rbf-svm", "kernel-features", "linear-svm", "boosted-stumps")
# The paper does not give the number; KSH, from which the features come, uses 300.
N_ANCHORS = 300
# Methods that learn from all labels of the database, besides two-step hashing by loss.
OF_ALL_LABELS = ("tsh", "sdh", "itq-cca", "fasthash")
LARGE_SETS = ("cifar10", "tiny580k", "flickr1m")


@dataclass(frozen=True)
class Settings:
    """The requested experiments; a size of None means all remaining items."""

    parts: tuple[str, ...]  # names in `PARTS`
    methods: tuple[str, ...]
    bits: tuple[int, ...] = PAPER_BITS
    n_seeds: int | None = None  # as in `coverage`
    n_queries: int = 2000
    n_training: int = 2000
    n_database: int | None = None
    n_anchors_all_labels: int = 3000  # of kernel features that learn from the whole database

    @property
    def table_bits(self) -> int:
        """The code length of the tables: 32, or the nearest requested one."""
        return min(self.bits, key=lambda n: (abs(n - TABLE_BITS), n))

    @property
    def names_methods(self) -> bool:
        """Whether some methods are asked for, and not all."""
        return len(self.methods) < len(all_methods())


def all_methods() -> tuple[str, ...]:
    """Return the methods that the tables compare: two-step hashing by loss, and all others."""
    two_step = [f"tsh-{loss}" for loss in PAPER_LOSSES]
    variants = [variant.name for variant in VARIANTS]
    names = [*two_step, *variants, *METHODS.names(), *further_rankings(), REFERENCE]
    return tuple(dict.fromkeys(names))


def check_methods(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of methods, checked."""
    known = [*(f"tsh-{loss}" for loss in LOSSES.names()), *all_methods()]
    names = tuple(dict.fromkeys(names))
    for name in names:
        if name not in known:
            choices = ", ".join(map(repr, dict.fromkeys(known)))
            raise ValueError(f"method must be one of {choices}; got {name!r}.")
    return names


def plan(settings: Settings, data: ExperimentSet) -> list[Cell]:
    """Return the distinct cells of a data set, sorted by split."""
    cells = {cell: None for part in settings.parts for cell in PARTS[part](settings, data)}
    protocols = list(PROTOCOLS)
    return sorted(cells, key=lambda cell: (protocols.index(cell.protocol), cell.seed))


def _table(settings: Settings, data: ExperimentSet, protocol: str = "usual") -> list[Cell]:
    """Return every method at the code length of the tables."""
    methods = _applicable(settings.methods, data, protocol)
    return _cells(settings, data, protocol, methods, (settings.table_bits,))


def _bits(settings: Settings, data: ExperimentSet, protocol: str = "usual") -> list[Cell]:
    """Return every method at every code length; one loss of two-step hashing, as in the paper."""
    methods = figure_methods(_applicable(settings.methods, data, protocol))
    return _cells(settings, data, protocol, methods, settings.bits)


def _hash_functions(settings: Settings, data: ExperimentSet) -> list[Cell]:
    """Return two-step hashing with each hash function."""
    methods = _two_step(_applicable(settings.methods, data, "usual"))
    bits = (settings.table_bits,)
    return [
        cell
        for function in COMPARED_FUNCTIONS
        for cell in _cells(settings, data, "usual", methods, bits, function)
    ]


def _large(settings: Settings, data: ExperimentSet) -> list[Cell]:
    """Return cells with Euclidean neighbours as truth, for large sets or if parts are named."""
    is_named = len(settings.parts) < len(PARTS)
    if not (is_named or data.name in LARGE_SETS or not data.is_labelled):
        return []
    return [*_bits(settings, data, "l2"), *_table(settings, data, "l2")]


def _unseen(settings: Settings, data: ExperimentSet) -> list[Cell]:
    """Return cells with classes kept out of training, and the usual ones."""
    if data.y is None or n_classes(data.y) < FEWEST_CLASSES:
        return []
    return [*_table(settings, data), *_table(settings, data, "unseen")]


def _all_labels(settings: Settings, data: ExperimentSet) -> list[Cell]:
    """Return two-step hashing with kernel features, and other methods, on the whole database."""
    if data.y is None:
        return []
    methods = _applicable(settings.methods, data, "all-labels")
    others = [name for name in methods if library_method(name) in OF_ALL_LABELS]
    bits = (settings.table_bits,)
    return _cells(
        settings,
        data,
        "all-labels",
        [*_two_step(methods), *others],
        bits,
        "kernel-features",
        settings.n_anchors_all_labels,
    )


def _examples(settings: Settings, data: ExperimentSet) -> list[Cell]:
    """Return cells whose neighbours are shown: the first seed, if the set has images."""
    if data.images is None:
        return []
    protocol = "usual" if data.is_labelled else "l2"
    methods = example_methods(_applicable(settings.methods, data, protocol))
    cells = _cells(settings, data, protocol, methods, (settings.table_bits,))
    return [cell for cell in cells if cell.seed == 0]


PARTS: dict[str, Callable[[Settings, ExperimentSet], list[Cell]]] = {
    "first": _table,  # and what the other parts have
    "1": _table,
    "2": _table,
    "bits": _bits,
    "hash-functions": _hash_functions,
    "large": _large,
    "unseen": _unseen,
    "all-labels": _all_labels,
    "examples": _examples,
}


def _applicable(methods: Iterable[str], data: ExperimentSet, protocol: str) -> list[str]:
    """Return the methods that can run; without labels only those that do not need them."""
    if protocol != "l2" and not data.is_labelled:
        return []
    has_labels = protocol != "l2" and data.y is not None
    return [
        name
        for name in methods
        if (has_labels or not _needs_labels(name)) and _suits(name, protocol, data)
    ]


def _needs_labels(method: str) -> bool:
    """Return whether a method cannot learn from an affinity."""
    name = library_method(method)
    return method == REFERENCE or (name in METHODS.names() and METHODS.get(name).needs_labels)


def _suits(method: str, protocol: str, data: ExperimentSet) -> bool:
    """Return whether a row is for such labels."""
    variant = variant_of(method)
    return variant is None or variant.suits(protocol, data.y)


def _cells(
    settings: Settings,
    data: ExperimentSet,
    protocol: str,
    methods: Iterable[str],
    bits: Iterable[int],
    hash_function: str = DEFAULT_FUNCTION,
    n_anchors: int = N_ANCHORS,
) -> list[Cell]:
    """Return cells by seed; only the paper's two-step hashing and the reference have a function."""
    several = data.y is not None and data.y.ndim == 2

    def seeds(method: str, n_bits: int) -> range:
        place = Place(data.name, protocol, n_bits == settings.table_bits, several)
        named = settings.names_methods
        return range(n_seeds(method, place, settings.n_seeds, named=named))

    return [
        Cell(
            dataset=data.name,
            protocol=protocol,
            method=method,
            hash_function=hash_function if _takes_function(method) else None,
            n_bits=n_bits,
            seed=seed,
            n_anchors=n_anchors if _has_anchors(method, hash_function) else None,
            n_queries=settings.n_queries,
            n_training=settings.n_training,
            n_database=settings.n_database,
        )
        for method, n_bits in product(methods, bits)
        for seed in seeds(method, n_bits)
    ]


def _two_step(methods: Iterable[str]) -> list[str]:
    return [name for name in figure_methods(methods) if is_two_step(name)]


def _has_anchors(method: str, hash_function: str) -> bool:
    """Return whether to set the number of anchors, so that all methods have the same."""
    return hash_function == "kernel-features" and (_takes_function(method) or method == "sdh")


def _takes_function(method: str) -> bool:
    return method == REFERENCE or is_two_step(method)
