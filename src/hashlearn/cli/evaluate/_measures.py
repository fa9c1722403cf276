"""Measures of `hashlearn evaluate`, and their report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from hashlearn._numerics.buckets import find_buckets
from hashlearn._numerics.checks import check_option
from hashlearn._numerics.words import by_word
from hashlearn.cli._shared.options import check_hamming_radius
from hashlearn.cli._shared.outputs import plain_table, print_table
from hashlearn.cli.evaluate._sides import LabelledItems, Side, as_one_kind, count_relevant
from hashlearn.metrics import Evaluation, evaluate, relevance_from_labels
from hashlearn.metrics.counts import Ties

TIE_RULES = {
    "expected": "mean over all orders of equally distant items",
    "neutral": "equally distant items as a search returns them",
    "insertion": "equally distant items by position in the database",
}


@dataclass(frozen=True)
class Settings:
    """Settings of the measures: cut-offs of precision and average precision, radius, tie rule.

    With queries that are not rounded to bits, asymmetric ones, a radius is in units of their
    distances: there is none unless it is given.
    """

    k: int
    cutoff: int
    radius: float | None
    ties: str
    asymmetric: bool

    @classmethod
    def given(
        cls, k: int, cutoff: int, radius: float | None, ties: str, *, asymmetric: bool
    ) -> Settings:
        """Return checked settings."""
        check_option("--ties", ties, Ties)
        if not asymmetric:
            radius = check_hamming_radius(2 if radius is None else radius)
        return cls(k, cutoff, radius, ties, asymmetric)


@dataclass(frozen=True)
class Report:
    """The measures, their settings, and what limits them.

    `best_precision_at_k` is the mean precision of a perfect ranking, which has only as many
    relevant items as there are. `n_known` queries are also in the database. `n_distinct` codes of
    the database differ. `n_left_out` queries and items have no label.
    """

    n_queries: int
    n_database: int
    n_bits: int
    settings: Settings
    evaluation: Evaluation
    best_precision_at_k: float
    n_distinct: int
    n_known: int | None
    n_left_out: tuple[int, int]

    def as_json(self) -> str:
        """Return one JSON object; a measure that is not defined is null."""
        found: dict[str, Any] = {**asdict(self), **asdict(self.settings)}
        found |= self.evaluation._asdict()
        del found["settings"], found["evaluation"]
        return json.dumps(
            {name: None if value != value else value for name, value in found.items()}
        )

    def print(self) -> None:
        """Print a table with cut-offs, denominators and tie rule, and notes."""
        asked, values = self.settings, self.evaluation
        k, cutoff = (min(n, self.n_database) for n in (asked.k, asked.cutoff))
        ceiling = self.best_precision_at_k
        best = f" (a perfect ranking: {ceiling:.4f})" if ceiling < 1 else ""
        rows = {
            "area under the precision-recall curve": values.pr_area,
            f"mean average precision, first {cutoff:,}": values.mean_average_precision,
            f"precision at {k:,}{best}": values.precision_at_k,
        }
        if asked.radius is not None:
            within = f"within radius {asked.radius:g}"
            rows[f"precision {within}"] = values.precision_within_radius
            rows[f"queries with nothing {within}"] = values.empty_share
        table = plain_table()
        table.add_column("measure")
        table.add_column("value", justify="right")
        for title, value in rows.items():
            table.add_row(title, f"{value:.4f}")
        n_queries, n_database = f"{self.n_queries:,} queries", f"{self.n_database:,} items"
        how = ", asymmetric" if asked.asymmetric else ""
        print_table(table, f"{n_queries} in {n_database}, {self.n_bits} bits{how}", self._notes())

    def _notes(self) -> Iterator[str]:
        """Yield what a reader of the table must know."""
        asked = self.settings
        if asked.asymmetric:
            yield "Queries are not rounded to bits; --no-asymmetric measures Hamming distances."
        empty = "" if asked.radius is None else " Nothing within the radius counts 0."
        yield (
            f"Ties: {asked.ties}, {TIE_RULES[asked.ties]}. Average precision divides by the "
            f"relevant items found within its cut-off.{empty}"
        )
        if asked.k > self.n_database:
            yield f"-k {asked.k:,} is more than there is: precision is at {self.n_database:,}."
        if self.n_known:
            yield (
                f"{self.n_known:,} of {self.n_queries:,} queries are also in the database and find "
                "themselves: measure with queries that are not."
            )
        if 2 * self.n_distinct <= self.n_database:
            yield (
                f"{self.n_database:,} items have {self.n_distinct:,} distinct codes: most ties are "
                "equal codes, which only `search --rescore vectors` can put in order."
            )
        if any(self.n_left_out):
            queries, items = self.n_left_out
            yield f"Without a label, and left out: {queries:,} queries and {items:,} items."


def measure(
    queries: LabelledItems,
    database: LabelledItems,
    settings: Settings,
    progress: bool | None,
    client: Any = None,
) -> Report:
    """Encode both sides and measure how queries find database items of their label."""
    hasher = queries.codes.hasher if settings.asymmetric else None
    asked = queries.read("Encoding queries", progress, hasher)
    there = database.read("Encoding the database", progress)
    labels = as_one_kind(asked.labels, there.labels)
    evaluation = _evaluate(client)(
        asked.codes,
        there.codes,
        *labels,
        k=settings.k,
        map_cutoff=settings.cutoff,
        radius=settings.radius,
        ties=cast(Ties, settings.ties),
        n_bits=database.codes.n_bits,
        ids=there.ids,
    )
    k = min(settings.k, len(there.codes))
    return Report(
        len(asked.codes),
        len(there.codes),
        database.codes.n_bits,
        settings,
        evaluation,
        float(np.minimum(count_relevant(*labels), k).mean() / k),
        find_buckets(by_word(there.codes), len(there.codes))[2],
        _count_known(asked, there),
        (asked.n_left_out, there.n_left_out),
    )


def _count_known(queries: Side, database: Side) -> int | None:
    """Return the number of queries that are also in the database; None if that is not known."""
    if queries.keys is None or database.keys is None:
        return None
    return int(np.isin(queries.keys, database.keys).sum())


def _evaluate(client: Any) -> Callable[..., Evaluation]:
    """Return the function that measures codes and labels, on a cluster if there is one."""
    if client is None:
        return _evaluate_here
    from hashlearn.distributed import evaluate as evaluate_there

    return partial(evaluate_there, client=client)


def _evaluate_here(
    query_codes: np.ndarray, codes: np.ndarray, *labels: np.ndarray, **settings: Any
) -> Evaluation:
    return evaluate(query_codes, codes, relevance_from_labels(*labels), **settings)
