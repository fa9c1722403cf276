"""Items by their ids in every store: codes and values, in the order asked."""

import numpy as np
import pytest

from hashlearn.search import PackedCodes
from tests.search.brute_force import random_codes
from tests.stores.every_store.test_changes import some_items
from tests.stores.expected import items_of, store_with


def test_items_come_in_the_order_of_the_ids(shelf):
    random = np.random.default_rng(0)
    for rows in (random.permutation(600), random.integers(0, 600, 1000), np.array([7])):
        got = shelf.store.get(shelf.items.ids[rows])
        np.testing.assert_array_equal(got.ids, shelf.items.ids[rows])
        np.testing.assert_array_equal(got.packed, shelf.items.packed[rows])
        for name, column in shelf.items.values.items():
            np.testing.assert_array_equal(got.values[name], column[rows])


def test_what_a_search_found_can_be_got(shelf):
    distances, ids = shelf.store.search(shelf.items.packed[:3], 4)
    got = shelf.store.get(ids.ravel())
    differ = np.unpackbits(np.repeat(shelf.items.packed[:3], 4, axis=0) ^ got.packed, axis=1)
    np.testing.assert_array_equal(differ.sum(axis=1), distances.ravel())


def test_only_some_columns_can_be_got(shelf):
    got = shelf.store.get(shelf.items.ids[:5], columns=["name", "digit"])
    assert list(got.values) == ["name", "digit"]
    np.testing.assert_array_equal(got.values["digit"], shelf.items.values["digit"][:5])
    assert shelf.store.get(shelf.items.ids[:5], columns=[]).values == {}
    for columns in (["size"], "digit", ["id"], [3]):
        with pytest.raises(
            ValueError, match="columns must be a list of columns of the table, 'dig"
        ):
            shelf.store.get(shelf.items.ids[:5], columns=columns)


def test_an_unknown_id_is_refused_or_left_out(shelf):
    first, second = shelf.items.ids[:2].tolist()
    asked = [first, 10**9, second, -1, first]
    with pytest.raises(
        ValueError, match=r"ids holds 1000000000, which is not in table shelf .*'skip'"
    ):
        shelf.store.get(asked)
    got = shelf.store.get(asked, missing="skip")
    assert got.ids.tolist() == [first, second, first]
    assert len(got.values["name"]) == len(got.packed) == 3
    with pytest.raises(ValueError, match="missing must be"):
        shelf.store.get(asked, missing="ignore")


def test_no_ids_get_no_items(shelf):
    for got in (shelf.store.get([]), shelf.store.get([10**9], missing="skip")):
        assert got.ids.shape == (0,)
        assert got.packed.shape == (0, 2)
        kinds = {name: column.dtype.kind for name, column in got.values.items()}
        assert kinds == {"digit": "i", "weight": "f", "name": "O", "flag": "b"}


def test_codes_that_are_got_know_their_model(new_store):
    items = some_items(n=5)
    store = store_with(new_store, items, 13)
    store.add(PackedCodes(items.packed, "0123456789abcdef"), items.ids, items.values)
    assert store.get(items.ids).packed.model == "0123456789abcdef"


def test_many_items_can_be_got(new_store, monkeypatch):
    monkeypatch.setattr("hashlearn.stores._reading.BATCH_SIZE", 700)
    random = np.random.default_rng(0)
    items = items_of(random_codes(random, 2000, 8), random)
    store = store_with(new_store, items, 8)
    got = store.get(items.ids)
    np.testing.assert_array_equal(got.ids, items.ids)
    np.testing.assert_array_equal(got.packed, items.packed)
