"""Items of stores in tests: read whole, taken in part, compared."""

from __future__ import annotations

import numpy as np

from hashlearn.stores import Batch, Store


def everything(store: Store) -> Batch:
    """Return all items of a table that has some, with the types that reading gives."""
    batches = list(store.read())
    return Batch(
        np.concatenate([batch.ids for batch in batches]),
        np.concatenate([batch.packed for batch in batches]),
        {name: np.concatenate([part.values[name] for part in batches]) for name in store.columns},
    )


def taken(items: Batch, rows: np.ndarray) -> Batch:
    """Return some items: those at some positions, or of a mask."""
    values = {name: column[rows] for name, column in items.values.items()}
    return Batch(items.ids[rows], items.packed[rows], values)


def assert_same_items(items: Batch, others: Batch) -> None:
    """Check that two batches hold the same items, in whatever order."""
    items = taken(items, np.argsort(items.ids))
    others = taken(others, np.argsort(others.ids))
    np.testing.assert_array_equal(items.ids, others.ids)
    np.testing.assert_array_equal(items.packed, others.packed)
    assert items.values.keys() == others.values.keys()
    for name, column in items.values.items():
        np.testing.assert_array_equal(column, others.values[name])
