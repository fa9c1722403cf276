"""Approximate searches: refused where there is no index, and as good as exact ones with effort."""

import numpy as np
import pytest

from hashlearn.stores import Between, Store, StoreError
from tests.stores.conftest import INDEXING, NOT_INDEXING
from tests.stores.expected import CODES, assert_nearest, assert_within, items_of, store_with, taken

MAXIMAL = 1000  # what every engine takes


with_index = pytest.mark.parametrize("engine", INDEXING, indirect=True)
without_index = pytest.mark.parametrize("engine", NOT_INDEXING, indirect=True)


def items_with_digits(kind="clustered", n=1000):
    random = np.random.default_rng(0)
    return items_of(CODES[kind](random, n, 64), random, digit=random.integers(0, 10, n))


def indexed(new_store, items) -> Store:
    store = store_with(new_store, items, 64)
    store.build_index()
    return store


def test_effort_without_an_index_is_refused(shelf):
    with pytest.raises(StoreError, match="leave out effort"):
        shelf.store.search(shelf.items.packed[:1], 1, effort=10)


@without_index
def test_an_engine_without_an_index_says_so(new_store):
    store = new_store().create(8)
    with pytest.raises(StoreError) as caught:
        store.build_index()
    assert "\n" not in str(caught.value)
    store.add(np.zeros((1, 1), np.uint8), [1])
    assert store.search(np.zeros((1, 1), np.uint8), 1).ids.tolist() == [[1]]


def test_an_index_needs_a_table(new_store):
    with pytest.raises(StoreError):
        new_store().build_index()


@pytest.mark.parametrize("effort", [0, -1, 1.5, True, "10"])
def test_wrong_efforts_are_refused(shelf, effort):
    with pytest.raises((TypeError, ValueError), match="effort must be"):
        shelf.store.search(shelf.items.packed[:1], 1, effort=effort)


@with_index
@pytest.mark.parametrize("kind", CODES)
def test_all_effort_finds_all_neighbours(new_store, kind):
    items = items_with_digits(kind)
    store = indexed(new_store, items)
    queries = np.concatenate([items.packed[:5], ~items.packed[5:8]])
    for k in (1, 10, 10**12):
        found = store.search(queries, k, effort=MAXIMAL)
        exact = store.search(queries, k)
        np.testing.assert_array_equal(found.distances, exact.distances)
    assert_nearest(store, items, queries, 10)  # an index changes no exact search
    assert_within(store, items, queries, 20)


@with_index
def test_little_effort_finds_as_many(new_store):
    items = items_with_digits("tied")
    store = indexed(new_store, items)
    found = store.search(items.packed[:3], 20, effort=1)
    assert found.ids.shape == (3, 20)
    assert (np.diff(found.distances) >= 0).all()
    assert all(len(set(row)) == 20 for row in found.ids)


@with_index
def test_an_index_knows_of_later_changes(new_store):
    items = items_with_digits()
    store = indexed(new_store, taken(items, slice(0, 900)))
    later = taken(items, slice(900, None))
    store.add(later.packed, later.ids, later.values)
    for query, id_ in zip(later.packed[:5], later.ids[:5], strict=True):
        found = store.search(query[None], 20, effort=MAXIMAL)
        assert (id_, 0) in zip(found.ids[0], found.distances[0], strict=True)
    store.remove(items.ids[:500])
    kept = taken(items, slice(500, None))
    found = store.search(items.packed[:5], 10, effort=MAXIMAL)
    assert np.isin(found.ids, kept.ids).all()
    moved = kept._replace(packed=np.roll(kept.packed, 1, axis=0))
    store.add(moved.packed, moved.ids, moved.values)
    queries = np.concatenate([items.packed[:5], moved.packed[:5]])
    for _ in range(2):
        found = store.search(queries, 10, effort=MAXIMAL)
        exact = store.search(queries, 10)
        np.testing.assert_array_equal(found.distances, exact.distances)
        store.build_index()


@with_index
def test_an_index_is_there_for_others_too_and_goes_with_the_table(new_store):
    items = items_with_digits(n=300)
    store = indexed(new_store, items)
    with new_store(store.table) as second:
        assert second.search(items.packed[:1], 1, effort=MAXIMAL).distances.tolist() == [[0]]
    store.drop()
    store.create(64)
    store.add(items.packed, items.ids)
    with pytest.raises(StoreError, match="has no index"):
        store.search(items.packed[:1], 1, effort=10)


@with_index
def test_a_filter_and_an_index_work_together(new_store):
    items = items_with_digits()
    store = indexed(new_store, items)
    digit, queries = items.values["digit"], items.packed[:3]
    for where, mask in (
        ({"digit": 3}, digit == 3),
        ({"digit": []}, digit < 0),
        ({"id": Between(0, 40)}, (items.ids >= 0) & (items.ids <= 40)),
        ({"digit": Between(1, None)}, digit >= 1),
    ):
        found = store.search(queries, 10, where=where, effort=MAXIMAL)
        exact = store.search(queries, 10, where=where)
        np.testing.assert_array_equal(found.distances, exact.distances)
        assert np.isin(found.ids, items.ids[mask]).all()
