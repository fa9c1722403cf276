"""The work of `hashlearn store push`: batches of codes, ids and columns, into a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np

from hashlearn._numerics.columns import listing
from hashlearn._numerics.ids import Ids
from hashlearn.cli._shared.codes import CodeSource, check_model, ids_of
from hashlearn.cli._shared.columns import as_typed, find_kinds
from hashlearn.cli._shared.outputs import row_progress
from hashlearn.items import Items
from hashlearn.search import PackedCodes
from hashlearn.stores import Batch, Between, Layout, Store, StoreError
from hashlearn.stores.base import BATCH_SIZE
from hashlearn.stores.batches import Columns, ColumnType


class Beside(NamedTuple):
    """Ids of some items, and the values of their columns."""

    ids: np.ndarray
    values: dict[str, np.ndarray]


class PushedValues:
    """Ids and columns that are read along with the codes of an input.

    `ids` is a column, an array of the archive, or a file; without it ids are positions. `kept` are
    the columns to keep, as 'a,b,c'; `kinds` has their types once `read` has found them, and
    `columns` is what to read beside the features.
    """

    def __init__(self, ids: str | None, kept: str | None, source: Items) -> None:
        self.source = source
        self.kept = () if kept is None else tuple(kept.split(","))
        if len(set(self.kept)) < len(self.kept):
            raise ValueError(f"--columns must name each column once; got {kept}.")
        source.feature_names(others=self.kept)  # raises for an unknown one
        Layout.checked(1, dict.fromkeys(self.kept, str))  # or that no table can have
        self.kinds: dict[str, ColumnType] = {}
        self.ids = ids_of(ids, source)
        if self.ids is not None:
            Ids().appended(len(self.ids.all), self.ids.all)  # raises if one would replace another
        named = () if self.ids is None else self.ids.columns
        self.columns = tuple(dict.fromkeys((*self.kept, *named)))

    @property
    def id_type(self) -> type[int] | type[str]:
        """The type of the ids."""
        return str if self.ids is not None and self.ids.all.dtype == object else int

    def read(self, known: Columns | None, progress: bool | None) -> None:
        """Find the types of columns: the table's if it exists."""
        if known is not None:
            self.kinds = dict(known)
        elif self.kept:
            has_types = self.source.has_types
            blocks = _beside(self.source, self.kept, False if has_types else progress)
            self.kinds = find_kinds(blocks, self.kept, has_types)

    def of_rows(self, others: Mapping[str, np.ndarray], rows: slice) -> Beside:
        """Return ids and values of some items, given their columns and their positions."""
        ids = np.arange(rows.start, rows.stop) if self.ids is None else self.ids.all[rows]
        has_types = self.source.has_types
        values = {
            name: as_typed(others[name], self.kinds[name], name, has_types) for name in self.kept
        }
        return Beside(ids, values)

    def check_length(self, n_items: int) -> None:
        """Raise unless there is an id for each item."""
        if self.ids is not None:
            self.ids.check_length(n_items)


def _beside(
    source: Items, names: tuple[str, ...], progress: bool | None
) -> Iterator[dict[str, np.ndarray]]:
    """Yield some columns of an input, block by block; arrays cannot be read without the items."""
    features = None if source.columns is None else ()
    with row_progress(f"Reading {listing(list(names))}", source, progress) as advance:
        for block in source.blocks(features, names):
            yield block.others
            advance(len(block.features))


class Pushed(NamedTuple):
    """The result of a push: new items, replaced items, and items in the table now."""

    n_new: int
    n_replaced: int
    n_now: int


def push_codes(
    codes: CodeSource, values: PushedValues, store: Store, skip: int, progress: bool | None
) -> Pushed:
    """Add all codes of an input, with `values` read along, to a table, which may be new."""
    there = store.exists()
    if there:
        check_model(str(store), store.model, codes.hasher)
        _check_fits(codes.n_bits, values.kept, store)
        if values.ids is None:
            _check_positions(store)
    n_before = store.count() if there else 0
    values.read(store.columns if there else None, progress)
    n_items = _push(codes, values, store, skip, progress)
    n_now = store.count()
    n_new = min(max(n_now - n_before, 0), n_items)  # other programs may have added or removed some
    return Pushed(n_new, n_items - n_new, n_now)


def _check_fits(n_bits: int, kept: tuple[str, ...], store: Store) -> None:
    """Raise, before long work, if the table has other bits or columns."""
    if store.n_bits != n_bits:
        raise StoreError(f"{store} has codes of {store.n_bits} bits, the input {n_bits}.")
    if set(store.columns) != set(kept):
        raise StoreError(
            f"--columns must be those of {store}, {listing(list(store.columns))}; got "
            f"{listing(list(kept))}."
        )


def _check_positions(store: Store) -> None:
    """Raise if ids would be positions in a table whose ids are not."""
    n = store.count()
    if n and (store.id_type is str or store.count({"id": Between(0, n - 1)}) != n):
        raise StoreError(
            f"{store} has ids of its own: give --ids, or positions would be added or replaced."
        )


def _push(
    codes: CodeSource, values: PushedValues, store: Store, skip: int, progress: bool | None
) -> int:
    """Add all codes but the first, and return their number."""
    n_done = 0
    with row_progress("Pushing", codes.source, progress) as advance:
        advance(skip)
        batches = _batches(codes, BATCH_SIZE)
        first = next(batches, None)
        layout = Layout.checked(codes.n_bits, values.kinds, values.id_type)
        if first is not None:  # raise before a table is created
            Batch.checked(layout, first.packed, first.ids, first.values)
        store.create(codes.n_bits, values.kinds, id_type=values.id_type, exist_ok=True)
        try:
            for batch in chain([] if first is None else [first], batches):
                store.add(batch.packed, batch.ids, batch.values)
                n_done += len(batch.ids)
                advance(len(batch.ids))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"Stopped; {_stored(skip + n_done)}") from None
        except Exception as error:
            error.add_note(_stored(skip + n_done))
            raise
    return n_done


def _stored(n_done: int) -> str:
    """Return what a push has done, and how to go on."""
    if not n_done:
        return "nothing is stored yet."
    return (
        f"the first {n_done:,} items are stored; the same command with --skip {n_done} continues."
    )


def _batches(codes: CodeSource, size: int) -> Iterator[Batch]:
    """Yield the items of an input in batches of `size`, however its blocks are cut."""
    waiting: list[Batch] = []
    n_waiting = 0
    for block in codes.blocks():
        waiting.append(Batch(block.values.ids, block.packed, block.values.values))
        n_waiting += len(block.packed)
        if n_waiting >= size:
            whole = _joined(waiting)
            n_out = n_waiting - n_waiting % size
            yield from (whole.rows(start, start + size) for start in range(0, n_out, size))
            waiting, n_waiting = [whole.rows(n_out, n_waiting)], n_waiting - n_out
    if n_waiting:
        yield _joined(waiting)


def _joined(batches: list[Batch]) -> Batch:
    names, model = batches[0].values, getattr(batches[0].packed, "model", None)
    return Batch(
        np.concatenate([batch.ids for batch in batches]),
        PackedCodes(np.concatenate([batch.packed for batch in batches]), model),
        {name: np.concatenate([batch.values[name] for batch in batches]) for name in names},
    )
