"""The work of `hashlearn store push`: batches out of an input, into a table."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from hashlearn.cli.codes import CodeSource
from hashlearn.cli.progress import row_progress
from hashlearn.cli.store_values import PushedValues
from hashlearn.stores import Batch, Store, StoreError, StoreLostError
from hashlearn.stores.base import BATCH_SIZE
from hashlearn.stores.batches import Layout


def push_codes(codes: CodeSource, values: PushedValues, store: Store, progress: bool | None) -> int:
    """Add all codes of an input to a table, and return how many there were.

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
    values.read(store.columns if there else None)
    batches = _batches(codes, BATCH_SIZE)
    first = next(batches, None)  # what is wrong with an input is said before a table is made
    store.create(codes.n_bits, values.kinds, exist_ok=True)
    n_done = 0
    with row_progress("Pushing", codes.source, progress) as advance:
        try:
            for batch in chain([] if first is None else [first], batches):
                store.add(batch.packed, batch.ids, batch.values)
                n_done += len(batch.ids)
                advance(len(batch.ids))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"Stopped; {n_done:,} items are stored for certain, and the same command goes on."
            ) from None
        except StoreLostError as error:
            raise StoreLostError(f"{error} {n_done:,} items before these are stored.") from None
    return n_done


def _check_fits(n_bits: int, kept: tuple[str, ...], store: Store) -> None:
    """Raise, before long work, if a table is there and has other bits or columns."""
    if store.n_bits != n_bits or set(store.columns) != set(kept):
        layout = Layout(store.n_bits, store.columns)
        raise StoreError(
            f"table {store.table} in {store.place} has {layout.in_words()}, and the input has "
            f"codes of {n_bits} bits with --columns {','.join(kept) or 'none'}."
        )


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
