"""Results of a search, printed as JSON lines for machines or as a table for people."""

from __future__ import annotations

import json
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from itertools import chain, islice, pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from rich.table import Table
from rich.text import Text

from hashlearn._numerics.ids import NOT_FOUND
from hashlearn.cli._shared.codes import CodeBlock, CodeSource
from hashlearn.cli._shared.console import console
from hashlearn.cli._shared.options import DEFAULT_K
from hashlearn.cli._shared.outputs import plain_table, print_table, row_progress
from hashlearn.search.results import Neighbours, RadiusHits

N_PRINTED = 20  # queries in the table
N_PRINTED_WITH_VALUES = 5  # fewer, as each hit has a line
N_SHOWN = 100  # neighbours of each


class Shown(Protocol):
    """Values of items that are printed beside their ids."""

    columns: tuple[str, ...]

    def of_ids(self, ids: np.ndarray) -> dict[str, list[Any]]:
        """Return the values of each column, one per id."""


class Hits(NamedTuple):
    """The hits of one query: its id or position, ids and distances (or scores), shown values."""

    query: int | str
    ids: np.ndarray
    distances: np.ndarray
    values: dict[str, list[Any]]


class Search(ABC):
    """A search that can be printed: the k nearest items of each query, or all within a radius.

    `n_items` are searched; a larger k finds all of them. `how` says in words by what, and `facts`
    are in each line of JSON.
    """

    value, how = "distance", ""
    facts: Mapping[str, Any] = {}

    def __init__(
        self,
        k: int | None,
        radius: float | None,
        n_items: int,
        n_together: int,
        shown: Shown | None = None,
    ) -> None:
        if k is not None and k > n_items > 0:
            warnings.warn(f"-k {k} is more than there is: {n_items:,} items.", stacklevel=2)
        self.k, self.radius = max(1, min(k or DEFAULT_K, n_items)), radius
        self.n_items, self.shown = n_items, shown
        self._n_together = n_together  # queries

    @property
    @abstractmethod
    def among(self) -> str:
        """The searched items, in words."""

    @abstractmethod
    def _nearest(self, block: CodeBlock) -> Neighbours:
        """Return the k nearest items of some queries."""

    @abstractmethod
    def _within(self, block: CodeBlock, radius: float) -> RadiusHits:
        """Return all items within a radius of some queries."""

    @property
    def title(self) -> str:
        """What is searched for, in words."""
        what = f"The {self.k} nearest" if self.radius is None else f"All within {self.radius:g}"
        cells = "" if self.shown else f": id ({self.value})"
        return f"{what} of {self.among}{self.how}{cells}"

    def find(self, block: CodeBlock) -> Iterator[list[Hits]]:
        """Yield the hits of the queries of a block, a few queries at a time."""
        for first in range(0, len(block.packed), self._n_together):
            some = block.rows(first, first + self._n_together)
            if self.radius is None:
                found = _nearest_hits(self._nearest(some))
            else:
                found = _radius_hits(self._within(some, self.radius))
            yield [
                Hits(name, ids, distances, self.shown.of_ids(ids) if self.shown else {})
                for name, (ids, distances) in zip(_names(some), found, strict=True)
            ]


def _names(block: CodeBlock) -> list[int | str]:
    """Return the ids of queries, or their positions."""
    if block.values is None:
        return list(range(block.start, block.start + len(block.packed)))
    return np.asarray(block.values).tolist()


def _nearest_hits(found: Neighbours) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    nothing = None if found.ids.dtype == object else NOT_FOUND
    for ids, distances in zip(found.ids, found.distances, strict=True):
        yield ids[ids != nothing], distances[ids != nothing]


def _radius_hits(found: RadiusHits) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    offsets, ids, distances = found
    for begin, end in pairwise(offsets.tolist()):
        yield ids[begin:end], distances[begin:end]


def print_hits(
    search: Search, codes: CodeSource, as_json: bool, progress: bool | None = None
) -> None:
    """Print what is found: JSON for every query, or a table of the first ones."""
    if as_json:
        _print_json_lines(search, codes, progress)
    else:
        _print_table(search, codes)


def _print_json_lines(search: Search, source: CodeSource, progress: bool | None) -> None:
    """Print one JSON object per query, a block of them as soon as it is found."""
    if progress is None and sys.stdout.isatty():
        progress = False  # lines on a terminal need no bar between them
    with row_progress("Searching", source.source, progress) as advance:
        for block in source.blocks():
            for some in search.find(block):
                sys.stdout.writelines(_json_line(hits, search) for hits in some)
                sys.stdout.flush()
                advance(len(some))


def _json_line(hits: Hits, search: Search) -> str:
    values = {f"{search.value}s": hits.distances.tolist()}
    found = {"query": hits.query, "ids": hits.ids.tolist(), **values, **search.facts}
    return json.dumps(found | hits.values, default=str) + "\n"


def _print_table(search: Search, source: CodeSource) -> None:
    """Print the hits of the first queries, and how many more queries there are."""
    n_printed = N_PRINTED_WITH_VALUES if search.shown else N_PRINTED
    blocks, n_queries = source.head(n_printed)
    hits = list(chain.from_iterable(chain.from_iterable(map(search.find, blocks))))
    table = _table_of_values(hits, search) if search.shown else _table_of_ids(hits)
    more = [f"{n_queries - n_printed:,} more queries; --json prints all."]
    print_table(table, search.title, more if n_queries > n_printed else [])


def _table_of_values(found: list[Hits], search: Search) -> Table:
    """Return a line for each hit: its id, its distance and its values."""
    table = plain_table()
    assert search.shown is not None
    for title in ("query", "id", search.value):
        table.add_column(title, justify="right", no_wrap=True)
    for title in search.shown.columns:
        table.add_column(title, overflow="fold")
    for hits in found:
        name = str(hits.query)
        rows = zip(hits.ids.tolist(), hits.distances.tolist(), *hits.values.values(), strict=True)
        for id_, distance, *values in islice(rows, N_SHOWN):
            cells = ("" if value is None else Text(str(value)) for value in values)
            table.add_row(Text(name), Text(str(id_)), f"{distance:.4g}", *cells)
            name = ""
        if name:
            table.add_row(Text(name), "nothing")
    return table


def _table_of_ids(found: list[Hits]) -> Table:
    """Return a line for each query; ids stay with their distances where a line is broken."""
    table = plain_table()
    table.add_column("query", justify="right", no_wrap=True)
    table.add_column("found", no_wrap=True, overflow="ignore")
    names = [str(hits.query) for hits in found]
    width = console().width - max(map(len, [*names, "query"])) - 4
    for name, hits in zip(names, found, strict=True):
        table.add_row(Text(name), Text("\n".join(_lines(_cells(hits), width))))
    return table


def _cells(hits: Hits) -> list[str]:
    """Return the first hits of one query, each in words."""
    found = zip(hits.ids.tolist(), hits.distances.tolist(), strict=True)
    cells = [f"{id_} ({distance:.4g})" for id_, distance in islice(found, N_SHOWN)]
    more = len(hits.ids) - len(cells)
    return [*cells, f"and {more:,} more"] if more else cells or ["nothing"]


def _lines(cells: list[str], width: int) -> Iterator[str]:
    """Yield lines of whole cells."""
    line = cells[0]
    for cell in cells[1:]:
        if len(line) + 2 + len(cell) > width:
            yield line
            line = cell
        else:
            line = f"{line}  {cell}"
    yield line
