"""Codes and their tables in PostgreSQL: tables renamed, moved, inherited, triggered."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import psycopg
import pytest

from hashlearn.stores import PostgresStore, StoreError
from tests.stores.servers import Server

TABLES = "select relname from pg_class where relkind = 'r' and relnamespace = 'parts'::regnamespace"
FUNCTIONS = "select proname from pg_proc where pronamespace = 'parts'::regnamespace"
INDEXES = "select indexdef from pg_indexes where schemaname = 'parts' and tablename = 'items'"


@pytest.fixture
def admin(vector_server: Server) -> Iterator[psycopg.Connection]:
    """Return a connection of somebody else, with schemas that are gone after the test."""
    with psycopg.connect(vector_server.address, autocommit=True) as connection:
        connection.execute("create schema parts")
        connection.execute("create schema earlier")
        connection.execute("set search_path = parts")
        yield connection
        connection.execute("drop schema parts, earlier cascade")


@pytest.fixture
def place(vector_server: Server, admin: psycopg.Connection) -> str:
    return f"{vector_server.address}?options=-c%20search_path%3Dearlier,parts,public"


@pytest.fixture
def store(place: str) -> Iterator[PostgresStore]:
    with PostgresStore(place) as store:
        yield store


def codes(*bytes_: int) -> np.ndarray:
    return np.array(bytes_, dtype=np.uint8)[:, None]


def indexed(place: str, table: str, numbers: range) -> None:
    """Make a table in which number n has id n and code n, with an index."""
    schema, _, name = table.rpartition(".")
    with PostgresStore(place.replace("earlier,parts", schema or "parts"), name) as store:
        store.create(8)
        store.add(codes(*numbers), numbers)
        store.build_index()


def nearest(store: PostgresStore, number: int) -> list[int]:
    """Return the ids that an approximate and an exact search find."""
    return [int(store.search(codes(number), 1, effort=effort).ids[0, 0]) for effort in (100, None)]


def names(admin: psycopg.Connection, query: str) -> set[str]:
    return {name for (name,) in admin.execute(query)}


def test_a_table_that_takes_anothers_name_keeps_its_own_codes(place, admin, store):
    indexed(place, "items", range(100))
    for first in (50, 100):  # a new table every night, say
        indexed(place, "items_new", range(first, first + 100))
        admin.execute("alter table items rename to items_old")
        admin.execute("alter table items_new rename to items")
        assert nearest(store, first + 99) == [first + 99] * 2
        store.build_index()
        store.add(codes(255), [255])
        assert nearest(store, 255) == [255, 255]
        with PostgresStore(place, "items_old") as old:
            assert nearest(old, 77) == [77, 77]
            old.drop()
    store.drop()
    assert names(admin, TABLES) == names(admin, FUNCTIONS) == set()


def test_a_table_renamed_between_two_queries_of_a_search_is_noticed(place, admin, store):
    indexed(place, "items", range(100))
    indexed(place, "items_new", range(50, 150))
    assert store.has_index()
    admin.execute("alter table items rename to items_old")
    admin.execute("alter table items_new rename to items")
    assert store._nearest(codes(149)[0], 1, (), 100).ids.tolist() == [149]


def test_codes_left_by_another_table_earlier_in_the_search_path_are_not_taken(place, admin, store):
    indexed(place, "items", range(50, 150))
    indexed(place, "earlier.items", range(100))
    admin.execute("drop table earlier.items")
    assert nearest(store, 149) == [149, 149]


def test_a_table_that_moves_to_another_schema_keeps_its_index(place, admin, store):
    indexed(place, "items", range(100))
    admin.execute("alter table items set schema earlier")
    store.add(codes(255), [255])
    assert nearest(store, 255) == [255, 255]
    store.drop()
    assert names(admin, TABLES) == names(admin, FUNCTIONS) == set()


def test_a_stranger_with_the_name_of_the_codes_is_left_alone(place, admin, store):
    admin.execute("create table items_distinct_codes (code text)")
    store.create(8)
    store.drop()
    indexed(place, "items", range(100))
    assert nearest(store, 7) == [7, 7]
    store.drop()
    assert names(admin, TABLES) == {"items_distinct_codes"}


def test_codes_of_another_length_are_no_index(place, admin, store):
    indexed(place, "items", range(100))
    admin.execute("alter table items alter code type bit(16) using code::bit(16)")
    assert not store.has_index()
    assert store.exists()
    store.build_index()
    packed = np.array([[7, 0]], dtype=np.uint8)
    assert store.search(packed, 1, effort=100).ids.tolist() == [[7]]
    assert names(admin, TABLES) == {"items", "items_distinct_codes"}


@pytest.mark.parametrize(
    "make",
    [
        "create table items (id bigint primary key, code bit(8)) partition by range (id)",
        "create table items (id bigint primary key, code bit(8));"
        "create table child () inherits (items)",
        "create table parent (id bigint primary key, code bit(8)) partition by range (id);"
        "create table items partition of parent for values from (0) to (9)",
    ],
)
def test_an_index_is_refused_where_rows_come_through_another_table(admin, store, make):
    admin.execute(make)
    with pytest.raises(StoreError, match="an index needs a table by itself"):
        store.build_index()
    assert not store.has_index()


def test_a_table_that_gets_a_child_has_no_index_any_more(place, admin, store):
    indexed(place, "items", range(100))
    assert store.has_index()
    admin.execute("create table child () inherits (items)")
    assert not store.has_index()


def test_a_session_in_which_triggers_are_silent_is_seen(place, admin, store):
    indexed(place, "items", range(100))
    admin.execute("set session_replication_role = replica")
    admin.execute("insert into items values (255, b'11111111')")
    assert nearest(store, 255) == [255, 255]


def test_triggers_that_are_disabled_are_no_index_until_it_is_built_again(place, admin, store):
    indexed(place, "items", range(100))
    admin.execute("alter table items disable trigger hashlearn_insert")
    admin.execute("insert into items values (255, b'11111111')")
    assert not store.has_index()
    store.build_index()
    assert nearest(store, 255) == [255, 255]


def test_a_function_that_serves_two_tables_is_no_index(place, admin, store):
    indexed(place, "items", range(100))
    admin.execute("create table other (id bigint primary key, code bit(8))")
    admin.execute(
        "create trigger hashlearn_insert after insert on other referencing new table as new_items "
        "for each statement execute function items_distinct_codes()"
    )
    assert not store.has_index()
    store.build_index()
    assert nearest(store, 7) == [7, 7]


@pytest.mark.parametrize(
    ("make", "n_indexes"),
    [
        ("create table items_code_idx (x int); create table items_by_code (x int)", 2),
        ("create index mine on items (code, id)", 2),
        ("create index part on items (code) where id > 5", 3),
    ],
)
def test_items_have_an_index_by_code_whatever_it_is_called(admin, store, make, n_indexes):
    store.create(8)
    admin.execute("alter table earlier.items set schema parts")
    admin.execute(make)
    for _ in range(2):
        store.build_index()
        assert len(names(admin, INDEXES)) == n_indexes
        assert any("(code" in index and "where" not in index for index in names(admin, INDEXES))


def test_strangers_cannot_run_the_function_that_notes_codes(vector_server, place, admin):
    indexed(place, "items", range(100))
    admin.execute("create role mallory login password 'm'")
    try:
        admin.execute("create schema mallory authorization mallory")
        admin.execute("grant usage on schema parts to mallory")
        address = f"postgresql://mallory:m@127.0.0.1:{vector_server.port}/postgres"
        with psycopg.connect(address, autocommit=True) as mallory:
            mallory.execute("create table mallory.trap (code bit(8))")
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="items_distinct_codes"):
                mallory.execute(
                    "create trigger trap after insert on mallory.trap referencing new table as "
                    "new_items for each statement execute function parts.items_distinct_codes()"
                )
    finally:
        admin.execute("drop owned by mallory cascade")
        admin.execute("drop role mallory")
