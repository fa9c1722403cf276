"""Measures of `hashlearn evaluate`: codes and labels of both sides, and the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from rich.table import Table

from hashlearn._numerics.checks import check_option
from hashlearn.cli._shared.codes import CodeSource, ItemValues
from hashlearn.cli._shared.outputs import plain_table, row_progress
from hashlearn.items import as_numbers, open_items
from hashlearn.metrics import Evaluation, evaluate, relevance_from_labels
from hashlearn.metrics.counts import Ties

TIE_RULES = {
    "expected": "mean over all orders of equally distant items",
    "neutral": "equally distant items as a search returns them",
    "insertion": "equally distant items by position in the database",
}


class LabelledItems(NamedTuple):
    """One side of a search: codes and labels of items."""

    codes: CodeSource
    labels: ItemValues

    def read(self, description: str, progress: bool | None) -> tuple[np.ndarray, np.ndarray]:
        """Return all packed codes, and all labels."""
        packed, labels = [], []
        with row_progress(description, self.codes.source, progress) as advance:
            for block in self.codes.blocks():
                packed.append(block.packed)
                labels.append(block.values)
                advance(len(block.packed))
        if not packed:
            raise ValueError(f"'{self.codes.source.path}' has no items.")
        self.labels.check_whole(np.concatenate(labels))
        return np.concatenate(packed), np.concatenate(labels)


def open_labelled(
    path: Path,
    array: str | None,
    encoded: Callable[..., CodeSource],
    option: str,
    own: str | None,
    common: str | None,
) -> LabelledItems:
    """Open items and their labels: those of their own `option`, or the common ones.

    `encoded` makes the source of codes from items and labels.
    """
    if own is None and common is None:
        raise ValueError(f"'{path}' needs labels: give --labels for both inputs, or {option}.")
    source = open_items(path, array)
    named = (option, own) if own is not None else ("--labels", common or "")
    labels = ItemValues(*named, source)
    return LabelledItems(encoded(source, values=labels), labels)


@dataclass(frozen=True)
class Settings:
    """Settings of the measures: cut-offs of precision and average precision, radius, tie rule."""

    k: int
    cutoff: int
    radius: int
    ties: str

    def __post_init__(self) -> None:
        check_option("--ties", self.ties, Ties)


@dataclass(frozen=True)
class Report:
    """The measures and their settings."""

    n_queries: int
    n_database: int
    n_bits: int
    settings: Settings
    evaluation: Evaluation

    def as_json(self) -> str:
        """Return one JSON object; a measure that is not defined is null."""
        values = self.evaluation._asdict()
        found: dict[str, Any] = {**asdict(self), **asdict(self.settings)}
        del found["settings"], found["evaluation"]
        return json.dumps(
            found | {name: None if np.isnan(value) else value for name, value in values.items()}
        )

    def as_table(self) -> Table:
        """Return a table with cut-offs, denominators and tie rule."""
        asked, values = self.settings, self.evaluation
        k, cutoff = (min(n, self.n_database) for n in (asked.k, asked.cutoff))
        table = plain_table(
            f"{self.n_queries:,} queries in {self.n_database:,} items, {self.n_bits} bits"
        )
        table.add_column("measure")
        table.add_column("value", justify="right")
        rows = {
            "area under the precision-recall curve": values.pr_area,
            f"mean average precision, first {cutoff:,}": values.mean_average_precision,
            f"precision at {k:,}": values.precision_at_k,
            f"precision within radius {asked.radius}": values.precision_within_radius,
            f"queries with nothing within radius {asked.radius}": values.empty_share,
        }
        for title, value in rows.items():
            table.add_row(title, f"{value:.4f}")
        table.caption = (
            f"Ties: {asked.ties}, {TIE_RULES[asked.ties]}. Average precision divides by the "
            "relevant items found within its cut-off. Nothing within the radius counts 0."
        )
        table.caption_justify = "left"
        return table


def measure(
    queries: LabelledItems,
    database: LabelledItems,
    settings: Settings,
    progress: bool | None,
    client: Any = None,
) -> Report:
    """Encode both sides and measure how queries find database items of their label."""
    query_codes, query_labels = queries.read("Encoding queries", progress)
    codes, labels = database.read("Encoding the database", progress)
    evaluation = _evaluate(client)(
        query_codes,
        codes,
        *_as_one_kind(query_labels, labels),
        k=settings.k,
        map_cutoff=settings.cutoff,
        radius=settings.radius,
        ties=cast(Ties, settings.ties),
        n_bits=database.codes.n_bits,
    )
    return Report(len(query_codes), len(codes), database.codes.n_bits, settings, evaluation)


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


def _as_one_kind(queries: np.ndarray, database: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return text as numbers if both sides are all numbers, so that '3' equals '3.0'."""
    numbers = as_numbers(queries), as_numbers(database)
    are_text = [labels.dtype.kind == "U" for labels in numbers]
    return (queries, database) if any(are_text) else numbers
