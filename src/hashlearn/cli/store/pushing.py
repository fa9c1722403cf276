"""The work of `hashlearn store push`: batches out of an input, into a table."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from hashlearn._numerics.columns import listing
from hashlearn.cli._shared.codes import CodeSource
from hashlearn.cli._shared.progress import row_progress
from hashlearn.cli.store.values import PushedValues
from hashlearn.stores import Batch, Layout, Store, StoreError
from hashlearn.stores.base import BATCH_SIZE


class Pushed(NamedTuple):
    """What a push did: items that were new, items that took the place of others, and all now."""

    n_new: int
    n_replaced: int
    n_now: int


def push_codes(
    codes: CodeSource, values: PushedValues, store: Store, progress: bool | None
) -> Pushed:
    """Add all codes of an input to a table.

    Parameters
    ----------
    codes : CodeSource
        The input, with `values` read along.
    values : PushedValues
        Ids, and columns to keep.
    store : Store
        The table, which is made if it is not there.
    progress : bool or None
        Whether to show a bar.
    """
    there = store.exists()
    if there:
        _check_fits(codes.n_bits, values.kept, store)
    n_before = store.count() if there else 0
    values.read(store.columns if there else None, progress)
    n_items = _push(codes, values, store, progress)
    n_now = store.count()
    n_new = min(max(n_now - n_before, 0), n_items)  # others may have added or removed some
    return Pushed(n_new, n_items - n_new, n_now)


def _check_fits(n_bits: int, kept: tuple[str, ...], store: Store) -> None:
    """Raise, before long work, if the table has other bits or columns; it gives the types."""
    if store.n_bits != n_bits:
        raise StoreError(f"{store} has codes of {store.n_bits} bits: the input has {n_bits}.")
    if set(store.columns) != set(kept):
        raise StoreError(
            f"{store} has the columns {listing(list(store.columns))}: --columns gives "
            f"{listing(list(kept))}."
        )


def _push(codes: CodeSource, values: PushedValues, store: Store, progress: bool | None) -> int:
    """Add all codes, and return how many there were."""
    n_done = 0
    with row_progress("Pushing", codes.source, progress) as advance:
        batches = _batches(codes, BATCH_SIZE)
        first = next(batches, None)
        layout = Layout(codes.n_bits, values.kinds)
        if first is not None:  # what is wrong with it is said before a table is made
            Batch.checked(layout, first.packed, first.ids, first.values)
        store.create(*layout, exist_ok=True)
        try:
            for batch in chain([] if first is None else [first], batches):
                store.add(batch.packed, batch.ids, batch.values)
                n_done += len(batch.ids)
                advance(len(batch.ids))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"Stopped; {n_done:,} items are stored for certain, and the same command goes on."
            ) from None
        except Exception as error:
            error.add_note(
                f"{n_done:,} items are stored for certain, and the same command goes on."
            )
            raise
    return n_done


def _batches(codes: CodeSource, size: int) -> Iterator[Batch]:
    """Yield the items of an input, so many at a time, however its blocks are cut."""
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
    names = batches[0].values
    return Batch(
        np.concatenate([batch.ids for batch in batches]),
        np.concatenate([batch.packed for batch in batches]),
        {name: np.concatenate([batch.values[name] for batch in batches]) for name in names},
    )
