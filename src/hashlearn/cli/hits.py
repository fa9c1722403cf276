"""What a search found: JSON lines for machines, a table for people."""

from __future__ import annotations

import json
import sys
from itertools import chain, islice

from rich.console import Console
from rich.text import Text

from hashlearn.cli.codes import CodeSource
from hashlearn.cli.finder import Hits, Search
from hashlearn.cli.progress import row_progress
from hashlearn.cli.tables import plain_table

N_PRINTED = 20  # queries in the table
N_SHOWN = 100  # neighbours of each


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
    """Print what is found for the first queries, and say how many more there are."""
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
    """Return one query's hits as a line of JSON."""
    found = {"query": hits.query, "ids": hits.ids.tolist(), f"{value}s": hits.distances.tolist()}
    return json.dumps(found) + "\n"


def _in_words(hits: Hits) -> Text:
    """Return the first of one query's hits for the table."""
    found = zip(hits.ids.tolist(), hits.distances.tolist(), strict=True)
    shown = [f"{id_} ({distance:.4g})" for id_, distance in islice(found, N_SHOWN)]
    more = len(hits.ids) - len(shown)
    return Text("  ".join(shown + ([f"and {more:,} more"] if more else [])) or "nothing")
