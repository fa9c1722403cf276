"""SQLite files that other programs write to at the same time."""

import threading

import numpy as np
import pytest

from hashlearn.stores import SQLiteStore, StoreError
from hashlearn.stores.sqlite import _connection
from tests.processes import PROCESSES
from tests.stores.sqlite.stores import filled, rows_of, run_as_other, sentence_of

CODE = np.zeros((1, 2), dtype=np.uint8)
USES = [
    lambda store: store.search(CODE, 1),
    lambda store: store.radius_search(CODE, 1),
    lambda store: store.count(),
    lambda store: store.remove([1]),
    lambda store: list(store.read()),
    lambda store: store.drop(),
]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "codes.db")


def test_while_another_program_writes_one_can_read_and_not_write(path, monkeypatch):
    monkeypatch.setattr(_connection, "BUSY_SECONDS", 0.01)
    store, packed = filled(path)
    values = {"digit": np.zeros(100, int)}
    other = SQLiteStore(path)
    with other._connection().transaction(write=True):
        other._connection().execute("update items set digit = 99")
        for write in (lambda: store.add(packed, range(100), values), lambda: store.remove([1])):
            assert "another program is reading or writing it" in sentence_of(write)
        assert store.count({"digit": 99}) == 0
    assert store.count({"digit": 99}) == 100
    store.add(packed, range(100), values)
    assert store.count({"digit": 0}) == 100


def test_one_waits_for_another_program_that_writes(path):
    store, packed = filled(path)
    other = SQLiteStore(path)._connection()
    with other.transaction(write=True):
        other.execute("update items set digit = 99")
        adding = threading.Thread(target=store.add, args=(packed, range(100), {"digit": [0] * 100}))
        adding.start()
        adding.join(timeout=0.05)
        assert adding.is_alive()
    adding.join()
    assert store.count({"digit": 0}) == 100


def test_no_other_program_writes_while_one_does(path, monkeypatch):
    """From the first statement of a transaction, not from its first change."""
    monkeypatch.setattr(_connection, "BUSY_SECONDS", 0.01)
    store, _ = filled(path)
    with store._transaction(write=True):
        assert "another program" in sentence_of(lambda: SQLiteStore(path).remove([1]))
    assert SQLiteStore(path).remove([1]) == 1


def create_and_add(start, paths, number):
    """Make a table in each file as others do at the same time, and add an item to each."""
    for path in paths:
        start.wait(timeout=20)
        with SQLiteStore(path) as store:
            store.create(8, exist_ok=True)
            store.add(np.zeros((1, 1), np.uint8), [number])


def test_programs_that_create_a_table_at_once_share_it(tmp_path):
    paths = [str(tmp_path / f"{number}.db") for number in range(8)]
    start = PROCESSES.Barrier(3)
    programs = [
        PROCESSES.Process(target=create_and_add, args=(start, paths, number)) for number in range(3)
    ]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    assert [program.exitcode for program in programs] == [0] * 3
    for path in paths:
        with SQLiteStore(path) as store:
            assert store.count() == 3
            assert rows_of(store, "pragma journal_mode") == [("wal",)]


@pytest.mark.parametrize("layout", [(16, {}), (24, {"digit": int}), (8, {"digit": int})])
def test_a_table_that_another_program_replaced_is_opened_again(path, layout):
    store, _ = filled(path)
    other = SQLiteStore(path)
    other.drop()
    other.create(*layout)
    for use in USES:
        with pytest.raises(StoreError, match="was replaced by another program: open it again"):
            use(store)
    assert SQLiteStore(path).count() == 0


@pytest.mark.parametrize("use", USES)
def test_a_table_that_another_program_dropped_is_not_there_any_more(path, use):
    store, _ = filled(path)
    SQLiteStore(path).drop()
    assert "does not exist any more" in sentence_of(lambda: use(store))


@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [
        ("number", "'many'", "'many'"),
        ("number", "1.5", "1.5"),
        ("weight", "'heavy'", "'heavy'"),
        ("name", "x'6162'", "b'ab'"),
        ("flag", "7", "7"),
    ],
)
def test_a_value_of_another_type_that_another_program_wrote_is_told(path, column, value, shown):
    with SQLiteStore(path) as store:
        store.create(16, {"number": int, "weight": float, "name": str, "flag": bool})
        values = {"number": [1, 2], "weight": [0, 1], "name": ["a", "b"], "flag": [True, False]}
        store.add(np.zeros((2, 2), np.uint8), [1, 2], values)
        assert len(list(store.read())) == 1
        run_as_other(path, f"update items set {column} = {value} where id = 2")
        said = sentence_of(lambda: list(store.read()))
        assert f"values of column {column!r}" in said
        assert f"another program has written {shown}." in said


def test_a_text_that_is_no_unicode_is_told(path):
    with SQLiteStore(path) as store:
        store.create(16, {"name": str}).add(CODE, [1], {"name": ["a"]})
        run_as_other(path, "update items set name = cast(x'ff' as text)")
        assert "cannot be used" in sentence_of(lambda: list(store.read()))
