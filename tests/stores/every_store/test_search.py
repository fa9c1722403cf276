"""Exact searches of every store find what `HammingIndex` finds."""

import numpy as np
import pytest

from hashlearn.search import pack_codes
from hashlearn.stores import Batch
from tests.search.brute_force import random_codes
from tests.stores.expected import (
    CODES,
    assert_nearest,
    assert_within,
    items_of,
    queries_for,
    store_with,
)

MANY = 10**9


@pytest.mark.parametrize(("kind", "n"), [("random", 2_000), ("clustered", 10_000), ("tied", 2_000)])
def test_neighbours_among_thousands_are_those_of_an_index(new_store, kind, n):
    random = np.random.default_rng(0)
    items = items_of(CODES[kind](random, n, 64), random)
    store = store_with(new_store, items, 64)
    queries = queries_for(items.packed, 64)
    for k in (1, 10, 100):
        assert_nearest(store, items, queries, k)
    for radius in (0, 1, 9, 30):
        assert_within(store, items, queries, radius)


@pytest.mark.parametrize("n_bits", [1, 7, 8, 13, 64, 65, 130, 4096])
def test_neighbours_of_codes_of_any_length_are_those_of_an_index(new_store, n_bits):
    random = np.random.default_rng(n_bits)
    items = items_of(random_codes(random, 40, n_bits), random)
    store = store_with(new_store, items, n_bits)
    queries = queries_for(items.packed, n_bits, n=2)
    for k in (1, 10, MANY):
        assert_nearest(store, items, queries, k)
    for radius in (0, n_bits // 3, n_bits // 2, n_bits - 1, MANY):
        assert_within(store, items, queries, radius)


def test_a_radius_that_nothing_is_in_finds_nothing(new_store):
    items = items_of(np.zeros((5, 2), dtype=np.uint8), np.random.default_rng(0))
    store = store_with(new_store, items, 16)
    offsets, ids, distances = store.radius_search(np.full((2, 2), 255, dtype=np.uint8), 15)
    assert offsets.tolist() == [0, 0, 0]
    assert ids.shape == distances.shape == (0,)


def test_the_order_of_ties_is_that_of_no_sorted_file(new_store):
    """A file is often sorted by its labels: the lowest ids are then of one class only."""
    packed = np.zeros((100, 1), np.uint8)
    found = [
        store_with(new_store, Batch(ids, packed, {}), 8).search(packed[:1], 10).ids[0]
        for ids in (np.arange(100), np.arange(100)[::-1])
    ]
    np.testing.assert_array_equal(*found)
    assert found[0].max() >= 50 > found[0].min()


def test_more_neighbours_than_a_table_may_hold_are_all_that_it_holds(new_store):
    """SQLite's index gives 4096 at most: more come by another way."""
    random = np.random.default_rng(0)
    items = items_of(random_codes(random, 5_000, 9), random)
    store = store_with(new_store, items, 9)
    for k in (4_096, 4_097, 5_000, MANY):
        assert_nearest(store, items, items.packed[:1], k)
    assert_within(store, items, items.packed[:1], 9)


def test_an_empty_table_has_no_neighbours(new_store):
    store = new_store().create(12)
    queries = pack_codes(np.ones((3, 12)))
    assert store.count() == 0
    assert [part.shape for part in store.search(queries, 5)] == [(3, 0), (3, 0)]
    assert store.radius_search(queries, 12).offsets.tolist() == [0, 0, 0, 0]
    assert sum(len(batch.ids) for batch in store.read()) == 0


def test_no_queries_have_no_answers(shelf):
    nothing = np.empty((0, 2), dtype=np.uint8)
    for part in shelf.store.search(nothing, 5):
        assert part.shape == (0, 0)
        assert part.dtype == np.int64
    offsets, ids, distances = shelf.store.radius_search(nothing, 5)
    assert (offsets.tolist(), ids.size, distances.size) == ([0], 0, 0)


@pytest.mark.parametrize(
    ("queries", "reason"),
    [
        (np.zeros((1, 3), dtype=np.uint8), "queries is 3 bytes wide; n_bits=13 needs 2"),
        (np.full((1, 2), 255, dtype=np.uint8), "queries has bits set after n_bits=13"),
        (np.zeros((1, 2), dtype=np.int32), "queries has dtype int32"),
        (np.zeros(2, dtype=np.uint8), r"queries has shape \(2,\)"),
    ],
)
def test_wrong_queries_are_refused(shelf, queries, reason):
    with pytest.raises(ValueError, match=reason):
        shelf.store.search(queries, 1)
    with pytest.raises(ValueError, match=reason):
        shelf.store.radius_search(queries, 1)


def test_float_queries_of_another_length_are_refused(shelf):
    with pytest.raises(ValueError, match="margins of 2 bits; the codes have n_bits=13"):
        shelf.store.search(np.zeros((1, 2)), 1)


@pytest.mark.parametrize("number", [0, -1, 1.5, True, "3", None])
def test_wrong_numbers_of_neighbours_are_refused(shelf, number):
    with pytest.raises((TypeError, ValueError), match="k must be"):
        shelf.store.search(shelf.items.packed[:1], number)


@pytest.mark.parametrize("radius", [-1, 1.5, True, None])
def test_wrong_radii_are_refused(shelf, radius):
    with pytest.raises(ValueError, match="radius must be"):
        shelf.store.radius_search(shelf.items.packed[:1], radius)
