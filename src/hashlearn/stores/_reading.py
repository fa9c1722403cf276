"""The items of a table: counted, read, and got by their ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from hashlearn._numerics.checks import check_option
from hashlearn.search.packing import PackedCodes
from hashlearn.stores._checks import ids_of
from hashlearn.stores._search import as_conditions
from hashlearn.stores._table import Table
from hashlearn.stores.batches import Batch
from hashlearn.stores.where import Condition, Where

BATCH_SIZE = 50_000  # items per transaction: what a crash can cost, and a second or so of work


class Items(Table):
    """A table and its items, as far as they are read."""

    def count(self, where: Where | None = None) -> int:
        """Return the number of items, or of those that fulfil a condition.

        Parameters
        ----------
        where : mapping, optional
            As in :meth:`search`.
        """
        return self._count(self._conditions(where))

    def read(self) -> Iterator[Batch]:
        """Yield all items with their values, some thousands at a time, in any order.

        It is the table as it was when reading began. Read to the end before anything else is
        asked of this store. The codes know the table's model.
        """
        model, columns = self.model, tuple(self.columns)
        return (
            batch._replace(packed=PackedCodes(batch.packed, model))
            for batch in self._read((), columns)
        )

    def get(
        self,
        ids: Any,
        columns: Sequence[str] | None = None,
        *,
        missing: Literal["raise", "skip"] = "raise",
    ) -> Batch:
        """Return items by their ids, such as those that a search has found.

        Parameters
        ----------
        ids : array-like of shape (n,)
            Ids, in any order; an id may occur twice.
        columns : sequence of str, optional
            The columns to return; unless given, all.
        missing : {"raise", "skip"}, default="raise"
            What to do about ids that are not in the table: raise a ValueError, or leave them out.

        Returns
        -------
        items : Batch
            Ids, packed codes and values, in the order of `ids`.
        """
        check_option("missing", missing, Literal["raise", "skip"])
        model, wanted = self.model, ids_of(ids, self.id_type)
        layout = self._existing().with_columns(columns)
        names = tuple(layout.columns)
        found = Batch.joined(
            layout, [batch for where in with_ids(wanted) for batch in self._read(where, names)]
        )
        places = {id_: place for place, id_ in enumerate(found.ids.tolist())}
        rows = np.array([places.get(id_, -1) for id_ in wanted.tolist()], dtype=np.int64)
        if missing == "raise" and (rows < 0).any():
            raise ValueError(
                f"ids holds {wanted[rows < 0][0]}, which is not in {self}; missing='skip' leaves "
                "such ids out."
            )
        items = found.taken(rows[rows >= 0])
        return items._replace(packed=PackedCodes(items.packed, model))

    def _conditions(self, where: Where | None) -> tuple[Condition, ...]:
        """Return what must hold of an item, checked."""
        layout = self._existing()
        return as_conditions(where, layout.columns, layout.id_type)


def with_ids(ids: np.ndarray) -> Iterator[tuple[Condition]]:
    """Yield conditions that select the items of some ids, not too many at once."""
    wanted = np.unique(ids).tolist()
    kind = str if ids.dtype == object else int
    for start in range(0, len(wanted), BATCH_SIZE):
        yield (Condition("id", kind, "in", tuple(wanted[start : start + BATCH_SIZE])),)
