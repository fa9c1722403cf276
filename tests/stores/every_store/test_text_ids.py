"""Text ids in every store: URLs, paths and UUIDs, found, filtered, replaced and removed."""

from pathlib import PurePosixPath
from uuid import UUID

import numpy as np
import pytest

from hashlearn.stores import Batch, Between, Not
from tests.search.brute_force import random_codes
from tests.stores.conftest import INDEXING
from tests.stores.expected import (
    assert_same_items,
    everything,
    index_of,
    queries_for,
    taken,
)


def some_items(n=300, n_distinct=40):
    random = np.random.default_rng(0)
    ids = np.array([f"https://näme.org/it's {i}?q=%s" for i in random.permutation(n)], dtype=object)
    packed = random_codes(random, n, 13, n_distinct=n_distinct)
    digit = np.array(random.integers(0, 4, n).tolist(), dtype=object)
    digit[::7] = None
    return Batch(ids, packed, {"digit": digit})


def filled(new_store, items):
    store = new_store().create(13, {"digit": int}, id_type=str)
    store.add(items.packed, items.ids, items.values, batch_size=120)
    return store


def test_text_ids_are_found_as_an_index_finds_them(new_store):
    items = some_items()
    store = filled(new_store, items)
    queries = queries_for(items.packed, 13)
    index = index_of(items, 13)
    for k in (1, 10, 300):
        found, expected = store.search(queries, k), index.search(queries, k)
        np.testing.assert_array_equal(found.distances, expected.distances)
        assert found.ids.dtype == object
        assert found.ids.tolist() == expected.ids.tolist()
    found, expected = store.radius_search(queries, 3), index.radius_search(queries, 3)
    assert found.ids.tolist() == expected.ids.tolist()
    np.testing.assert_array_equal(found.offsets, expected.offsets)


def test_no_item_is_none_among_text_ids(new_store):
    items = some_items(5)
    store = filled(new_store, items)
    found = store.search(items.packed[:2], 5, where={"digit": [77]})
    assert (found.ids.shape, found.ids.dtype) == ((2, 0), object)
    hits = store.radius_search(items.packed[:1], 0, where={"digit": 77})
    assert (hits.ids.shape, hits.ids.dtype) == ((0,), object)
    assert store.get([]).ids.dtype == object


def test_text_ids_are_read_got_replaced_and_removed(new_store):
    items = some_items()
    store = filled(new_store, items)
    assert (store.id_type, new_store(store.table).id_type) == (str, str)
    assert_same_items(everything(store), items)
    got = store.get(items.ids[[5, 3, 5]])
    assert got.ids.tolist() == items.ids[[5, 3, 5]].tolist()
    assert got.values["digit"].tolist() == items.values["digit"][[5, 3, 5]].tolist()
    with pytest.raises(ValueError, match="ids holds nowhere, which is not in"):
        store.get(["nowhere"])
    store.add(items.packed[:9], items.ids[:9], {"digit": [9] * 9})
    assert (store.count(), store.count({"digit": 9})) == (300, 9)
    assert store.remove([*items.ids[:9], "nowhere"]) == 9
    assert_same_items(everything(store), taken(items, slice(9, None)))


def test_text_ids_can_be_conditions(new_store):
    items = some_items()
    store = filled(new_store, items)
    some = items.ids[:3].tolist()
    assert store.count({"id": some}) == store.count({"id": Not(items.ids[3:])}) == 3
    low, high = sorted(some)[0], sorted(some)[-1]
    inside = [low <= id_ <= high for id_ in items.ids]
    assert store.count({"id": Between(low, high)}) == sum(inside)
    found = store.search(items.packed[:1], 3, where={"id": some}).ids[0]
    assert sorted(found) == sorted(some)
    with pytest.raises(ValueError, match="column 'id' must be str; got 3"):
        store.count({"id": 3})
    assert store.remove(where={"id": some[0]}) == 1


def test_uuids_and_paths_become_text(new_store):
    store = new_store().create(8, id_type=str)
    uuid = UUID(int=7)
    store.add(np.zeros((2, 1), np.uint8), [uuid, PurePosixPath("a/b.png")])
    assert sorted(everything(store).ids) == sorted([str(uuid), "a/b.png"])
    assert store.remove([uuid]) == 1


def test_a_table_has_ids_of_one_kind(new_store):
    packed = np.zeros((2, 1), np.uint8)
    numbers, texts = new_store().create(8), new_store().create(8, id_type=str)
    with pytest.raises(ValueError, match=r"ids must be integers, .*, not text; got 'a'"):
        numbers.add(packed, ["a", "b"])
    with pytest.raises(ValueError, match=r"ids must be text, .*, not integers; got "):
        texts.add(packed, [1, 2])
    for wrong in (["a", "a"], ["a", "b\0"], ["a", "\ud800"], ["a", None], [b"a", b"b"]):
        with pytest.raises(ValueError, match="ids"):
            texts.add(packed, wrong)
    with pytest.raises(ValueError, match="ids must be text"):
        texts.remove([1])
    assert numbers.count() == texts.count() == 0
    assert numbers.id_type is int
    with pytest.raises(RuntimeError, match="with text ids and columns none, not codes of 8 bits"):
        texts.create(8, exist_ok=True)
    with pytest.raises(ValueError, match="id_type must be int or str; got"):
        new_store().create(8, id_type=float)


def test_an_index_finds_text_ids(engine, new_store):
    if engine.name not in INDEXING:
        pytest.skip("it has no index")
    items = some_items()
    store = filled(new_store, items)
    store.build_index()
    found = store.search(items.packed[:4], 5, effort=300)
    expected = index_of(items, 13).search(items.packed[:4], 5)
    np.testing.assert_array_equal(found.distances, expected.distances)
    assert {type(id_) for id_ in found.ids.ravel()} == {str}
