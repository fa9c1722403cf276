"""Who waits for whom in PostgreSQL: builders and readers, two writers, two who make a table."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import numpy as np
import psycopg
import pytest

from hashlearn.stores import PostgresStore, StoreError
from tests.stores.servers import Server, wait_for_waiting

TABLE = "waited_for"
CODES = f"{TABLE}_distinct_codes"


@pytest.fixture
def admin(vector_server: Server) -> Iterator[psycopg.Connection]:
    """Return a connection of somebody else; the table is removed after the test."""
    with psycopg.connect(vector_server.address, autocommit=True) as connection:
        yield connection
    with PostgresStore(vector_server.address, TABLE) as store:
        if store.exists():
            store.drop()


@pytest.fixture
def hasty(vector_server: Server, admin: psycopg.Connection) -> Iterator[PostgresStore]:
    """Return a store that fails rather than wait for a lock."""
    with PostgresStore(f"{vector_server.address}?options=-c%20lock_timeout%3D200", TABLE) as store:
        yield store


@pytest.fixture
def store(vector_server: Server, admin: psycopg.Connection) -> Iterator[PostgresStore]:
    with PostgresStore(vector_server.address, TABLE) as store:
        yield store


@pytest.fixture
def observer(vector_server: Server) -> Iterator[psycopg.Connection]:
    with psycopg.connect(vector_server.address, autocommit=True) as connection:
        yield connection


def codes(*bytes_: int) -> np.ndarray:
    return np.array(bytes_, dtype=np.uint8)[:, None]


def started(work: Callable[[], object]) -> Callable[[], None]:
    """Begin some work; return what waits for its end, and raises what it raised."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()

    def finish() -> None:
        thread.join()
        for error in errors:
            raise error

    return finish


def test_building_again_waits_for_no_reader_and_keeps_rights(hasty, admin):
    hasty.create(8)
    hasty.add(codes(*range(50)), range(50))
    hasty.build_index()
    admin.execute("create role reader")
    admin.execute(f"grant select on {CODES} to reader")
    try:
        with admin.transaction():
            admin.execute(f"select count(*) from {TABLE}")
            hasty.build_index()
            right = admin.execute(f"select has_table_privilege('reader', '{CODES}', 'select')")
            assert right.fetchone() == (True,)
    finally:
        admin.execute("drop owned by reader")
        admin.execute("drop role reader")


def test_what_is_written_while_a_build_waits_is_found(vector_server, admin, observer):
    strict = "?options=-c%20default_transaction_isolation%3Dserializable"
    with PostgresStore(vector_server.address + strict, TABLE) as store:
        store.create(8)
        store.add(codes(*range(50)), range(50))
        with admin.transaction():
            admin.execute(f"insert into {TABLE} values (100, b'11111111')")
            finish = started(store.build_index)
            wait_for_waiting(observer)
        finish()
        assert store.search(codes(255), 1, effort=100).ids.tolist() == [[100]]


def test_writers_take_items_by_id(store, admin, observer):
    store.create(8)
    store.add(codes(*range(9)), range(9))
    with admin.transaction():
        admin.execute(f"select from {TABLE} where id = 8 for update")
        finish = started(lambda: store.add(codes(11, 12, 13), [8, 0, 4]))
        wait_for_waiting(observer)
        free = observer.execute(f"select id from {TABLE} for update skip locked").fetchall()
        assert sorted(id_ for (id_,) in free) == [1, 2, 3, 5, 6, 7]
    finish()


def test_writers_note_codes_in_order(store, admin, observer):
    store.create(8)
    store.build_index()
    with admin.transaction():
        admin.execute(f"insert into {CODES} values (b'11111111')")
        finish = started(lambda: store.add(codes(255, *range(20)), range(21)))
        wait_for_waiting(observer)
        observer.execute("set lock_timeout = 10")
        for code in range(20):  # all of them are noted before the last one is waited for
            with pytest.raises(psycopg.errors.LockNotAvailable):
                observer.execute(f"insert into {CODES} values ({code}::bit(8))")
    finish()


def test_a_table_that_another_makes_at_the_same_time_is_taken(store, admin, observer):
    with admin.transaction():
        admin.execute(f"create table {TABLE} (id bigint primary key, code bit(8) not null)")
        finish = started(lambda: store.create(8, exist_ok=True))
        wait_for_waiting(observer)
    finish()
    assert store.n_bits == 8


def test_a_table_that_another_makes_otherwise_at_the_same_time_is_refused(store, admin, observer):
    with admin.transaction():
        admin.execute(f"create table {TABLE} (id bigint primary key, code bit(16) not null)")
        finish = started(lambda: store.create(8, exist_ok=True))
        wait_for_waiting(observer)
    with pytest.raises(StoreError, match=r"has codes of 16 bits .* not codes of 8 bits"):
        finish()
