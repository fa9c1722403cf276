"""The interface of all stores: a table of ids and packed codes, filled and searched.

This file checks, cuts into batches, sorts and pads; an adapter's files talk to its engine. Codes
are handed over in the library's own bit order, that of `numpy.packbits` (first bit highest),
padded with zeros; an adapter converts them to the order of its engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.candidates import (
    candidate_count,
    check_rescoring,
    rescore_candidates,
)
from hashlearn._numerics.checks import check_radius
from hashlearn._progress import track
from hashlearn._registry import NameTable
from hashlearn.search.float_queries import FloatQueries, as_float_queries
from hashlearn.search.packing import check_packed
from hashlearn.search.rescoring import MarginRescoring, Rescoring
from hashlearn.search.results import Neighbours, RadiusHits
from hashlearn.stores._checks import MAX_COUNT, check_count, ids_of
from hashlearn.stores._reading import BATCH_SIZE, Items, with_ids
from hashlearn.stores._search import joined, packed_queries, padded
from hashlearn.stores.batches import Batch, Found
from hashlearn.stores.errors import StoreError
from hashlearn.stores.where import Condition, Where

STORES: NameTable[type[Store]] = NameTable("store")
Kind = TypeVar("Kind", bound="Store")  # of store: a registered class keeps its type

MORE = 4  # times k are searched for, to know all that are as far as the k-th


def register(name: str) -> Callable[[type[Kind]], type[Kind]]:
    """Return a decorator that registers a store under `name`, with which its addresses begin.

    Parameters
    ----------
    name : str
        The name, such as "lancedb".
    """
    return STORES.register(name)


class Store(Items):
    """A table of packed codes in a database.

    Neighbours are sorted by distance, and items at equal distance in the neutral order of
    `HammingIndex`, whatever the order of their ids. An exact search that has to choose among
    equally distant items at the end of its k takes the first of that order; one with `effort` has
    what its index finds.

    Parameters
    ----------
    address : str
        Where the database is, in the engine's own form: a path, or a connection string.
    table : str, default="items"
        The table's name: letters, digits and _.
    check_model : bool, default=True
        Whether to refuse codes of another model than the table's, and to keep the model of the
        first codes.
    """

    def add(
        self,
        packed: ArrayLike,
        ids: Any,
        values: Mapping[str, Any] | None = None,
        *,
        batch_size: int = BATCH_SIZE,
        verbose: int = 0,
    ) -> None:
        """Add items, or replace those with the same ids: adding twice changes nothing.

        Every batch is stored whole or not at all. After an interruption, add the same again.

        Parameters
        ----------
        packed : array-like of shape (n, ceil(n_bits / 8)), uint8
            Packed codes, of the table's model if they know theirs. A table without a model keeps
            that of the first codes that know it.
        ids : array-like of shape (n,)
            An int64 for each item, any but -1, or a text if the table has text ids; none twice.
            The table never numbers items by itself: it could not recognise those that are added
            again.
        values : mapping of str to array-like of shape (n,), optional
            The values of the columns, one array for each column of the table. None is a missing
            value, as are NaN and the masked values of an array.
        batch_size : int, default=50000
            Items per transaction.
        verbose : int, default=0
            Whether to show progress.
        """
        batch_size = check_count(batch_size, "batch_size")
        self._layout = None  # another program may have recreated the table
        batch = Batch.checked(self._existing(), packed, ids, values)
        self._check_model(packed, "packed are codes of model", adopt=True)
        starts = range(0, len(batch.ids), batch_size)
        for start in track(starts, "Adding", len(starts), verbose):
            try:
                self._write(batch.rows(start, start + batch_size))
            except StoreError as error:
                if len(starts) > 1:
                    error.add_note(
                        f"{start:,} of {len(batch.ids):,} items are stored; add all of them again "
                        "to continue."
                    )
                raise

    def remove(self, ids: Any = None, *, where: Where | None = None) -> int:
        """Remove items, by their ids or by a condition.

        Parameters
        ----------
        ids : array-like or set, optional
            The items to remove, 50,000 in a transaction; ids that are not in the table are ignored.
        where : mapping, optional
            In place of ids, what must hold of the items to remove, as in :meth:`search`; they are
            removed all at once.

        Returns
        -------
        n_removed : int
        """
        if (ids is None) == (where is None):
            raise TypeError("remove must be given either ids or where.")
        if where is None:
            return sum(map(self._delete, with_ids(ids_of(ids, self.id_type))))
        conditions = self._conditions(where)
        if not conditions:
            raise ValueError("where must have a condition; drop the table to remove all items.")
        return self._delete(conditions)

    def search(
        self,
        queries: ArrayLike | FloatQueries,
        k: int,
        *,
        where: Where | None = None,
        effort: int | None = None,
        rescore: Rescoring | None = None,
        oversample: float = 10,
    ) -> Neighbours:
        """Find the k nearest items of each query.

        Parameters
        ----------
        queries : array-like of shape (n_queries, ceil(n_bits / 8)), uint8, or FloatQueries
            Packed codes, of the table's model if they know theirs; or queries that are not rounded
            to bits, of `hasher.encode_queries`, or an array of margins, (n_queries, n_bits) float.
            A database compares bits: the items nearest to the signs of their margins are
            candidates, which `rescore` orders again, by default ``MarginRescoring(queries)``.
        k : int
            Neighbours per query. Rows that find fewer end with id -1 at distance ``n_bits + 1``;
            where no row finds k, all are as short as the longest.
        where : mapping of str to value, list of values, Between or Not, optional
            What columns (or "id") of an item must be, all of it:
            ``{"digit": [3, 5], "year": Between(2020, None), "name": Not("x")}``. None is a missing
            value.
        effort : int, optional
            Use the index of `build_index`, and look at this much of it: more finds more of the
            true neighbours and takes longer. Unless given, the search is exact.
        rescore : Rescoring, optional
            Orders the ``oversample * k`` nearest items again: `VectorRescoring`, which has the
            items' vectors by their ids, or `MarginRescoring`, for which their codes are read. The
            distances are then its scores, infinite for a missing item.
        oversample : float, default=10
            Candidates of a rescoring, in multiples of k.

        Returns
        -------
        distances : ndarray of shape (n_queries, k), int64, or float64 if rescored
            Increasing along each row.
        ids : ndarray of shape (n_queries, k), int64 or texts as objects
            Equal distances in a neutral order.
        """
        floats = as_float_queries(queries)
        if floats is not None and rescore is None:
            rescore = MarginRescoring(floats)
        packed = packed_queries(queries, floats, self.n_bits)
        k = check_count(k, "k")
        conditions = self._conditions(where)
        self._check_model(queries, "queries are codes of model")
        if effort is not None:
            effort = check_count(effort, "effort")
            self._check_indexed()
        n_found = k
        if rescore is not None:
            check_rescoring(rescore, len(packed), self.n_bits)
            self._check_model(rescore, "rescore has queries of model")
            n_found = min(candidate_count(k, oversample), MAX_COUNT)
        rows = [self._k_nearest(query, n_found, conditions, effort) for query in packed]
        found = padded(rows, n_found, self.n_bits, self.id_type)
        if rescore is None:
            return found
        is_there = found.distances <= self.n_bits
        return Neighbours(
            *rescore_candidates(rescore, found.ids, is_there, lambda ids: ids, self._codes_of, k)
        )

    def radius_search(
        self, queries: ArrayLike, radius: int, *, where: Where | None = None
    ) -> RadiusHits:
        """Find all items within a distance of each query, exactly.

        Parameters
        ----------
        queries : array-like of shape (n_queries, ceil(n_bits / 8)), uint8
            Packed codes, of the table's model if they know theirs.
        radius : int
            The largest distance, at least 0.
        where : mapping, optional
            As in :meth:`search`.

        Returns
        -------
        offsets : ndarray of shape (n_queries + 1,), int64
            The items of query i are at ``offsets[i]:offsets[i + 1]``.
        ids : ndarray of shape (n_hits,), int64
            By distance, then in a neutral order.
        distances : ndarray of shape (n_hits,), int64
        """
        if as_float_queries(queries) is not None:
            raise ValueError(
                "queries must be packed codes: a database finds what is within a Hamming distance."
            )
        packed = check_packed(queries, self.n_bits, "queries")
        check_radius(radius)
        conditions = self._conditions(where)
        self._check_model(queries, "queries are codes of model")
        reach = min(int(radius), self.n_bits)
        rows = [self._within(query, reach, conditions).in_order() for query in packed]
        return joined(rows, self.id_type)

    def _codes_of(self, ids: np.ndarray) -> np.ndarray:
        """Return the codes of items that a search has found."""
        return np.asarray(self.get(ids, columns=[]).packed)

    def _k_nearest(
        self, query: np.ndarray, k: int, where: tuple[Condition, ...], effort: int | None
    ) -> Found:
        """Return the first k neighbours of one query, or more of them, in order."""
        if effort is not None:
            found = self._nearest(query, k, where, effort)
            if len(found.ids) == k:  # an index may miss items, a scan does not
                return found.in_order()
        # An engine chooses among equally distant items. More than k of them reach one that is
        # farther than the k-th, as a rule; otherwise another search finds all that are as far.
        more = min(MORE * k, MAX_COUNT)
        found = self._nearest(query, more, where, None)
        last = found.distances.max(initial=0)
        if len(found.ids) == more and np.sort(found.distances)[k - 1] == last:
            found = self._within(query, int(last), where)
        return found.in_order()
