"""SQLite files that cannot be used, interruptions, other programs and threads."""

import os
import signal
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hashlearn.stores import StoreError, sqlite, sqlite_connection
from hashlearn.stores.sqlite import SQLiteStore
from tests.stores.kill import Load, assert_whole_batches, kill_during, resume
from tests.stores.sqlite_stores import filled, rows_of, sentence_of


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "codes.db")


@pytest.mark.parametrize("moment", range(4))
def test_a_batch_that_is_interrupted_is_not_there(path, monkeypatch, moment):
    store, packed = filled(path)
    execute_many = sqlite_connection.Connection.execute_many
    calls = []

    def interrupted(self, sql, rows):
        calls.append(sql)
        execute_many(self, sql, rows)
        if len(calls) == moment + 1:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(sqlite_connection.Connection, "execute_many", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.add(~packed, range(50, 150), {"digit": np.zeros(100, int)})
    assert store.count() == 100
    assert store.search(packed, 1).distances.max() == 0
    store.add(packed, range(50, 150), {"digit": np.zeros(100, int)})
    assert store.count() == 150


def test_a_client_that_is_killed_leaves_whole_batches(tmp_path):
    load = Load(f"sqlite:{tmp_path / 'codes.db'}")
    n_confirmed = kill_during(load)
    assert_whole_batches(load, at_least=n_confirmed)
    resume(load)


def test_while_another_program_writes_one_can_read_and_not_write(path, monkeypatch):
    monkeypatch.setattr(sqlite_connection, "BUSY_SECONDS", 0.01)
    store, packed = filled(path)
    values = {"digit": np.zeros(100, int)}
    other = SQLiteStore(path)
    with other._connection().transaction(write=True):
        other._connection().execute("update items set digit = 99")
        for write in (lambda: store.add(packed, range(100), values), lambda: store.remove([1])):
            assert "another program is writing to it" in sentence_of(write)
        assert store.count({"digit": 99}) == 0
    assert store.count({"digit": 99}) == 100
    store.add(packed, range(100), values)
    assert store.count({"digit": 0}) == 100


def test_reading_sees_the_table_as_it_was(path, monkeypatch):
    monkeypatch.setattr(sqlite, "READ_SIZE", 10)
    store, packed = filled(path)
    reading = store.read()
    ids = next(reading).ids.tolist()
    store.remove(range(50))
    store.add(packed, range(1000, 1100), {"digit": np.zeros(100, int)})
    ids += [id_ for batch in reading for id_ in batch.ids]
    assert sorted(ids) == list(range(100))


def test_a_reading_in_memory_is_ended_before_anything_else(monkeypatch):
    monkeypatch.setattr(sqlite, "READ_SIZE", 10)
    store, _ = filled(":memory:")
    reading = store.read()
    next(reading)
    with pytest.raises(StoreError, match="read to the end first"):
        store.count()
    assert sum(len(batch.ids) for batch in reading) == 90
    assert store.count() == 100
    next(store.read())  # one that is given up ends by itself
    assert store.count() == 100


@pytest.mark.parametrize("place", ["memory", "file"])
def test_threads_can_share_a_store(path, place):
    store, packed = filled(":memory:" if place == "memory" else path)
    start = threading.Barrier(4)

    def work(number):
        start.wait()
        first = 1000 * (1 + number)
        for step in range(10):
            ids = np.arange(first + 10 * step, first + 10 * step + 10)
            store.add(packed[:10], ids, {"digit": [number] * 10})
            assert store.search(packed[:2], 3, where={"digit": number}).ids.min() >= 0
        return store.remove(range(first, first + 50))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [50] * 4
    assert store.count() == 100 + 4 * 50


def test_asking_for_a_file_that_is_not_there_makes_none(path):
    store = SQLiteStore(path)
    assert not store.exists()
    assert "is not there" in sentence_of(lambda: store.search([[0]], 1))
    assert not os.path.exists(path)


def test_what_is_no_database_is_left_as_it_is(path):
    text = b"id,code\n" * 1000
    with open(path, "wb") as file:
        file.write(text)
    for use in (SQLiteStore(path).exists, lambda: SQLiteStore(path).create(8)):
        assert "is no SQLite database" in sentence_of(use)
    with open(path, "rb") as file:
        assert file.read() == text


def test_a_folder_is_no_file(tmp_path):
    assert "is a folder" in sentence_of(SQLiteStore(str(tmp_path)).exists)
    missing = SQLiteStore(str(tmp_path / "missing" / "codes.db"))
    assert not missing.exists()
    assert "there is no folder" in sentence_of(lambda: missing.create(8))


def test_a_damaged_file_is_called_damaged(path):
    store, packed = filled(path, 8000)
    store.close()
    os.truncate(path, os.path.getsize(path) // 2 // 4096 * 4096)
    assert "damaged" in sentence_of(lambda: SQLiteStore(path).search(packed[:1], 1))


def open_read_only(path, driver, *, create):
    """Return a connection that may not write, as SQLite opens a file without the right to."""
    address = f"file:{path}?mode=ro"
    if driver == "sqlite3":
        return sqlite3.connect(address, uri=True, isolation_level=None)
    import apsw

    return apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def test_a_file_that_can_only_be_read_can_be_searched(path, monkeypatch):
    _, packed = filled(path)
    monkeypatch.setattr(sqlite_connection, "open_raw", open_read_only)
    store = SQLiteStore(path)
    assert store.search(packed[:1], 1, where={"digit": [0, 1]}).ids.tolist() == [[0]]
    assert "can only be read" in sentence_of(lambda: store.remove([1]))


def test_a_disk_that_is_full_leaves_the_table_as_it_was(path):
    store, packed = filled(path)
    rows_of(store, "pragma max_page_count = 30")
    more = np.tile(packed, (200, 1))
    values = {"digit": np.zeros(len(more), int)}
    assert "disk" in sentence_of(lambda: store.add(more, range(len(more)), values))
    assert store.count() == 100
    rows_of(store, "pragma max_page_count = 100000")
    store.add(more, range(len(more)), values)
    assert store.count() == len(more)


def test_a_closed_store_says_so(path):
    for place in (path, ":memory:"):
        store, _ = filled(place)
        store.close()
        store.close()
        assert "is closed" in sentence_of(store.count)


@pytest.mark.parametrize("address", ["", "a\0b"])
def test_what_is_no_path_is_refused(address):
    with pytest.raises(ValueError, match="is no path"):
        SQLiteStore(address)


def test_a_path_object_is_a_path(tmp_path):
    with SQLiteStore(tmp_path / "codes.db") as store:
        assert store.create(8).place == str(tmp_path / "codes.db")
