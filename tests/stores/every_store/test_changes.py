"""Adding, replacing and removing in every store, and reading all of it back."""

import numpy as np
import pytest

from hashlearn.search import pack_codes
from hashlearn.stores import Batch, Between
from tests.search.brute_force import random_codes
from tests.stores.expected import (
    assert_nearest,
    assert_same_items,
    assert_within,
    everything,
    items_of,
    store_with,
    taken,
)

ENDS = np.array([-(2**63), -(2**63) + 1, -2, 0, 2**53 + 1, 2**63 - 2, 2**63 - 1])
WRONG_IDS = [
    ([1, 2, 2], "ids holds 2 twice"),
    ([1, 2, -1], "ids holds -1"),
    ([1.0, 2.0, 3.0], "must be 1-D integers"),
    ([1, 2, None], "must be 1-D integers"),
    (None, "must be 1-D integers"),
    ([True, False, True], "must be 1-D integers"),
    ([1, 2], "must have 3 entries"),
    ([[1, 2, 3]], "must be 1-D integers"),
    (np.array([1, 2, 2**63], dtype=np.uint64), "must be at most 9223372036854775807"),
    (["1", "2", "3"], "must be integers"),
]
WRONG_VALUES = [
    (None, "values must have the table's columns, 'digit', 'name'; got none"),
    ({"digit": [1, 2, 3]}, "got 'digit'\\."),
    (
        {"digit": [1, 2, 3], "name": ["a"] * 3, "more": [1] * 3},
        "values must have the table's columns",
    ),
    (
        {"digit": [1, 2], "name": ["a"] * 3},
        r"'digit' must have shape \(3,\); got \(2,\)",
    ),
    ({"digit": [1, 2, 3.5], "name": ["a"] * 3}, "must be int"),
    ({"digit": [1, 2, 3], "name": ["a", "b", "c\0"]}, "not every database stores"),
]


def some_items(n=50, n_bits=13, seed=0):
    random = np.random.default_rng(seed)
    values = {
        "digit": random.integers(-(2**63), 2**63 - 1, n),
        "weight": random.normal(size=n),
        "name": np.array([f"näme '{i}'" for i in range(n)]),
        "flag": random.random(n) < 0.5,
    }
    return items_of(random_codes(random, n, n_bits), random, **values)


def test_what_is_read_is_what_was_added(new_store):
    items = some_items()
    read = everything(store_with(new_store, items, 13))
    assert_same_items(read, items)
    assert (read.ids.dtype, read.packed.dtype) == (np.int64, np.uint8)
    kinds = {name: column.dtype.kind for name, column in read.values.items()}
    assert kinds == {"digit": "i", "weight": "f", "name": "O", "flag": "b"}


def test_what_is_read_keeps_numbers_and_texts_to_the_last_digit(new_store):
    values = {
        "digit": np.array([-(2**63), 2**63 - 1, 0, 2**53 + 1]),
        "weight": np.array([0.1, -1e308, np.inf, 5e-324]),
        "name": np.array(["", " spaces ", "🐈" * 500, "'); drop table items; --"]),
        "flag": np.array([True, False, True, False]),
    }
    items = items_of(
        random_codes(np.random.default_rng(0), 4, 3), np.random.default_rng(0), **values
    )
    assert_same_items(everything(store_with(new_store, items, 3)), items)


def test_reading_goes_on_with_what_was_there_when_it_began(new_store):
    random = np.random.default_rng(0)
    items = items_of(random_codes(random, 11_000, 8), random)
    store = store_with(new_store, items, 8)
    reading = store.read()
    read = [next(reading).ids]
    with new_store(store.table) as second:
        assert second.remove(items.ids) == 11_000
        second.add(np.zeros((1, 1), np.uint8), [10**9])
    read += [batch.ids for batch in reading]
    np.testing.assert_array_equal(np.sort(np.concatenate(read)), np.sort(items.ids))
    assert store.count() == 1


def test_texts_may_be_of_any_kind_of_text(new_store):
    class Text(str):
        __slots__ = ()

    store = new_store().create(3, {"name": str})
    store.add(np.zeros((3, 1), np.uint8), [1, 2, 3], {"name": ["a", np.str_("b"), Text("c")]})
    assert sorted(everything(store).values["name"]) == ["a", "b", "c"]
    assert store.count({"name": [np.str_("a"), Text("b")]}) == 2


def test_adding_twice_is_adding_once(new_store):
    items = some_items()
    store = store_with(new_store, items, 13)
    store.add(items.packed, items.ids, items.values, batch_size=20)
    assert store.count() == 50
    assert_same_items(everything(store), items)
    assert_nearest(store, items, items.packed[:3], 50)


@pytest.mark.parametrize("batch_size", [1, 7, 20, 1000])
def test_the_size_of_batches_makes_no_difference(new_store, batch_size):
    items = some_items(n=20)
    store = store_with(new_store, taken(items, slice(0, 0)), 13)
    store.add(items.packed, items.ids, items.values, batch_size=batch_size)
    assert_same_items(everything(store), items)


def test_an_item_that_is_added_again_has_its_new_code_and_values(new_store):
    items, others = some_items(seed=0), some_items(seed=1)
    store = store_with(new_store, items, 13)
    changed = others._replace(ids=np.concatenate([items.ids[:10], 1000 + np.arange(40)]))
    store.add(changed.packed, changed.ids, changed.values, batch_size=20)
    assert store.count() == 90
    read = everything(store)
    is_changed = np.isin(read.ids, changed.ids)
    assert_same_items(taken(read, is_changed), changed)
    assert_same_items(taken(read, ~is_changed), taken(items, slice(10, None)))
    assert_nearest(store, read, changed.packed[:3], 5)
    assert store.count({"name": items.values["name"][0]}) == 1


def test_removed_items_are_gone_until_they_are_added_again(new_store):
    items = some_items()
    store = store_with(new_store, items, 13)
    kept = np.arange(50) >= 20
    unknown = [10**9, -(10**9), -1]
    assert store.remove([*items.ids[:20], *items.ids[:3], *unknown]) == 20
    assert store.remove(items.ids[:20]) == 0
    assert store.count() == 30
    assert store.count({"id": items.ids[:20]}) == 0
    assert_nearest(store, items, items.packed[:3], 50, mask=kept)
    assert_within(store, items, items.packed[:3], 13, mask=kept)
    assert_same_items(everything(store), taken(items, kept))
    again = taken(items, ~kept)
    store.add(again.packed, again.ids, again.values)
    assert_same_items(everything(store), items)
    assert_nearest(store, items, items.packed[:3], 50)


def test_items_can_be_removed_by_their_columns(new_store):
    items = some_items()
    store = store_with(new_store, items, 13)
    flag, weight = items.values["flag"], items.values["weight"]
    gone = flag & (weight > 0)
    where = {"flag": True, "weight": Between(np.nextafter(0, 1), None)}
    assert store.remove(where=where) == gone.sum() > 0
    assert store.remove(where=where) == store.remove(where={"name": []}) == 0
    assert_same_items(everything(store), taken(items, ~gone))
    assert_nearest(store, items, items.packed[:3], 50, mask=~gone)
    assert store.remove(where={"digit": Between(-(2**63), 2**63 - 1)}) == (~gone).sum()
    assert store.count() == 0


def test_what_to_remove_is_said_in_one_way(new_store):
    store = store_with(new_store, some_items(), 13)
    for wrong in ({}, {"ids": [1], "where": {"flag": True}}):
        with pytest.raises(TypeError, match="either ids or where"):
            store.remove(**wrong)
    with pytest.raises(ValueError, match="where must have a condition; drop the table"):
        store.remove(where={})
    with pytest.raises(ValueError, match="must name columns of the table"):
        store.remove(where={"size": 3})
    assert store.count() == 50


def test_all_items_can_be_removed(new_store):
    items = some_items()
    store = store_with(new_store, items, 13)
    assert store.remove(set(items.ids.tolist())) == 50
    assert store.remove([]) == 0
    assert store.count() == 0
    assert store.search(items.packed[:1], 1).ids.shape == (1, 0)
    assert sum(len(batch.ids) for batch in store.read()) == 0


def test_ids_may_be_negative_and_as_large_as_64_bits_allow(new_store):
    packed = pack_codes(np.eye(len(ENDS)))
    store = new_store().create(len(ENDS))
    store.add(packed, ENDS)
    distances, ids = store.search(packed, 1)
    np.testing.assert_array_equal(ids[:, 0], ENDS)
    assert not distances.any()
    assert sorted(store.radius_search(packed[:1], 2).ids) == ENDS.tolist()
    assert sorted(everything(store).ids) == ENDS.tolist()
    for id_ in (ENDS[0], ENDS[4], ENDS[-1]):  # 2**53 + 1 is no float
        assert store.search(packed, 1, where={"id": id_}).ids[:, 0].tolist() == [id_] * len(ENDS)
        assert store.remove([id_]) == 1
    assert sorted(everything(store).ids) == ENDS[[1, 2, 3, 5]].tolist()


def test_a_filter_knows_ids_that_are_far_apart(new_store):
    """An engine that subtracts ids in 32 bits takes some for others."""
    spread = np.arange(-50, 50) * 2**31 * 1_000_003
    ids = np.concatenate([spread, 5 + 2**32 * np.arange(10)])
    items = Batch(ids, random_codes(np.random.default_rng(0), len(ids), 16), {})
    store = store_with(new_store, items, 16)
    for mask in (ids == 5, ids % 3 == 0, ids > 0, ids <= 5 + 2**32):
        where = {"id": ids[mask]}
        assert store.count(where) == mask.sum()
        assert_nearest(store, items, items.packed[:2], 20, mask, where=where)
        assert_within(store, items, items.packed[:2], 8, mask, where=where)


def test_nothing_can_be_added(new_store):
    store = new_store().create(9, {"digit": int})
    store.add(np.empty((0, 2), dtype=np.uint8), [], {"digit": []})
    assert store.count() == 0


def test_wrong_ids_are_refused_before_anything_is_written(new_store):
    store = new_store().create(8)
    for ids, reason in WRONG_IDS:
        with pytest.raises(ValueError, match=reason):
            store.add(np.zeros((3, 1), dtype=np.uint8), ids, batch_size=1)
    assert store.count() == 0


def test_wrong_values_are_refused_before_anything_is_written(new_store):
    store = new_store().create(8, {"digit": int, "name": str})
    for values, reason in WRONG_VALUES:
        with pytest.raises(ValueError, match=reason):
            store.add(np.zeros((3, 1), dtype=np.uint8), [1, 2, 3], values, batch_size=1)
    assert store.count() == 0


def test_wrong_codes_are_refused_before_anything_is_written(new_store):
    store = new_store().create(7)
    for packed in (np.zeros((1, 2), np.uint8), np.full((1, 1), 255, np.uint8), np.zeros((1, 1))):
        with pytest.raises(ValueError, match="packed"):
            store.add(packed, [1])
    assert store.count() == 0
