"""The SQLite store, beyond what every store is tested for: its bits, its ties, its tables."""

import json
import os

import numpy as np
import pytest

from hashlearn._numerics.ids import tie_keys
from hashlearn.search import PackedCodes, pack_codes
from hashlearn.stores import SQLiteStore, StoreError
from hashlearn.stores.sqlite import _search
from tests.search.brute_force import random_codes
from tests.stores.sqlite.stores import filled, rows_of, run_as_other, sentence_of


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "codes.db")


@pytest.mark.parametrize("n_bits", [*range(1, 18), 64, 100, 130])
def test_bit_i_of_a_code_is_bit_i_of_sqlite_vec(n_bits):
    bits = np.random.default_rng(n_bits).integers(0, 2, (5, n_bits))
    store = SQLiteStore(":memory:").create(n_bits)
    store.add(pack_codes(bits), range(5))
    shown = rows_of(store, "select vec_to_json(code) from items_codes order by id")
    padding = [0] * (-n_bits % 8)
    assert [json.loads(text) for (text,) in shown] == [[*row, *padding] for row in bits.tolist()]
    byte = rows_of(store, "select vec_to_json(vec_slice(code, 0, 8)) from items_codes where id = 3")
    assert json.loads(byte[0][0]) == [*bits[3].tolist(), *padding][:8]


@pytest.mark.parametrize("k", [1, 3, 50, 4096, 5000])
@pytest.mark.parametrize("most", [1, 7, 4096])
def test_of_equally_distant_items_the_first_in_neutral_order_are_taken(monkeypatch, k, most):
    """However many more of them there are than sqlite-vec's k-NN returns."""
    monkeypatch.setattr(_search, "MOST", most)
    random = np.random.default_rng(k)
    packed = random_codes(random, 6000, 13, n_distinct=5)
    ids = random.permutation(6000) * 10**9
    store = SQLiteStore(":memory:").create(13)
    store.add(packed, ids)
    distances = np.unpackbits(packed ^ packed[0], axis=1).sum(axis=1)
    order = np.lexsort((tie_keys(ids), distances))[:k]
    found = store.search(packed[:1], k)
    np.testing.assert_array_equal(found.ids[0], ids[order])
    np.testing.assert_array_equal(found.distances[0], distances[order])


@pytest.mark.parametrize("n", [4095, 4096, 4097])
def test_a_radius_finds_more_items_than_the_k_nn_returns(n):
    store = SQLiteStore(":memory:").create(8)
    store.add(np.zeros((n, 1), np.uint8), range(n))
    store.add(np.full((50, 1), 255, np.uint8), range(n, n + 50))
    hits = store.radius_search(np.ones((1, 1), np.uint8), 1)
    assert sorted(hits.ids) == list(range(n))


def test_adding_again_does_not_grow_the_file(path):
    n = 8000
    store, packed = filled(path, n)
    rows_of(store, "pragma wal_checkpoint(truncate)")
    size = os.path.getsize(path)
    random = np.random.default_rng(0)
    for _ in range(5):
        order = random.permutation(n)
        store.add(packed[order], order, {"digit": order % 10}, batch_size=2000)
    rows_of(store, "pragma wal_checkpoint(truncate)")
    assert os.path.getsize(path) == size


def test_replaced_codes_leave_room_for_others(path):
    store, packed = filled(path, 3000)
    sizes = []
    for flip in range(1, 7):
        store.add(packed ^ np.uint8(flip), range(3000), {"digit": np.zeros(3000, int)})
        rows_of(store, "pragma wal_checkpoint(truncate)")
        sizes.append(os.path.getsize(path))
    assert sizes[-1] == sizes[1]


def test_other_tables_can_be_joined_and_other_columns_stay(path):
    store, packed = filled(path)
    rows_of(store, "create table titles (item integer references items, title text)")
    rows_of(store, "insert into titles values (3, 'three')")
    rows_of(store, "alter table items add column note text")
    rows_of(store, "update items set note = 'mine' where id = 3")
    with SQLiteStore(path) as again:
        assert again.columns == {"digit": int}
        again.add(packed[:5], range(5), {"digit": [7] * 5})
        joined = "select digit, note, title from items join titles on items.id = titles.item"
        assert rows_of(again, joined) == [(7, "mine", "three")]


@pytest.mark.parametrize("statement", ["create table Items (a)", "create view items as select 1"])
def test_a_table_of_others_is_not_taken(path, statement):
    run_as_other(path, statement)
    store = SQLiteStore(path)
    for use in (store.exists, lambda: store.create(8), lambda: store.search([[0]], 1)):
        with pytest.raises(StoreError, match="that is not a table of items with codes"):
            use()


def test_tables_that_others_dropped_can_be_created_again(path):
    store, _ = filled(path)
    for table in ("items", "items_codes"):
        rows_of(store, f"drop table {table}")
    assert not store.exists()
    assert store.create(9).n_bits == 9


def test_a_create_that_fails_leaves_nothing(path):
    run_as_other(path, "create table items_codes_chunks (a)")  # a name that sqlite-vec will need
    with SQLiteStore(path) as store, pytest.raises(StoreError, match="items_codes_chunks"):
        store.create(8)
    assert run_as_other(path, "select name from sqlite_master") == [("items_codes_chunks",)]


@pytest.mark.parametrize("table", ["sqlite_items", "hashlearn_tables", "PRAGMA_table_info"])
def test_names_that_are_used_already_are_refused(table):
    with pytest.raises(ValueError, match="begin with hashlearn_, sqlite_ or pragma_"):
        SQLiteStore(":memory:", table)


def test_an_item_is_deleted_with_its_code(path):
    store, packed = filled(path)
    assert store.remove(range(30)) == 30
    for table in ("items", "items_codes"):
        assert rows_of(store, f"select count(*), min(id) from {table}") == [(70, 30)]
    assert store.search(packed[:1], 100).ids.min() == 30


def test_a_new_file_is_in_wal_mode_and_an_old_one_keeps_its_mode(path, tmp_path):
    assert rows_of(filled(path)[0], "pragma journal_mode") == [("wal",)]
    old = str(tmp_path / "old.db")
    run_as_other(old, "create table mine (a)")
    assert rows_of(filled(old)[0], "pragma journal_mode") == [("delete",)]


EARLIER = (  # how an earlier version made a table of 16 bits, to which others added a note
    "create table hashlearn_tables (name text primary key collate nocase, n_bits integer not null)",
    "create table items (id integer primary key, digit INTEGER not null)",
    "create virtual table items_codes using vec0(id integer primary key, code bit[16])",
    "insert into hashlearn_tables values ('items', 16)",
    "alter table items add column note TEXT",
)


def test_a_file_of_an_earlier_version_is_used_as_it_is(path):
    for statement in EARLIER:
        run_as_other(path, statement)
    packed = random_codes(np.random.default_rng(0), 100, 16)
    store = SQLiteStore(path)
    assert (store.n_bits, store.columns, store.model) == (16, {"digit": int}, None)
    store.add(packed, range(100), {"digit": range(100)})
    assert store.search(packed[:5], 1).distances.tolist() == [[0]] * 5
    assert "NOT NULL constraint failed" in sentence_of(
        lambda: store.add(packed[:1], [100], {"digit": [None]})
    )
    store.add(PackedCodes(packed[:1], "0123456789abcdef"), [100], {"digit": [0]})
    assert (store.columns, store.model) == ({"digit": int}, "0123456789abcdef")
    second = SQLiteStore(path, "second").create(16, {"name": str})
    assert (second.columns, second.model) == ({"name": str}, None)
    assert len(rows_of(store, "select note from items")) == 101
