"""PostgreSQL alone: tables made by others, its errors, its orders, its transactions."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import numpy as np
import psycopg
import pytest
from psycopg import sql

from hashlearn.stores import Between, PostgresStore, StoreError, StoreLostError
from tests.search.brute_force import random_codes
from tests.stores.expected import assert_nearest, items_of

TABLE = "made_by_others"


@pytest.fixture(params=["vector_server", "plain_server"])
def address(request: pytest.FixtureRequest) -> str:
    return request.getfixturevalue(request.param).address


@pytest.fixture
def admin(address: str) -> Iterator[psycopg.Connection]:
    """Return a connection of somebody else; the table is removed after the test."""
    with psycopg.connect(address, autocommit=True) as connection:
        yield connection
        connection.execute(sql.SQL("drop table if exists {} cascade").format(sql.Identifier(TABLE)))


@pytest.fixture
def store(address: str, admin: psycopg.Connection) -> Iterator[PostgresStore]:
    with PostgresStore(address, TABLE) as store:
        yield store


def make(admin: psycopg.Connection, columns: str) -> None:
    admin.execute(f"create table {TABLE} ({columns})")


def codes(*bytes_: int) -> np.ndarray:
    return np.array(bytes_, dtype=np.uint8)[:, None]


def test_a_table_made_by_others_is_taken(store, admin):
    make(
        admin,
        "id integer generated always as identity unique, made date, code bit(5), "
        'size smallint, weight double precision, name varchar(9), ok boolean, "a b%s" text, '
        "rounded real, "  # as a float it would not be what was asked for
        "twice integer generated always as (size * 2) stored",
    )
    admin.execute(f"insert into {TABLE} (code) values (null)")  # no item
    columns = {"size": int, "weight": float, "name": str, "ok": bool}
    assert (store.n_bits, store.columns) == (5, columns)
    assert store.count() == 0
    values = {"size": [3, 4], "weight": [0.5, 2.0], "name": ["a", "b"], "ok": [True, False]}
    for _ in range(2):
        store.add(codes(0b10100000, 0b11111000), [7, 2**31 - 1], values)
    (batch,) = store.read()
    assert sorted(batch.ids) == [7, 2**31 - 1]
    assert store.search(codes(0b10100000), 5).distances.tolist() == [[0, 3]]
    assert store.count({"weight": Between(0.5, 1)}) == 1
    assert store.remove([7, 8]) == 1


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ("id bigint primary key", "must have a column 'code' of type bit.* no column 'code'"),
        ("code bit(8)", "must have a bigint or text column 'id' .* no column 'id'"),
        ("id bigint primary key, code bit varying(8)", "'code' of type bit varying"),
        ("id bigint primary key, code bytea", "'code' of type bytea"),
        ("id date primary key, code bit(8)", "'id' of type date"),
        ("id bigint, code bit(8)", "'id' of type bigint without a unique index"),
        ("id bigint, code bit(8), unique (id, code)", "without a unique index"),
        ("id bigint unique deferrable, code bit(8)", "without a unique index"),
    ],
)
def test_a_table_of_another_kind_is_refused_in_one_sentence(store, admin, columns, reason):
    make(admin, columns)
    for ask in (store.exists, store.count, lambda: store.create(8, exist_ok=True)):
        with pytest.raises(StoreError, match=reason):
            ask()


def test_a_null_of_others_is_read(store, admin):
    make(admin, "id bigint primary key, code bit(8) not null, size integer")
    admin.execute(f"insert into {TABLE} values (1, '00000000', null)")
    assert store.count() == 1
    assert [batch.values["size"].tolist() for batch in store.read()] == [[None]]


def test_a_column_that_must_have_values_says_so(store, admin):
    make(admin, "id bigint primary key, code bit(8) not null, size integer not null")
    with pytest.raises(StoreError, match='null value in column "size"') as caught:
        store.add(codes(1), [1], {"size": [None]})
    assert "\n" not in str(caught.value)


def test_texts_compare_by_code_points_whatever_language_the_database_has(store):
    store.create(8, {"name": str})
    names = ["a", "B", "ä", "Z", "z", "", "東"]
    store.add(np.zeros((7, 1), dtype=np.uint8), range(7), {"name": names})
    assert store.count({"name": Between("B", "a")}) == 3
    assert store.count({"name": Between("b", None)}) == 3


def test_what_is_not_a_number_is_within_no_range(store, admin):
    store.create(8, {"weight": float})
    store.add(np.zeros((3, 1), dtype=np.uint8), range(3), {"weight": [0.0, 2.0, np.inf]})
    admin.execute(f"insert into {TABLE} values (3, '00000000', 'NaN')")
    assert store.count({"weight": Between(1, None)}) == 2
    assert store.count({"weight": Between(None, 1)}) == 1


def test_adding_again_writes_nothing(store, admin):
    random = np.random.default_rng(0)
    items = items_of(random_codes(random, 300, 70), random, name=np.array(["x"] * 300))
    store.create(70, {"name": str})
    versions = []
    for _ in range(2):
        store.add(items.packed, items.ids, items.values, batch_size=100)
        versions.append(admin.execute(f"select ctid, xmin from {TABLE} order by id").fetchall())
    assert versions[0] == versions[1]
    store.add(items.packed[:1], items.ids[:1], {"name": ["y"]})
    changed = admin.execute(f"select ctid, xmin from {TABLE} order by id").fetchall()
    assert sum(old != new for old, new in zip(versions[1], changed, strict=True)) == 1


def test_reading_is_of_one_moment_and_disturbs_nothing(store):
    random = np.random.default_rng(0)
    packed = random_codes(random, 25_000, 16)
    store.create(16)
    store.add(packed, range(25_000))
    reading = store.read()
    first = next(reading)
    store.remove(range(0, 25_000, 2))
    store.add(packed[:1], [10**6])
    assert len(first.ids) + sum(len(batch.ids) for batch in reading) == 25_000
    abandoned = store.read()
    next(abandoned)
    abandoned.close()
    assert store.count() == 12_501


def test_reading_notices_a_table_made_again(store, address):
    store.create(8)
    with PostgresStore(address, TABLE) as other:
        other.drop()
        other.create(16)
        other.add(np.array([[1, 2]], dtype=np.uint8), [1])
    with pytest.raises(StoreError, match="codes of 16 bits instead of 8: open the store again"):
        list(store.read())


def test_a_closed_store_says_so_and_ends_what_was_being_read(address, store, admin):
    store.create(8)
    store.add(np.zeros((25_000, 1), dtype=np.uint8), range(25_000))
    with PostgresStore(address, TABLE) as closed:
        reading = closed.read()
        next(reading)
    for ask in (lambda: list(reading), closed.count, lambda: list(closed.read())):
        with pytest.raises(StoreError, match=r"is closed: open another one\.") as caught:
            ask()
        assert not isinstance(caught.value, StoreLostError)
    admin.execute("set lock_timeout = 5000")
    admin.execute(f"drop table {TABLE}")  # nobody reads it


def test_an_error_is_one_sentence_and_the_connection_goes_on(store, admin):
    store.create(8)
    admin.execute(f"alter table {TABLE} add constraint small check (id < 10)")
    with pytest.raises(StoreError, match=f"failed: .*{TABLE}.*small") as caught:
        store.add(codes(1, 2), [1, 11])
    assert "\n" not in str(caught.value)
    assert store.count() == 0
    store.add(codes(1, 2), [1, 2])
    assert store.count() == 2


@pytest.mark.parametrize("setting", ["statement_timeout", "lock_timeout"])
def test_a_timeout_is_an_error_and_the_connection_goes_on(address, store, admin, setting):
    store.create(8)
    with (
        PostgresStore(f"{address}?options=-c%20{setting}%3D100", TABLE) as hasty,
        admin.transaction(),
    ):
        admin.execute(f"lock table {TABLE} in exclusive mode")
        with pytest.raises(StoreError, match=r"failed: canceling statement.*timeout"):
            hasty.add(codes(1), [1])
        assert hasty.count() == 0


def test_a_column_may_have_any_name_that_is_taken(store):
    columns = dict.fromkeys(("n_bits", "n_fields", "item", "excluded", "select", "Order"), int)
    store.create(8, columns)
    store.add(codes(1), [1], {name: [place] for place, name in enumerate(columns)})
    assert store.count({name: place for place, name in enumerate(columns)}) == 1


def test_a_name_that_the_server_keeps_for_itself_is_refused(store):
    with pytest.raises(StoreError, match='column name "ctid" conflicts'):
        store.create(8, {"ctid": int})
    assert not store.exists()


def test_a_table_is_found_along_the_search_path(address, admin):
    admin.execute("create schema elsewhere")
    try:
        with PostgresStore(f"{address}?options=-c%20search_path%3Delsewhere", TABLE) as store:
            store.create(8)
            store.add(codes(1), [1])
            assert store.search(codes(1), 1).ids.tolist() == [[1]]
            with PostgresStore(address, TABLE) as other:
                assert not other.exists()
            assert admin.execute(f"select count(*) from elsewhere.{TABLE}").fetchone() == (1,)
    finally:
        admin.execute("drop schema elsewhere cascade")


def test_threads_share_a_store(store):
    random = np.random.default_rng(0)
    items = items_of(random_codes(random, 2_000, 16), random)
    store.create(16)
    errors: list[BaseException] = []

    def add(part: int) -> None:
        try:
            rows = slice(part * 500, (part + 1) * 500)
            store.add(items.packed[rows], items.ids[rows], batch_size=50)
            store.search(items.packed[:2], 3)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=add, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert_nearest(store, items, items.packed[:3], 50)


def test_a_server_that_is_too_old_is_named(address, monkeypatch):
    monkeypatch.setattr("hashlearn.stores.postgresql._connection.OLDEST", 99)
    with pytest.raises(StoreError, match=r"runs PostgreSQL \d+; it must be 99 or later"):
        PostgresStore(address).exists()


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ImportError, match=r"needs psycopg: pip install 'hashlearn\[pgvector\]'"):
        PostgresStore("postgresql://me@host/codes")
