"""Missing values in the columns of every store: stored, read back, searched."""

import numpy as np
import pytest

from hashlearn.stores import Batch, Between, Not
from tests.search.brute_force import random_codes
from tests.stores.expected import assert_nearest, assert_within, everything, items_of, taken

COLUMNS = {"digit": int, "weight": float, "name": str, "flag": bool}


def with_nulls(column, random):
    """Return a column as objects, a third of them None."""
    values = np.array(column.tolist(), dtype=object)
    values[random.random(len(values)) < 1 / 3] = None
    return values


def some_items(n=200):
    random = np.random.default_rng(0)
    columns = {
        "digit": random.integers(0, 4, n),
        "weight": np.array([0.5, -0.0, 1e300])[random.integers(0, 3, n)],
        "name": np.array(["", "a", "b'"])[random.integers(0, 3, n)],
        "flag": random.random(n) < 0.5,
    }
    values = {name: with_nulls(column, random) for name, column in columns.items()}
    return items_of(random_codes(random, n, 13), random, **values)


def filled(new_store, items):
    store = new_store().create(13, COLUMNS)
    store.add(items.packed, items.ids, items.values, batch_size=70)
    return store


def assert_same_values(items, others):
    """Check the values of items in the same order; None is the same as None only."""
    for name, column in others.values.items():
        assert [(type(value), value) for value in items.values[name].tolist()] == [
            (type(value), value) for value in column.tolist()
        ]


def test_missing_values_are_read_back_as_none(new_store):
    items = some_items()
    store = filled(new_store, items)
    assert store.columns == COLUMNS
    read = everything(store)
    by_id = taken(items, np.argsort(items.ids))
    assert_same_values(taken(read, np.argsort(read.ids)), by_id)
    assert_same_values(store.get(items.ids), items)


def test_a_column_without_missing_values_keeps_its_type(new_store):
    items = some_items()
    store = filled(new_store, items)
    whole = np.all([[value is not None for value in column] for column in items.values.values()], 0)
    kinds = {name: column.dtype.kind for name, column in store.get(items.ids[whole]).values.items()}
    assert kinds in (
        {"digit": "i", "weight": "f", "name": "O", "flag": "b"},
        dict.fromkeys(COLUMNS, "O"),  # an engine may keep objects
    )


def test_values_can_become_missing_and_come_back(new_store):
    items = some_items(20)
    store = filled(new_store, items)
    nothing = {name: [None] * 20 for name in COLUMNS}
    store.add(items.packed, items.ids, nothing)
    assert store.count(dict.fromkeys(COLUMNS)) == 20
    store.add(items.packed, items.ids, items.values)
    assert_same_values(store.get(items.ids), items)


def test_nan_is_a_missing_number(new_store):
    store = new_store().create(8, {"weight": float})
    store.add(np.zeros((3, 1), np.uint8), [1, 2, 3], {"weight": [0.5, np.nan, None]})
    assert store.get([1, 2, 3]).values["weight"].tolist() == [0.5, None, None]
    assert store.count({"weight": None}) == 2


# What is asked for, and which values fulfil it.
CONDITIONS = {
    "missing": ("digit", None, lambda v: v is None),
    "a value or missing": ("digit", [3, None], lambda v: v in (3, None)),
    "a value": ("digit", 3, lambda v: v == 3),
    "present": ("digit", Not(None), lambda v: v is not None),
    "another value or missing": ("digit", Not(3), lambda v: v != 3),
    "another value": ("digit", Not([3, None]), lambda v: v not in (3, None)),
    "all": ("digit", Not([]), lambda v: True),
    "a range": ("digit", Between(2, None), lambda v: v is not None and v >= 2),
    "any integer": ("digit", Between(-(2**63), 2**63 - 1), lambda v: v is not None),
    "no number": ("weight", None, lambda v: v is None),
    "another number": ("weight", Not(0.0), lambda v: v != 0),
    "numbers from": ("weight", Between(0.0, None), lambda v: v is not None and v >= 0),
    "no text": ("name", None, lambda v: v is None),
    "an empty text": ("name", "", lambda v: v == ""),
    "another text": ("name", Not(["", "b'"]), lambda v: v not in ("", "b'")),
    "texts up to": ("name", Between(None, "a"), lambda v: v is not None and v <= "a"),
    "neither true nor false": ("flag", None, lambda v: v is None),
    "not true": ("flag", Not(True), lambda v: v is not True),
    "true or missing": ("flag", [True, None], lambda v: v is not False),
}


@pytest.fixture(scope="module")
def null_shelf(engine):
    """Return a table that is only read, and its items."""
    items = some_items()
    with engine.open("null_shelf") as store:
        store.create(13, COLUMNS).add(items.packed, items.ids, items.values)
        yield store, items
        store.drop()


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_filter_knows_what_is_missing(null_shelf, condition):
    store, items = null_shelf
    column, wanted, fulfils = CONDITIONS[condition]
    mask = np.array([fulfils(value) for value in items.values[column]])
    where = {column: wanted}
    assert 0 < store.count(where) == mask.sum()
    bare = Batch(items.ids, items.packed, {})
    assert_nearest(store, bare, items.packed[:2], 10, mask, where=where)
    assert_within(store, bare, items.packed[:2], 4, mask, where=where)


def test_items_without_a_value_can_be_removed(new_store):
    items = some_items()
    store = filled(new_store, items)
    missing = np.array([value is None for value in items.values["name"]])
    assert store.remove(where={"name": None}) == missing.sum()
    assert store.count() == store.count({"name": Not(None)}) == (~missing).sum()
