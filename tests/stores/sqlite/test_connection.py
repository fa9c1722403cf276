"""The two packages that SQLite is used through."""

import os
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlite_vec

from hashlearn.stores import SQLiteStore, StoreError
from hashlearn.stores.sqlite import _connection

CAN_LOAD = hasattr(sqlite3.Connection, "enable_load_extension")


def test_python_s_own_package_is_used_where_it_can_load_extensions(monkeypatch):
    class Loading(sqlite3.Connection):
        enable_load_extension = None

    monkeypatch.setattr(sqlite3, "Connection", Loading)
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 45, 0))
    assert SQLiteStore(":memory:").driver == "sqlite3"
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 37, 2))  # which is too old
    assert SQLiteStore(":memory:").driver == "apsw"


@pytest.mark.skipif(CAN_LOAD, reason="this Python's sqlite3 loads extensions")
def test_apsw_is_used_where_python_s_own_package_cannot_load_extensions(monkeypatch):
    assert SQLiteStore(":memory:").driver == "apsw"
    monkeypatch.setitem(sys.modules, "apsw", None)
    with pytest.raises(ImportError, match=r"cannot load sqlite-vec: pip install 'hashlearn\[sql"):
        SQLiteStore(":memory:")


def test_without_sqlite_vec_there_is_no_store(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlite_vec", None)
    with pytest.raises(ImportError, match=r"needs sqlite-vec: pip install 'hashlearn\[sqlite\]'"):
        SQLiteStore(":memory:")


@pytest.fixture(params=["sqlite3", "apsw"])
def connection(request, monkeypatch, tmp_path):
    """Return a connection without sqlite-vec, which every Python can open in both ways."""
    monkeypatch.setattr(_connection, "load_vectors", lambda raw: None)
    path = str(tmp_path / "it's #1? %20 ü.db")
    connection = _connection.Connection(path, request.param, create=True)
    connection.execute("create table pairs (a integer primary key, b)")
    yield connection
    connection.close()
    assert os.listdir(tmp_path) == [os.path.basename(path)]


def pairs(connection):
    with connection.transaction():
        return list(connection.execute("select a, b from pairs where a > ? order by a", [0]))


def delete_and_raise(connection, error):
    with connection.transaction(write=True):
        connection.execute("delete from pairs")
        raise error


def test_both_packages_write_all_or_nothing(connection):
    with connection.transaction(write=True):
        connection.execute_many("insert into pairs values (?, ?)", [(1, "x"), (2, b"\0y")])
    for error in (ZeroDivisionError, KeyboardInterrupt):
        with pytest.raises(error):
            delete_and_raise(connection, error)
    assert pairs(connection) == [(1, "x"), (2, b"\0y")]


def test_both_packages_say_what_went_wrong(connection):
    with pytest.raises(StoreError, match="UNIQUE constraint failed"), connection.transaction():
        connection.execute_many("insert into pairs values (?, ?)", [(1, "x"), (1, "y")])
    with pytest.raises(StoreError, match="no such table"), connection.transaction():
        connection.execute("select * from missing")
    assert pairs(connection) == []


def test_both_packages_work_in_another_thread(connection):
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(pairs, connection).result() == []


def test_a_connection_loads_sqlite_vec_and_nothing_after_it():
    store = SQLiteStore(":memory:").create(8)
    load = f"select load_extension('{sqlite_vec.loadable_path()}')"
    with pytest.raises(Exception, match="not authorized"):
        list(store._connection().execute(load))


def test_a_connection_waits_for_others(tmp_path):
    path = str(tmp_path / "codes.db")
    connection = _connection.Connection(path, _connection.choose_driver(), create=True)
    assert list(connection.execute("pragma busy_timeout")) == [(5000,)]
    connection.close()
