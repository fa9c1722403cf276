"""What every store offers: a table of ids and packed codes, filled and searched.

This file checks, cuts into batches, sorts and pads; an adapter's file speaks to its engine, in
short methods. Codes are handed over in the library's own order, `numpy.packbits`' (first
bit highest), padded with zeros; an adapter turns them into what its engine calls first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_n_bits, check_radius
from hashlearn._numerics.ids import as_ids
from hashlearn._progress import track
from hashlearn._registry import NameTable
from hashlearn.search.packing import check_packed
from hashlearn.search.results import Neighbours, RadiusHits
from hashlearn.stores.batches import Batch, Found, Layout, joined, padded
from hashlearn.stores.checks import check_count
from hashlearn.stores.columns import Columns, ColumnType, check_columns
from hashlearn.stores.errors import StoreError
from hashlearn.stores.names import check_name
from hashlearn.stores.where import Condition, Where, as_conditions

STORES: NameTable[type[Store]] = NameTable("store")
register = STORES.register

BATCH_SIZE = 50_000  # items per transaction: what a crash can cost, and a second or so of work


class Store(ABC):
    """A table of packed codes in a database.

    Neighbours come by distance, and equal distances by id. An exact search that has to choose
    among equally distant items at the end of its k takes those that `tie_rule` names.

    Parameters
    ----------
    address : str
        Where the database is, as the engine has it: a path, or a connection string.
    table : str, default="items"
        The table's name: letters, digits and _.
    """

    takes_address: ClassVar[bool] = False  # the whole address, not what follows its scheme
    indexable: ClassVar[bool] = False  # `build_index` makes searches that are approximate
    tie_rule: ClassVar[str] = "lowest ids"  # or "the engine's choice"

    def __init__(self, address: str, table: str = "items") -> None:
        self.table = check_name(table, "table")
        self._layout: Layout | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.table!r} in {self.place}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What users call.

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the database is, in words without a password."""

    @property
    def n_bits(self) -> int:
        """Bits per code of the table."""
        return self._existing().n_bits

    @property
    def columns(self) -> dict[str, ColumnType]:
        """What the table keeps beside ids and codes, by name."""
        return dict(self._existing().columns)

    def exists(self) -> bool:
        """Tell whether the table is there."""
        self._layout = self._read_layout()
        return self._layout is not None

    def create(
        self, n_bits: int, columns: Columns | None = None, *, exist_ok: bool = False
    ) -> Self:
        """Make the table.

        Parameters
        ----------
        n_bits : int
            Bits per code.
        columns : mapping of str to type, optional
            What to keep beside ids and codes: int, float, str or bool, for `where`.
        exist_ok : bool, default=False
            Take a table that is there already, if it has these bits and columns.

        Returns
        -------
        self : Store
        """
        check_n_bits(n_bits)
        wanted = Layout(int(n_bits), check_columns(columns))
        there = self._read_layout() or self._make(wanted)
        if there is not None and not exist_ok:
            raise StoreError(f"{self!r} is there already: drop it first, or add to it.")
        if there not in (None, wanted):
            raise StoreError(
                f"{self!r} has {there.in_words()}, and {wanted.in_words()} were asked for."
            )
        self._layout = wanted
        return self

    def add(
        self,
        packed: ArrayLike,
        ids: Any,
        values: Mapping[str, Any] | None = None,
        *,
        batch_size: int = BATCH_SIZE,
        verbose: int = 0,
    ) -> None:
        """Add items, or replace those whose ids are there: to add twice changes nothing.

        Every batch is stored whole or not at all. After an interruption, add the same again.

        Parameters
        ----------
        packed : array-like of shape (n, ceil(n_bits / 8)), uint8
            Packed codes.
        ids : array-like of shape (n,)
            An int64 for each, any but -1, and none twice. The table never numbers items by
            itself: it could not know those that come again.
        values : mapping of str to array-like of shape (n,), optional
            What the columns hold; one for each column of the table.
        batch_size : int, default=50000
            Items per transaction.
        verbose : int, default=0
            Whether to show progress.
        """
        batch_size = check_count(batch_size, "batch_size")
        self._layout = None  # another program may have made the table anew
        batch = Batch.checked(self._existing(), packed, ids, values)
        n_items = len(batch.ids)
        starts = range(0, n_items, batch_size)
        for start in track(starts, "Adding", len(starts), verbose):
            try:
                self._write(batch.rows(start, start + batch_size))
            except StoreError as error:
                raise type(error)(
                    f"{error} Of {n_items:,} items {start:,} are stored for certain; add the "
                    "same again to go on."
                ) from None

    def remove(self, ids: Any) -> int:
        """Remove items; ids that are not there are ignored.

        Parameters
        ----------
        ids : array-like or set of int
            Whose items to remove.

        Returns
        -------
        n_removed : int
        """
        self._existing()
        wanted = np.unique(as_ids(ids))
        parts = range(0, len(wanted), BATCH_SIZE)
        return sum(self._delete(wanted[first : first + BATCH_SIZE]) for first in parts)

    def search(
        self, queries: ArrayLike, k: int, *, where: Where | None = None, effort: int | None = None
    ) -> Neighbours:
        """Find the k nearest items of each query.

        Parameters
        ----------
        queries : array-like of shape (n_queries, ceil(n_bits / 8)), uint8
            Packed codes.
        k : int
            Neighbours per query. Rows that find fewer end with id -1 at distance ``n_bits + 1``;
            where no row finds k, all are as short as the longest.
        where : mapping of str to value, list of values or Between, optional
            What columns (or "id") of an item must be, all of it:
            ``{"digit": [3, 5], "year": Between(2020, None)}``.
        effort : int, optional
            Use the index of `build_index`, and look at this much of it: more finds more of the
            true neighbours and takes longer. Unless given, the search is exact.

        Returns
        -------
        distances : ndarray of shape (n_queries, k), int64
            Increasing along each row.
        ids : ndarray of shape (n_queries, k), int64
            Equal distances by id.
        """
        packed = check_packed(queries, self.n_bits, "queries")
        k = check_count(k, "k")
        conditions = as_conditions(where, self.columns)
        if effort is not None:
            effort = check_count(effort, "effort")
            self._check_indexed()
        rows = [self._k_nearest(query, k, conditions, effort) for query in packed]
        return padded(rows, k, self.n_bits)

    def radius_search(
        self, queries: ArrayLike, radius: int, *, where: Where | None = None
    ) -> RadiusHits:
        """Find all items within a distance of each query, exactly.

        Parameters
        ----------
        queries : array-like of shape (n_queries, ceil(n_bits / 8)), uint8
            Packed codes.
        radius : int
            The largest distance, at least 0.
        where : mapping, optional
            As in :meth:`search`.

        Returns
        -------
        offsets : ndarray of shape (n_queries + 1,), int64
            The items of query i are at ``offsets[i]:offsets[i + 1]``.
        ids : ndarray of shape (n_hits,), int64
            By distance, then by id.
        distances : ndarray of shape (n_hits,), int64
        """
        packed = check_packed(queries, self.n_bits, "queries")
        check_radius(radius)
        conditions = as_conditions(where, self.columns)
        reach = min(int(radius), self.n_bits)
        return joined([self._within(query, reach, conditions).in_order() for query in packed])

    def count(self, where: Where | None = None) -> int:
        """Return how many items there are, or fulfil a condition.

        Parameters
        ----------
        where : mapping, optional
            As in :meth:`search`.
        """
        return self._count(as_conditions(where, self.columns))

    def read(self) -> Iterator[Batch]:
        """Yield all items with their values, some thousands at a time, in any order.

        It is the table as it was when reading began. Read to the end before anything else is
        asked of this store.
        """
        self._existing()
        return self._read()

    def build_index(self) -> None:
        """Build an index for searches with `effort`, or build it anew."""
        if not self.indexable:
            raise StoreError(f"{self!r} has no approximate search: its searches are exact.")
        self._existing()
        self._build_index()

    def has_index(self) -> bool:
        """Tell whether there is an index for searches with `effort`."""
        return False

    def drop(self) -> None:
        """Remove the table, with its index."""
        self._existing()
        self._drop()
        self._layout = None

    def close(self) -> None:  # noqa: B027 (an engine may have nothing to close)
        """End the connection; the store is not used after that."""

    # What an adapter defines. Arguments are checked; whatever goes wrong is a StoreError.

    @abstractmethod
    def _read_layout(self) -> Layout | None:
        """Return what the table is made of; None if it is not there."""

    @abstractmethod
    def _create(self, layout: Layout) -> None:
        """Make the table, which is not there."""

    @abstractmethod
    def _write(self, batch: Batch) -> None:
        """Store items, all or none, in the place of those with the same ids."""

    @abstractmethod
    def _delete(self, ids: np.ndarray) -> int:
        """Remove items, all or none; return how many were there."""

    @abstractmethod
    def _nearest(
        self, query: np.ndarray, k: int, where: tuple[Condition, ...], effort: int | None
    ) -> Found:
        """Return the k nearest items of one packed code, or as many as there are."""

    @abstractmethod
    def _within(self, query: np.ndarray, radius: int, where: tuple[Condition, ...]) -> Found:
        """Return all items within a distance of one packed code."""

    @abstractmethod
    def _count(self, where: tuple[Condition, ...]) -> int:
        """Return how many items fulfil all conditions."""

    @abstractmethod
    def _read(self) -> Iterator[Batch]:
        """Yield all items."""

    @abstractmethod
    def _drop(self) -> None:
        """Remove the table."""

    def _build_index(self) -> None:
        """Build the index; only where `indexable`."""
        raise NotImplementedError

    # What the methods above share.

    def _existing(self) -> Layout:
        """Return what the table is made of; raise if it is not there."""
        if self._layout is None:
            self._layout = self._read_layout()
        if self._layout is None:
            raise StoreError(f"{self!r} is not there: create it first.")
        return self._layout

    def _make(self, layout: Layout) -> Layout | None:
        """Make the table; return its layout if another program was quicker."""
        try:
            self._create(layout)
        except StoreError:
            there = self._read_layout()
            if there is None:
                raise
            return there
        return None

    def _check_indexed(self) -> None:
        if not self.indexable:
            raise StoreError(f"{self!r} has no approximate search: leave effort out.")
        if not self.has_index():
            raise StoreError(f"{self!r} has no index: build_index makes one, or leave effort out.")

    def _k_nearest(
        self, query: np.ndarray, k: int, where: tuple[Condition, ...], effort: int | None
    ) -> Found:
        found = self._nearest(query, k, where, effort)
        if effort is not None and len(found.ids) < k:  # an index may miss items, a scan does not
            found = self._nearest(query, k, where, None)
        return found.in_order()
