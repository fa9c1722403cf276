"""Items of stores, and what a search must find: what `HammingIndex` finds among the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hashlearn import HammingIndex
from hashlearn.search import pack_codes
from hashlearn.stores import Batch, Store
from tests.search.brute_force import random_codes


def clustered_codes(random: np.random.Generator, n: int, n_bits: int) -> np.ndarray:
    """Return codes around a few centres, as learned ones are."""
    centres = random.integers(0, 2, (8, n_bits))
    flips = random.random((n, n_bits)) < 0.05
    return pack_codes(centres[random.integers(0, 8, n)] ^ flips)


CODES: dict[str, Callable[..., np.ndarray]] = {
    "random": random_codes,
    "clustered": clustered_codes,
    "tied": lambda random, n, n_bits: random_codes(random, n, n_bits, n_distinct=20),
}


def random_ids(random: np.random.Generator, n: int) -> np.ndarray:
    """Return ids in no order, some of them negative."""
    ids = random.permutation(3 * n) - n
    return ids[ids != -1][:n]


def items_of(packed: np.ndarray, random: np.random.Generator, **values: Any) -> Batch:
    """Return codes as items with random ids."""
    return Batch(random_ids(random, len(packed)), packed, values)


def index_of(items: Batch, n_bits: int) -> HammingIndex:
    """Return an index of some items."""
    index = HammingIndex(n_bits)
    index.add(items.packed, items.ids)
    return index


def store_with(new_store: Callable[..., Store], items: Batch, n_bits: int) -> Store:
    """Return a new table that holds some items."""
    kinds = {"i": int, "f": float, "U": str, "O": str, "b": bool}
    columns = {name: kinds[column.dtype.kind] for name, column in items.values.items()}
    store: Store = new_store().create(n_bits, columns)
    store.add(items.packed, items.ids, items.values)
    return store


def queries_for(packed: np.ndarray, n_bits: int, n: int = 4) -> np.ndarray:
    """Return some of the codes, and others."""
    others = random_codes(np.random.default_rng(n_bits), n, n_bits)
    return np.concatenate([packed[: n // 2], others[n // 2 :]])


def assert_nearest(
    store: Store, items: Batch, queries: np.ndarray, k: int, mask: Any = None, **how: Any
) -> None:
    """Check that a search finds the k nearest of the items, or of those of a mask."""
    allowed = items if mask is None else taken(items, mask)
    found = store.search(queries, k, **how)
    index = index_of(allowed, store.n_bits)
    expected = index.search(queries, min(k, max(1, len(index))))
    assert (found.distances.dtype, found.ids.dtype) == (np.int64, np.int64)
    np.testing.assert_array_equal(found.distances, expected.distances)
    np.testing.assert_array_equal(found.ids, expected.ids)


def assert_within(
    store: Store, items: Batch, queries: np.ndarray, radius: int, mask: Any = None, **how: Any
) -> None:
    """Check that a radius search finds all items within it, or those of a mask."""
    allowed = items if mask is None else taken(items, mask)
    found = store.radius_search(queries, radius, **how)
    expected = index_of(allowed, store.n_bits).radius_search(queries, radius)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == np.int64
        np.testing.assert_array_equal(ours, theirs)


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
