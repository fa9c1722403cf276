"""SQLite stores for tests, and another program that uses the same file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hashlearn.stores import SQLiteStore, StoreError
from hashlearn.stores.sqlite._connection import Connection, choose_driver
from tests.search.brute_force import random_codes


def filled(path: str, n: int = 100) -> tuple[SQLiteStore, np.ndarray]:
    """Return a store of n random codes of 16 bits with ids 0, 1, ..., and the codes."""
    packed = random_codes(np.random.default_rng(0), n, 16)
    store = SQLiteStore(path)
    store.create(16, {"digit": int})
    store.add(packed, np.arange(n), {"digit": np.arange(n) % 10})
    return store, packed


def run_as_other(path: str, statement: str) -> list[tuple[Any, ...]]:
    """Return what a statement gives in another connection.

    Through the same package: two copies of SQLite in one process do not see each other's locks.
    """
    other = Connection(path, choose_driver(), create=True)
    rows = list(other.execute(statement))
    other.close()
    return rows


def rows_of(store: SQLiteStore, sql: str) -> list[tuple[Any, ...]]:
    """Return what a statement gives in the store's own connection."""
    return list(store._connection().execute(sql))


def sentence_of(act: Any) -> str:
    """Return what a StoreError says, which is one sentence."""
    with pytest.raises(StoreError) as caught:
        act()
    assert "\n" not in str(caught.value)
    return str(caught.value)
