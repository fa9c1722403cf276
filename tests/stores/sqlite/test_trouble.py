"""SQLite files that cannot be used, and interruptions."""

import os
import shutil
import signal
import tempfile
from contextlib import contextmanager

import numpy as np
import pytest

from hashlearn.stores import SQLiteStore
from hashlearn.stores.sqlite import _connection
from tests.files.test_kill import without_rights_of_root
from tests.stores.kill import Load, assert_whole_batches, kill_during, resume
from tests.stores.sqlite.stores import filled, rows_of, run_as_other, sentence_of


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "codes.db")


@pytest.mark.parametrize("moment", range(4))
def test_a_batch_that_is_interrupted_is_not_there(path, monkeypatch, moment):
    store, packed = filled(path)
    execute_many = _connection.Connection.execute_many
    calls = []

    def interrupted(self, sql, rows):
        calls.append(sql)
        execute_many(self, sql, rows)
        if len(calls) == moment + 1:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(_connection.Connection, "execute_many", interrupted)
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


def test_asking_for_a_file_that_is_not_there_makes_none(path):
    store = SQLiteStore(path)
    assert not store.exists()
    assert "does not exist" in sentence_of(lambda: store.search([[0]], 1))
    assert not os.path.exists(path)


def test_what_is_no_database_is_left_as_it_is(path):
    text = b"id,code\n" * 1000
    with open(path, "wb") as file:
        file.write(text)
    for use in (SQLiteStore(path).exists, lambda: SQLiteStore(path).create(8)):
        assert "is not an SQLite database" in sentence_of(use)
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


@contextmanager
def folder_to_read(store):
    """Let nobody write into a store's folder, nor into its file."""
    folder = os.path.dirname(store._path)
    os.chmod(folder, 0o555)
    try:
        with without_rights_of_root():
            yield
    finally:
        os.chmod(folder, 0o755)


@pytest.fixture
def open_path():
    """Return a path in a folder that every user may open, as pytest's own is not."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield os.path.join(folder, "codes.db")


def test_a_file_in_a_folder_that_can_only_be_read_can_be_searched(open_path):
    store, packed = filled(open_path)
    store.close()
    store = SQLiteStore(open_path)
    with folder_to_read(store):
        assert store.search(packed[:1], 1, where={"digit": [0, 1]}).ids.tolist() == [[0]]
        assert sum(len(batch.ids) for batch in store.read()) == 100
        assert "is read-only" in sentence_of(lambda: store.remove([1]))
        other_table = SQLiteStore(open_path, "others")
        assert "is read-only" in sentence_of(lambda: other_table.create(8))
    with SQLiteStore(open_path) as writer:
        writer.remove([1])
        assert "changed by another program: open it again" in sentence_of(store.count)
    assert "changed by another program: open it again" in sentence_of(store.count)


def test_a_file_with_a_log_in_a_folder_that_can_only_be_read_is_refused(path, open_path):
    """What is in the log only would be missing."""
    store, _ = filled(path)
    for end in ("", "-wal"):  # as after a crash
        shutil.copy(path + end, open_path + end)
    store.close()
    reader = SQLiteStore(open_path)
    with folder_to_read(reader):
        assert "folder" in sentence_of(reader.count)
    assert reader.count() == 100


def test_a_file_that_can_only_be_read_can_be_searched(open_path):
    run_as_other(open_path, "create table mine (a)")  # so it is not in WAL mode
    store, packed = filled(open_path)
    store.close()
    os.chmod(open_path, 0o444)
    store = SQLiteStore(open_path)
    with folder_to_read(store):
        assert store.search(packed[:1], 1, where={"digit": [0, 1]}).ids.tolist() == [[0]]
        assert "is read-only" in sentence_of(lambda: store.remove([1]))


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
        for use in (store.count, store.read, store.exists):
            assert "is closed" in sentence_of(use)


@pytest.mark.parametrize("address", ["", "a\0b", "postgresql://me:secret@host"])
def test_what_is_no_path_is_refused(address):
    with pytest.raises(ValueError, match="must be a file or ':memory:'"):
        SQLiteStore(address)


def test_a_path_object_is_a_path(tmp_path):
    with SQLiteStore(tmp_path / "codes.db") as store:
        assert store.create(8).place == str(tmp_path / "codes.db")
        assert SQLiteStore(os.fsencode(store.place)).count() == 0


def test_a_relative_path_means_the_folder_where_the_store_was_opened(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    store = SQLiteStore("codes.db")
    monkeypatch.chdir("elsewhere")
    with store.create(8):
        assert list(store.read()) == []
        assert (store.place, os.path.exists(tmp_path / "codes.db")) == ("codes.db", True)
