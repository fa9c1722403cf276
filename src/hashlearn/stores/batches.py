"""What goes into a table and comes out of it: layouts, batches of items, what a query found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.ids import NOT_FOUND, Ids, as_ids
from hashlearn.search.packing import check_packed
from hashlearn.search.results import Neighbours, RadiusHits
from hashlearn.stores.columns import ColumnType, check_values


class Batch(NamedTuple):
    """Some items of a table.

    Attributes
    ----------
    ids : ndarray of shape (n,), int64
    packed : ndarray of shape (n, ceil(n_bits / 8)), uint8
        Packed codes.
    values : dict of str to ndarray of shape (n,)
        What the columns hold: int64, float64, bool, or texts as objects.
    """

    ids: np.ndarray
    packed: np.ndarray
    values: dict[str, np.ndarray]

    @classmethod
    def checked(
        cls, layout: Layout, packed: ArrayLike, ids: Any, values: Mapping[str, Any] | None
    ) -> Batch:
        """Return items as users give them, if they fit a layout."""
        packed = check_packed(packed, layout.n_bits, "packed")
        known = Ids().appended(len(packed), as_ids(ids))  # raises on wrong ones
        return cls(known.values, packed, check_values(values, layout.columns, len(packed)))

    def rows(self, first: int, stop: int) -> Batch:
        """Return some of the items."""
        values = {name: column[first:stop] for name, column in self.values.items()}
        return Batch(self.ids[first:stop], self.packed[first:stop], values)


class Found(NamedTuple):
    """What an engine found for one query, in any order: ids and distances, int64."""

    ids: np.ndarray
    distances: np.ndarray

    @classmethod
    def of_rows(cls, rows: Any) -> Found:
        """Return what rows of (id, distance) hold."""
        pairs = np.array([(int(id_), int(distance)) for id_, distance in rows], dtype=np.int64)
        return cls(*pairs.reshape(-1, 2).T)

    def in_order(self) -> Found:
        """Return it by distance, then by id."""
        order = np.lexsort((self.ids, self.distances))
        return Found(self.ids[order], self.distances[order])


class Layout(NamedTuple):
    """What a table is made of.

    Attributes
    ----------
    n_bits : int
        Bits per code.
    columns : dict of str to type
        What is kept beside ids and codes.
    """

    n_bits: int
    columns: dict[str, ColumnType]

    def in_words(self) -> str:
        """Return it as a part of a sentence."""
        columns = [f"{name} ({kind.__name__})" for name, kind in self.columns.items()]
        return f"codes of {self.n_bits} bits with columns {', '.join(columns) or 'none'}"


def padded(rows: list[Found], k: int, n_bits: int) -> Neighbours:
    """Return rows of equal length; what is missing has id -1 and a distance beyond all."""
    width = min(k, max((len(found.ids) for found in rows), default=0))
    distances = np.full((len(rows), width), n_bits + 1, dtype=np.int64)
    ids = np.full((len(rows), width), NOT_FOUND, dtype=np.int64)
    for row, found in enumerate(rows):
        n_found = min(width, len(found.ids))
        distances[row, :n_found] = found.distances[:n_found]
        ids[row, :n_found] = found.ids[:n_found]
    return Neighbours(distances, ids)


def joined(rows: list[Found]) -> RadiusHits:
    """Return rows of any length one after the other."""
    none = Found.of_rows(())
    return RadiusHits(
        np.cumsum([0, *(len(found.ids) for found in rows)], dtype=np.int64),
        np.concatenate([found.ids for found in (none, *rows)]),
        np.concatenate([found.distances for found in (none, *rows)]),
    )
