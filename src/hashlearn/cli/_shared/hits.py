"""Results of a search, printed as JSON lines for machines or as a table for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import chain, islice, pairwise
from typing import NamedTuple, Protocol

import numpy as np
from rich.console import Console
from rich.text import Text

from hashlearn._numerics.ids import NOT_FOUND
from hashlearn.cli._shared.codes import CodeBlock, CodeSource
from hashlearn.cli._shared.outputs import plain_table, row_progress
from hashlearn.search.results import Neighbours, RadiusHits

N_PRINTED = 20  # queries in the table
N_SHOWN = 100  # neighbours of each


class Hits(NamedTuple):
    """The hits of one query: its position, and ids and distances (or scores)."""

    query: int
    ids: np.ndarray
    distances: np.ndarray


class Search(Protocol):
    """A search that can be printed."""

    @property
    def value(self) -> str:
        """Whether a hit has a distance or a score."""

    @property
    def title(self) -> str:
        """What is searched for, in words."""

    def find(self, block: CodeBlock) -> Iterator[list[Hits]]:
        """Yield the hits of the queries of a block, a few queries at a time."""


def nearest_hits(found: Neighbours, start: int) -> list[Hits]:
    """Return the neighbours of consecutive queries; `start` is the position of the first."""
    rows = enumerate(zip(found.ids, found.distances, strict=True), start=start)
    return [
        Hits(query, ids[ids != NOT_FOUND], distances[ids != NOT_FOUND])
        for query, (ids, distances) in rows
    ]


def radius_hits(found: RadiusHits, start: int) -> list[Hits]:
    """Return the hits within a radius of consecutive queries; the first is at `start`."""
    offsets, ids, distances = found
    bounds = enumerate(pairwise(offsets.tolist()), start=start)
    return [Hits(query, ids[begin:end], distances[begin:end]) for query, (begin, end) in bounds]


def print_json_lines(finder: Search, source: CodeSource, progress: bool | None) -> None:
    """Print one JSON object per query, a block of them as soon as it is found."""
    if progress is None and sys.stdout.isatty():
        progress = False  # a bar between the lines helps nobody
    with row_progress("Searching", source.source, progress) as advance:
        for block in source.blocks():
            for some in finder.find(block):
                sys.stdout.writelines(_json_line(hits, finder.value) for hits in some)
                sys.stdout.flush()
                advance(len(some))


def print_table(finder: Search, source: CodeSource) -> None:
    """Print the hits of the first queries, and how many more queries there are."""
    table = plain_table(finder.title)
    table.add_column("query", justify="right")
    table.add_column("found")
    blocks, n_queries = source.head(N_PRINTED)
    for some in chain.from_iterable(map(finder.find, blocks)):
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
