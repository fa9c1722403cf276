"""The search of one `hashlearn store search`: its conditions, applied to blocks of queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from hashlearn.cli._shared.codes import CodeBlock
from hashlearn.cli._shared.hits import Search
from hashlearn.search import Rescoring
from hashlearn.search.results import Neighbours, RadiusHits
from hashlearn.stores import Store
from hashlearn.stores.batches import ColumnType
from hashlearn.stores.where import Where

if TYPE_CHECKING:
    from hashlearn.base import BaseHasher

TOGETHER = 16  # queries per result: a database searches for one at a time, so more gain nothing


class StoreFinder(Search):
    """A search for the k nearest, or all within a radius; exact unless `effort` is given.

    `query_hasher` is the hasher of a search that is rescored, by the margins of its float queries
    unless there is another `rescoring`. The signs of margins find the candidates: where codes are
    made for float queries, they find more than the query's own code, otherwise they are this code.
    """

    def __init__(
        self,
        store: Store,
        *,
        k: int | None,
        radius: int | None,
        where: Where,
        effort: int | None,
        show: str | None,
        rescoring: Callable[[CodeBlock], Rescoring] | None,
        query_hasher: BaseHasher | None,
        oversample: float,
    ) -> None:
        n_items = store.count(where)
        if where and not n_items:
            raise ValueError(f"no item of {store} fulfils --where: check its values.")
        shown = None if show is None else StoreValues(store, show)
        super().__init__(k, radius, n_items, TOGETHER, shown)
        self.store, self.where, self.effort = store, where, effort
        self._rescoring, self._oversample = rescoring, oversample
        self.value, self._query_hasher = (
            "distance" if query_hasher is None else "score",
            query_hasher,
        )
        self.how = ", rescored by margins" if query_hasher and rescoring is None else ""

    @property
    def among(self) -> str:
        """The searched items, in words."""
        left = " that --where leaves" if self.where else ""
        return f"{self.n_items:,} items{left}"

    def _nearest(self, block: CodeBlock) -> Neighbours:
        hasher = self._query_hasher
        return self.store.search(
            block.packed if hasher is None else hasher.encode_queries(block.items),
            self.k,
            where=self.where,
            effort=self.effort,
            rescore=None if self._rescoring is None else self._rescoring(block),
            oversample=self._oversample,
        )

    def _within(self, block: CodeBlock, radius: float) -> RadiusHits:
        return self.store.radius_search(block.packed, int(radius), where=self.where)


class StoreValues:
    """Columns of a table that are printed beside ids."""

    def __init__(self, store: Store, given: str) -> None:
        self.store = store
        self.columns = tuple(given.split(","))
        store.get([], columns=self.columns)  # raises for an unknown one

    def of_ids(self, ids: np.ndarray) -> dict[str, list[Any]]:
        """Return the values of each column, one per id."""
        values = self.store.get(ids, columns=self.columns).values
        return {name: values[name].tolist() for name in self.columns}


def known_columns(store: Store) -> dict[str, ColumnType]:
    """Return the columns that --where may name, with their types."""
    return {"id": store.id_type, **store.columns}
