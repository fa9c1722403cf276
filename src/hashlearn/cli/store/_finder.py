"""The search of one `hashlearn store search`, applied to blocks of queries."""

from __future__ import annotations

from collections.abc import Iterator

from hashlearn.cli._shared.codes import CodeBlock
from hashlearn.cli._shared.hits import Hits, nearest_hits, radius_hits
from hashlearn.stores import Store
from hashlearn.stores.where import Where

TOGETHER = 16  # queries per result: a database searches for one at a time, so more gain nothing


class StoreFinder:
    """A search for the k nearest, or all within a radius; exact unless `effort` is given."""

    value = "distance"

    def __init__(
        self, store: Store, *, k: int, radius: int | None, where: Where, effort: int | None
    ) -> None:
        self.store = store
        self.k, self.radius = k, radius
        self.where, self.effort = where, effort

    @property
    def title(self) -> str:
        """A title for what is found."""
        what = f"The {self.k} nearest" if self.radius is None else f"All within {self.radius}"
        left = " that --where leaves" if self.where else ""
        return f"{what} of {self.store.count(self.where):,} items{left}: id ({self.value})"

    def find(self, block: CodeBlock) -> Iterator[list[Hits]]:
        """Yield the hits of the queries of a block, some of them at a time."""
        for first in range(0, len(block.packed), TOGETHER):
            yield self._hits(block.rows(first, first + TOGETHER))

    def _hits(self, block: CodeBlock) -> list[Hits]:
        if self.radius is not None:
            found = self.store.radius_search(block.packed, self.radius, where=self.where)
            return radius_hits(found, block.start)
        nearest = self.store.search(block.packed, self.k, where=self.where, effort=self.effort)
        return nearest_hits(nearest, block.start)
