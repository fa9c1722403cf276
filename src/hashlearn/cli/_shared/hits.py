"""Results of a search, printed as JSON lines for machines or as a table for people."""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import chain, islice, pairwise
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.text import Text

from hashlearn._numerics.ids import NOT_FOUND
from hashlearn.cli._shared.codes import CodeBlock, CodeSource
from hashlearn.cli._shared.options import DEFAULT_K
from hashlearn.cli._shared.outputs import plain_table, row_progress
from hashlearn.search.results import Neighbours, RadiusHits

N_PRINTED = 20  # queries in the table
N_SHOWN = 100  # neighbours of each


class Hits(NamedTuple):
    """The hits of one query: its position, and ids and distances (or scores)."""

    query: int
    ids: np.ndarray
    distances: np.ndarray


class Search(ABC):
    """A search that can be printed: the k nearest items of each query, or all within a radius."""

    value = "distance"

    def __init__(self, k: int | None, radius: int | None, n_together: int) -> None:
        self.k, self.radius = DEFAULT_K if k is None else k, radius
        self._n_together = n_together  # queries

    @property
    @abstractmethod
    def among(self) -> str:
        """The searched items, in words."""

    @abstractmethod
    def _nearest(self, block: CodeBlock) -> Neighbours:
        """Return the k nearest items of some queries."""

    @abstractmethod
    def _within(self, block: CodeBlock, radius: int) -> RadiusHits:
        """Return all items within a radius of some queries."""

    @property
    def title(self) -> str:
        """What is searched for, in words."""
        what = f"The {self.k} nearest" if self.radius is None else f"All within {self.radius}"
        return f"{what} of {self.among}: id ({self.value})"

    def find(self, block: CodeBlock) -> Iterator[list[Hits]]:
        """Yield the hits of the queries of a block, a few queries at a time."""
        for first in range(0, len(block.packed), self._n_together):
            some = block.rows(first, first + self._n_together)
            if self.radius is None:
                found = _nearest_hits(self._nearest(some))
            else:
                found = _radius_hits(self._within(some, self.radius))
            yield [Hits(query, *hits) for query, hits in enumerate(found, start=some.start)]


def _nearest_hits(found: Neighbours) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for ids, distances in zip(found.ids, found.distances, strict=True):
        yield ids[ids != NOT_FOUND], distances[ids != NOT_FOUND]


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
                sys.stdout.writelines(_json_line(hits, search.value) for hits in some)
                sys.stdout.flush()
                advance(len(some))


def _print_table(search: Search, source: CodeSource) -> None:
    """Print the hits of the first queries, and how many more queries there are."""
    table = plain_table(search.title)
    table.add_column("query", justify="right")
    table.add_column("found")
    blocks, n_queries = source.head(N_PRINTED)
    for some in chain.from_iterable(map(search.find, blocks)):
        for hits in some:
            table.add_row(str(hits.query), _in_words(hits))
    console = Console()
    console.print(table)
    if n_queries > N_PRINTED:
        console.print(f"{n_queries - N_PRINTED:,} more queries; --json prints all.")


def _json_line(hits: Hits, value: str) -> str:
    found = {"query": hits.query, "ids": hits.ids.tolist(), f"{value}s": hits.distances.tolist()}
    return json.dumps(found) + "\n"


def _in_words(hits: Hits) -> Text:
    """Return the first hits of one query for the table."""
    found = zip(hits.ids.tolist(), hits.distances.tolist(), strict=True)
    shown = [f"{id_} ({distance:.4g})" for id_, distance in islice(found, N_SHOWN)]
    more = len(hits.ids) - len(shown)
    return Text("  ".join(shown + ([f"and {more:,} more"] if more else [])) or "nothing")
