"""Exact neighbours of one code in SQLite, by sqlite-vec's k-NN or by a scan of the table.

The k-NN is quick for small k, returns at most 4,096 items, and chooses freely among those that tie
at the end. It can be restricted to some ids, but then misses items whose ids are far apart
(sqlite-vec 0.1.9). Where it is not enough, a scan computes the distance of every item that fulfils
the conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hashlearn.stores.batches import Found
from hashlearn.stores.sqlite._connection import Connection
from hashlearn.stores.sqlite._tables import clause, quoted
from hashlearn.stores.where import Condition

MOST = 4096  # sqlite-vec's largest k
MOST_NEAREST = 500  # from about here on a scan is quicker than its k-NN


class Search:
    """The search for one code, in sqlite-vec's bit order, within a transaction."""

    def __init__(
        self,
        connection: Connection,
        items: str,
        codes: str,
        query: bytes,
        conditions: Sequence[Condition],
    ) -> None:
        self._connection, self._query = connection, query
        self._items, self._codes = quoted(items), quoted(codes)
        self._clause = clause(connection, conditions)
        self._filtered = bool(conditions)

    def nearest(self, k: int) -> Found:
        """Return the k nearest items."""
        if k > MOST_NEAREST or self._filtered:
            return self._scan("order by distance limit ?", k)
        return self._match(k)

    def within(self, radius: int) -> Found:
        """Return all items within a distance."""
        if not self._filtered:
            found = self._match(MOST, radius)
            if len(found.ids) < MOST:
                return found
        return self._scan("where distance <= ?", radius)

    def _match(self, k: int, radius: int | None = None) -> Found:
        """Return k nearest items by the k-NN, or those of them within a distance."""
        sql = f"select id, distance from {self._codes} where code match vec_bit(?) and k = ?"
        parameters: list[Any] = [self._query, k]
        if radius is not None:
            sql += " and distance <= ?"
            parameters.append(radius)
        return Found.of_rows(self._connection.execute(sql, parameters))

    def _scan(self, rest: str, *parameters: int) -> Found:
        """Return items by a scan, selected by the rest of the statement."""
        sql = (
            "with scanned as (select i.id as id, "
            "vec_distance_hamming(c.code, vec_bit(?)) as distance "
            f"from {self._items} i cross join {self._codes} c on c.id = i.id "
            f"where {self._clause.sql}) select id, distance from scanned {rest}"
        )
        return Found.of_rows(
            self._connection.execute(sql, [self._query, *self._clause.parameters, *parameters])
        )
