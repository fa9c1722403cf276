"""The tables of a database, in every store."""

import numpy as np
import pytest

from hashlearn.search import PackedCodes
from hashlearn.stores import STORES, StoreError, TableInfo, list_tables
from tests.stores.conftest import INDEXING, STORE_CLASSES


@pytest.fixture
def address(engine, monkeypatch):
    if engine.name == "memory":
        monkeypatch.setitem(STORES._entries, "memory", STORE_CLASSES["memory"])
    return engine.address if engine.store.takes_address else f"{engine.name}:{engine.address}"


def listed(address):
    return {table.name: table for table in list_tables(address)}


def test_tables_are_listed_with_what_is_in_them(address, new_store):
    new_store("listed_first").create(8)  # the database may not exist yet
    before = set(listed(address))
    columns = {"digit": int, "name": str}
    first = new_store("listed_b").create(13, columns)
    first.add(
        PackedCodes(np.zeros((2, 2), np.uint8), "0123456789abcdef"),
        [1, 2],
        {"digit": [1, 2], "name": ["a", "b"]},
    )
    second = new_store("listed_a").create(64)
    tables = listed(address)
    assert set(tables) - before == {"listed_a", "listed_b"}
    assert tables["listed_b"] == TableInfo("listed_b", 13, 2, "0123456789abcdef", columns, int)
    assert tables["listed_a"] == TableInfo("listed_a", 64, 0, None, {}, int)
    assert list(tables) == sorted(tables)
    first.drop()
    second.drop()
    assert set(listed(address)) == before


def test_parts_of_tables_are_not_listed(engine, address, new_store):
    new_store("listed_first").create(8)  # the database may not exist yet
    before = set(listed(address))
    store = new_store("with_parts").create(8)
    store.add(np.zeros((3, 1), np.uint8), range(3))
    if engine.name in INDEXING:
        store.build_index()
    assert set(listed(address)) - before == {"with_parts"}


@pytest.mark.parametrize("scheme", ["lancedb", "sqlite"])
def test_a_database_that_is_not_there_is_not_made(scheme, tmp_path):
    path = tmp_path / "codes"
    with pytest.raises(StoreError, match=r"codes does not exist\.$"):
        list_tables(f"{scheme}:{path}")
    assert not path.exists()
