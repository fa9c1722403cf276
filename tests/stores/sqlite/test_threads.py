"""An SQLite store that threads share."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hashlearn.stores import SQLiteStore
from hashlearn.stores.sqlite import store as sqlite
from tests.stores.sqlite.stores import filled


@pytest.fixture(params=["memory", "file"])
def place(request, tmp_path):
    return ":memory:" if request.param == "memory" else str(tmp_path / "codes.db")


def test_threads_can_share_a_store(place):
    store, packed = filled(place)
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


def test_threads_that_use_a_store_first_open_it_once(place, monkeypatch):
    class Slow(sqlite.Connection):
        def __init__(self, *arguments, **how):
            opened.append(self)
            threads.submit(lambda: None).result()  # so that the others get their turn
            super().__init__(*arguments, **how)

    opened = []
    monkeypatch.setattr(sqlite, "Connection", Slow)
    store = SQLiteStore(place)
    start = threading.Barrier(4)

    def create(_):
        start.wait()
        return store.create(8, exist_ok=True)

    with ThreadPoolExecutor(1) as threads, ThreadPoolExecutor(4) as pool:
        assert list(pool.map(create, range(4))) == [store] * 4
    assert len(opened) == 1
    store.add(np.zeros((1, 1), np.uint8), [1])
    assert store.count() == 1


def test_reading_can_begin_and_end_in_different_threads(place, monkeypatch):
    monkeypatch.setattr(sqlite, "READ_SIZE", 10)
    store, _ = filled(place)
    reading, given_up = store.read(), store.read()
    with ThreadPoolExecutor(1) as other:
        first = other.submit(next, reading).result()
        other.submit(next, given_up).result()
        del given_up
        assert store.count() == 100
        assert len(first.ids) + sum(len(batch.ids) for batch in reading) == 100
        assert other.submit(store.count).result() == 100
    store.close()
    if place != ":memory:":
        assert os.listdir(os.path.dirname(place)) == ["codes.db"]


def test_reading_sees_the_table_as_it_was(place, monkeypatch):
    monkeypatch.setattr(sqlite, "READ_SIZE", 10)
    store, packed = filled(place)
    reading = store.read()
    ids = next(reading).ids.tolist()
    store.remove(range(50))
    store.add(packed, range(1000, 1100), {"digit": np.zeros(100, int)})
    ids += [id_ for batch in reading for id_ in batch.ids]
    assert sorted(ids) == list(range(100))
