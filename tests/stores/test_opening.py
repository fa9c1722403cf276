"""Stores by their addresses."""

import pytest

from hashlearn.stores import (
    STORES,
    LanceStore,
    PostgresStore,
    SQLiteStore,
    is_store_address,
    open_store,
)

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("scheme", "store"),
    [("lancedb", LanceStore), ("postgresql", PostgresStore), ("sqlite", SQLiteStore)],
)
def test_a_store_is_registered_under_its_scheme(scheme, store):
    assert STORES.get(scheme) is store


@pytest.mark.parametrize("name", ["codes.db", "it's a:file?.db"])
def test_what_follows_the_scheme_is_the_file(tmp_path, name):
    path = str(tmp_path / name)
    with open_store(f"sqlite:{path}", "things") as store:
        assert isinstance(store, SQLiteStore)
        assert (store.place, store.table) == (path, "things")


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_a_server_takes_the_whole_address(scheme):
    """Opening alone asks for no connection."""
    with open_store(f"{scheme}://someone:{SECRET}@somewhere.invalid/base") as store:
        assert isinstance(store, PostgresStore)
        assert SECRET not in repr(store)
        assert "somewhere.invalid" in store.place


@pytest.mark.parametrize(
    "address",
    [f"mysql://someone:{SECRET}@host", f"someone:{SECRET}@host", "codes.db", "sqlite", "", ":"],
)
def test_what_is_no_address_is_refused_without_its_secrets(address):
    with pytest.raises(ValueError, match="address of a store must begin with 'lancedb:'") as caught:
        open_store(address)
    assert SECRET not in str(caught.value)


def test_a_wrong_table_is_refused():
    with pytest.raises(ValueError, match=r"name of a table must be .* got 'a b'"):
        open_store("sqlite::memory:", "a b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sqlite:codes.db", True),
        ("lancedb:folder", True),
        ("postgresql://host/base", True),
        ("postgres://host/base", True),
        ("sqlite", False),
        ("codes.index", False),
        ("folder/sqlite:codes", False),
        ("C:\\codes.index", False),
        ("", False),
    ],
)
def test_addresses_are_told_from_paths(text, expected):
    assert is_store_address(text) is expected
