"""The page of a comparison."""

from __future__ import annotations

from collections.abc import Sequence

from hashlearn._report.content import Cell, Page, Part, Picture, Section, Table
from hashlearn._report.versions import package_versions
from hashlearn.comparison._data import IN_USE_QUERIES
from hashlearn.comparison._options import Option
from hashlearn.comparison._picture import draw
from hashlearn.comparison._splits import N_FOLDS
from hashlearn.comparison._tables import NONE, in_words
from hashlearn.comparison._truths import NEW
from hashlearn.comparison.recommendation import Recommendation
from hashlearn.comparison.settings import Settings


def make_page(
    options: Sequence[Option],
    settings: Settings,
    found: Recommendation,
    table: Table,
    title: str,
    command: str,
) -> Page:
    """Return the page: the recommendation, the picture, the table, and how all was measured."""
    parts = [
        _quality(options, settings, found),
        Part(
            "recommendation",
            "Make these codes",
            "On the command line, then in Python:" if found.command else "In Python:",
            listings=[each for each in (found.command, found.python) if each],
        ),
        *_made_with_vectors(found),
        Part(
            "table",
            "All that was measured",
            tables=[table],
            rows=[option.as_row() for option in options],
        ),
        Part("cost", "What they cost", tables=[_costs(options, settings, found)]),
        Part("measures", "How it was measured", _how(settings), definitions=_definitions(settings)),
        Part("methods", "Methods", definitions=list(settings.methods.items())),
    ]
    if settings.untried:
        parts.append(_untried(settings))
    return Page(
        title=f"Codes for {title}" if title else "Which codes are good enough?",
        lead=found.sentence,
        parts=parts,
        command=command or "hashlearn.compare(...)",
        versions=package_versions(),
    )


def _quality(options: Sequence[Option], settings: Settings, found: Recommendation) -> Part:
    name, title = "quality", "Quality over bytes"
    try:
        drawn = draw(options, settings, found)
    except ImportError as error:  # the rest of the page needs no matplotlib
        return Part(name, title, str(error))
    caption = "Quality over bytes per item. Bars are standard errors."
    return Part(name, title, pictures=[Picture(name, caption, drawn)])


def _made_with_vectors(found: Recommendation) -> list[Part]:
    if not found.rescored_command:
        return []
    said = "Smaller or better codes, if the file of the vectors is kept to order candidates:"
    return [Part("vectors", "With the vectors at hand", said, listings=[found.rescored_command])]


def _costs(options: Sequence[Option], settings: Settings, found: Recommendation) -> Table:
    """Return the cost of the recommended codes and of the vectors."""
    option = next(
        one
        for one in options
        if (one.method, one.n_bits, one.search) == (found.method, found.n_bits, found.search)
    )
    per_vector = settings.vector_bytes
    rows = [
        ["bytes per item", f"{option.n_bytes:,}", f"{per_vector:,}"],
        ["megabytes per million items, without ids", f"{option.n_bytes:,}", f"{per_vector:,}"],
        [
            f"seconds to fit to {option.n_training:,} items",
            _number(option.fit_seconds),
            NONE,
        ],
        ["microseconds to encode an item", _number(option.encode_microseconds), NONE],
        [
            f"queries per second among {option.n_database:,} items",
            NONE if option.queries_per_second is None else f"{option.queries_per_second:,.0f}",
            NONE,
        ],
    ]
    cells = [[Cell(text) for text in row] for row in rows]
    name = f"{found.method}, {found.n_bits} bits"
    return Table("", ["", name, "vectors, float32"], [Section("", cells)])


def _how(settings: Settings) -> str:
    sizes = settings.sizes
    first = ", labelled ones first" if settings.n_missing else ""
    sampled = (
        f" A random sample of {settings.n_sampled:,} of {settings.n_items:,} items was compared "
        f"on, as many as fit into the memory{first}; recall among all items is lower than among "
        "fewer."
        if settings.n_sampled < settings.n_items
        else ""
    )
    missing = (
        f" {settings.n_missing:,} items have no label or known pair; they are neither queries nor "
        "in the database, and only methods that use them learn from them."
        if settings.n_missing
        else ""
    )
    new = (
        " For classes kept out, a third of the classes is left out of training, another third in "
        "each fold; the queries are of these classes, the database has all."
        if settings.new_measure
        else ""
    )
    in_use = (
        " The figures in brackets are of a database that has the training items, too, as in use; "
        f"of {IN_USE_QUERIES} queries of each kind at most. Without a target, codes must be good "
        "enough in both."
        if settings.supervised
        else ""
    )
    rounds = (
        f"The first round learned all methods at one length from {sizes.screening().n_training:,} "
        "items and put off the worse half; the next one learned the others"
        if settings.has_first_round
        else "The first round learned all methods"
    )
    lengths = "all lengths"
    if settings.target is not None:
        lengths = "the lengths that a search for the target needs"
    return (
        f"{settings.n_sampled:,} items of {settings.n_features:,} features were split into "
        f"{sizes.n_training:,} training items, a database of {sizes.n_database:,}, "
        f"{sizes.n_queries:,} queries to choose codes by and {sizes.n_queries:,} others, on which "
        "nothing was chosen: the figures of the recommendation are of these, those of the table "
        "and the picture of the former. No item is in two parts."
        f"{in_use}{sampled}{missing}{new}\n\n"
        f"{rounds} at {lengths}; further ones, up to {N_FOLDS} folds, "
        "repeated those that may be chosen on other parts of the items. The table and the picture "
        "show the first fold, which all have in common. An error is the standard error of a mean "
        "over queries, and between folds. A target is reached if the mean less its error reaches "
        "it, and the queries kept for it agree. Codes are level if their difference on the same "
        "queries is within two of its standard errors.\n\n"
        f"Measuring took {settings.seconds:.0f} seconds."
    )


def _definitions(settings: Settings) -> list[tuple[str, str]]:
    k = settings.k
    nearest = {
        "cosine": "the largest cosine",
        "inner_product": "the largest inner product",
        "euclidean": "the smallest Euclidean distance",
    }[settings.metric]
    meanings = {
        f"recall@{k}": f"the share of the {k} items of {nearest} that are among the first {k} "
        "found, or among twice, four or ten times as many candidates that the vectors put in "
        "order; equally distant codes as a search returns them, items as near as the last of the "
        f"{k} count",
        f"precision@{k}": f"the share of the first {k} items that share a label with the query, or "
        "are similar to it; the mean over all orders of equally distant items",
        "map": "mean average precision over the whole ranking, divided by all relevant items; the "
        "mean over all orders of equally distant items; queries with nothing relevant are left out",
        f"ndcg@{k}": f"discounted gain of the first {k} items over that of the best ranking, the "
        "gain being the number of labels in common",
    }
    return [
        (in_words(name), meanings[name.removeprefix(NEW)])
        for name in settings.measures
        if not name.startswith(NEW)
    ]


def _untried(settings: Settings) -> Part:
    said = [(reason, "; ".join(what)) for reason, what in settings.untried.items()]
    return Part("untried", "What was not tried", definitions=said)


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}" if value < 10 else f"{value:,.0f}"
