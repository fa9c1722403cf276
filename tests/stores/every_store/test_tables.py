"""Tables of every store: made, opened again, dropped, under names that databases reserve."""

from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

from hashlearn.stores import Store, StoreError
from tests.search.brute_force import random_codes
from tests.stores.expected import assert_nearest, assert_same_items, everything, items_of

RESERVED = ["select", "order", "group", "user", "table", "index", "values", "where", "primary"]
COLUMNS = {"digit": int, "weight": float, "name": str, "flag": bool}
# Names that a query of an adapter might use itself.
USED = ["distance", "k", "q", "query", "items", "rank", "n", "radius", "vector", "bits", "data"]
# Names that some engine keeps for itself: to refuse them is right too.
KEPT = ["rowid", "_rowid_", "oid", "_rowid", "_distance", "ctid", "xmin", "tableoid", "_score"]
NO_NAMES = [
    "items; drop table x",
    'a"b',
    "a'b",
    "a b",
    "",
    "1a",
    "é",
    "a.b",
    "../a",
    "x" * 49,
    None,
]
CODE = np.zeros((1, 1), dtype=np.uint8)
USES = [
    lambda store: store.add(CODE, [1]),
    lambda store: store.remove([1]),
    lambda store: store.search(CODE, 1),
    lambda store: store.radius_search(CODE, 1),
    lambda store: store.count(),
    lambda store: list(store.read()),
    lambda store: store.get([1], missing="skip"),
    lambda store: store.remove(where={"id": 1}),
]


def test_a_table_is_there_from_create_to_drop(new_store):
    store = new_store()
    assert not store.exists()
    assert store.create(13, COLUMNS) is store
    assert store.exists()
    assert (store.n_bits, store.columns) == (13, COLUMNS)
    store.drop()
    assert not store.exists()


def test_a_second_object_reads_what_the_first_has_written(new_store):
    store = new_store().create(13, COLUMNS)
    packed = random_codes(np.random.default_rng(0), 3, 13)
    values = {
        "digit": [1, 2, 3],
        "weight": [0.5, 1, 2],
        "name": ["a", "b", "c"],
        "flag": [True] * 3,
    }
    store.add(packed, [5, 6, 7], values)
    with new_store(store.table) as second:
        assert second.exists()
        assert (second.n_bits, second.columns) == (13, COLUMNS)
        assert second.search(packed, 1).ids.ravel().tolist() == [5, 6, 7]
        assert second.remove([6]) == 1
        second.add(packed[:1], [8], {name: column[:1] for name, column in values.items()})
    assert store.count() == 3
    assert set(store.search(packed[:1], 2).ids[0]) == {5, 8}


def test_a_table_is_made_once(new_store):
    store = new_store().create(13, COLUMNS)
    with pytest.raises(StoreError, match="exists already"):
        store.create(13, COLUMNS)
    with pytest.raises(StoreError, match="exists already"):
        new_store(store.table).create(13, COLUMNS)


def test_a_table_that_is_there_is_taken_if_it_has_these_bits_and_columns(new_store):
    store = new_store().create(9, {"digit": int, "name": str})
    store.add(np.zeros((1, 2), np.uint8), [1], {"digit": [2], "name": ["a"]})
    other_order = {"name": str, "digit": int}
    same = new_store(store.table).create(9, other_order, exist_ok=True)
    same.add(np.zeros((1, 2), np.uint8), [2], {"name": ["b"], "digit": [3]})
    assert store.count({"digit": 3, "name": "b"}) == same.count({"digit": 2, "name": "a"}) == 1
    with pytest.raises(StoreError, match=r"has codes of 9 bits .*, not codes of 10 bits"):
        store.create(10, other_order, exist_ok=True)
    with pytest.raises(StoreError, match="not codes of 9 bits with columns none"):
        store.create(9, exist_ok=True)
    with pytest.raises(StoreError, match=r"digit \(float\)"):
        store.create(9, {"digit": float, "name": str}, exist_ok=True)
    assert (store.n_bits, store.count()) == (9, 2)


def test_a_table_that_is_not_there_cannot_be_used(new_store):
    store = new_store()
    for _ in range(2):
        for use in (*USES, Store.drop, lambda store: (store.n_bits, store.columns)):
            with pytest.raises(StoreError, match="does not exist: create it first"):
                use(store)
        assert not store.exists()
        store.create(8).drop()


def test_a_table_that_another_has_dropped_is_an_error_in_one_sentence(new_store):
    store = new_store().create(8)
    new_store(store.table).drop()
    for use in USES:
        with pytest.raises(StoreError) as caught:
            use(store)
        assert "\n" not in str(caught.value)


def test_a_table_can_be_made_anew_with_other_bits(new_store):
    store = new_store().create(8)
    store.add(np.zeros((1, 1), np.uint8), [1])
    store.drop()
    store.create(17, {"digit": int})
    assert store.count() == 0
    store.add(np.zeros((1, 3), np.uint8), [1], {"digit": [4]})
    assert (store.n_bits, store.count({"digit": 4})) == (17, 1)


@pytest.mark.parametrize(
    "names", [("one", "two"), ("Items", "items"), ("a", "a_codes"), ("b", "b_index")]
)
def test_two_tables_do_not_meet(new_store, names):
    """Not even where a name is what an engine may call a part of another table."""
    random = np.random.default_rng(0)
    first, second = (items_of(random_codes(random, 30, n_bits), random) for n_bits in (8, 20))
    store = new_store(names[0]).create(8)
    store.add(first.packed, first.ids)
    other = new_store(names[1])
    if names == ("one", "two") or refusal(lambda: other.create(20)) is None:
        other.create(20, exist_ok=True).add(second.packed, second.ids)
        assert_holds(other, second)
    assert_holds(store, first)
    store.drop()
    if other.exists():
        assert_holds(other, second)


def refusal(act):
    """Return the sentence in which a store refuses something; None if it does it."""
    try:
        act()
    except (StoreError, ValueError) as error:
        return str(error)
    return None


def assert_holds(store, items):
    assert_same_items(everything(store), items)
    assert_nearest(store, items, items.packed[:2], 30)


@pytest.mark.parametrize("table", ["order", "Select", "_", "ITEMS", "x" * 48])
def test_words_of_sql_can_be_names(new_store, table):
    store = new_store(table)
    kinds = [int, float, str, bool]
    columns = {name: kinds[i % 4] for i, name in enumerate(["Where", "FROM", *RESERVED[:-2]])}
    samples = {int: 3, float: 0.5, str: "it's", bool: True}
    values = {name: [samples[kind]] for name, kind in columns.items()}
    store.create(12, columns)
    for _ in range(2):
        store.add(np.zeros((1, 2), dtype=np.uint8), [7], values)
    where = {name: column[0] for name, column in values.items()}
    assert store.count(where) == 1
    assert store.search(np.zeros((1, 2), dtype=np.uint8), 5, where=where).ids.tolist() == [[7]]
    assert new_store(table).columns == columns
    assert store.remove([7]) == 1


def test_columns_may_be_called_what_queries_use(new_store):
    assert_usable(new_store(), USED)


def test_a_column_works_or_is_refused_when_the_table_is_made(new_store):
    store = new_store()
    for name in KEPT:
        said = refusal(lambda name=name: store.create(12, {name: int}))
        if said is None:
            store.drop()
            assert_usable(store, [name])
            store.drop()
        else:
            assert "\n" not in said
            assert not store.exists()


def assert_usable(store, names):
    packed = random_codes(np.random.default_rng(0), 2, 12)
    store.create(12, dict.fromkeys(names, int))
    store.add(packed, [1, 2], {name: [10, 20] for name in names})
    where = dict.fromkeys(names, 20)
    assert store.columns == dict.fromkeys(names, int)
    assert store.count(where) == 1
    assert store.search(packed, 2, where=where).ids.tolist() == [[2], [2]]
    assert store.radius_search(packed[1:], 0, where=where).ids.tolist() == [2]
    for column in everything(store).values.values():
        assert sorted(column) == [10, 20]


def test_what_is_no_name_is_refused(engine, new_store):
    store = new_store()
    for name in NO_NAMES:
        with pytest.raises(ValueError, match="must be letters, digits and _"):
            engine.open(name)
        with pytest.raises(ValueError, match="must be letters, digits and _"):
            store.create(8, {name: int})
    assert not store.exists()


def test_wrong_columns_and_numbers_of_bits_are_refused(new_store):
    store = new_store()
    for columns in ({"id": int}, {"CODE": int}, {"a": int, "A": str}, {"a": bytes}):
        with pytest.raises(ValueError, match="column"):
            store.create(8, columns)
    for n_bits in (0, -1, 4097, 8.0, True, None):
        with pytest.raises((TypeError, ValueError), match="n_bits must be"):
            store.create(n_bits)
    assert not store.exists()


def test_a_store_says_what_it_is_and_no_password(engine, new_store):
    store = new_store("things")
    said = f"{store} {store!r}"
    assert f"table things in {store.place} " in said
    assert f"'things' in {store.place}>" in said
    password = urlsplit(engine.address).password
    for secret in (password, unquote(password)) if password else ():
        assert secret not in said
