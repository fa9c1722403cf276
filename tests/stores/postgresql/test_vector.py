"""pgvector in a database: found wherever it is, asked for where it is missing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import psycopg
import pytest

from hashlearn.stores import PostgresStore, StoreError, open_store
from tests.documents.blocks import read_blocks
from tests.documents.not_run import ROOT
from tests.search.brute_force import random_codes
from tests.stores.servers import Server

N_BITS = 32


@pytest.fixture
def admin(vector_server: Server) -> Iterator[psycopg.Connection]:
    with psycopg.connect(vector_server.address, autocommit=True) as connection:
        yield connection


def test_without_the_extension_an_administrator_is_asked_for_it(plain_server):
    with PostgresStore(plain_server.address, "plain") as store:
        store.create(8)
        with pytest.raises(StoreError, match="CREATE EXTENSION vector in this database"):
            store.build_index()
        assert store.count() == 0
        store.drop()


@pytest.mark.parametrize(("server", "effort"), [("vector_server", 80), ("plain_server", None)])
def test_the_program_of_the_guide_searches_with_and_without_it(server, effort, request):
    blocks = read_blocks(ROOT / "docs" / "guide" / "stores.md")
    program = next(block.code for block in blocks if "store.build_index()" in block.code)
    codes = random_codes(np.random.default_rng(0), 50, N_BITS)
    address = request.getfixturevalue(server).address
    names = {"open_store": open_store, "address": address, "codes": codes}
    with PostgresStore(address, "digits") as store:
        store.create(N_BITS)
        store.add(codes, ids=range(50))
        exec(program, names)
        assert names["effort"] == effort
        store.drop()


def test_without_rights_an_administrator_is_asked_for_the_extension(vector_server, admin):
    admin.execute("create role owner_of_bare login password 'o'")
    admin.execute("create database bare owner owner_of_bare")
    address = f"postgresql://owner_of_bare:o@127.0.0.1:{vector_server.port}/bare"
    try:
        with PostgresStore(address) as store:
            store.create(8)
            with pytest.raises(StoreError, match=r"\(permission denied .*\): ask an administrator"):
                store.build_index()
            store.drop()
        as_owner = vector_server.address_of("bare")
        with PostgresStore(as_owner) as store:
            store.create(8)
            store.build_index()  # an administrator's own attempt creates it
            assert store.has_index()
    finally:
        admin.execute("drop database bare with (force)")
        admin.execute("drop role owner_of_bare")


def test_an_extension_is_found_wherever_it_is_moved_and_may_be_closed(vector_server, admin):
    admin.execute("create database apart")
    admin.execute("create role stranger login password 's'")
    try:
        address = vector_server.address_of("apart")
        packed = random_codes(np.random.default_rng(0), 50, N_BITS)
        with psycopg.connect(address, autocommit=True) as owner, PostgresStore(address) as store:
            owner.execute("create schema extensions")
            owner.execute("create extension vector schema extensions")
            store.create(N_BITS)
            store.add(packed, range(50))
            store.build_index()
            owner.execute("grant select on items, items_distinct_codes to stranger")
            place = f"postgresql://stranger:s@127.0.0.1:{vector_server.port}/apart"
            with PostgresStore(place) as theirs:
                assert theirs.search(packed[:1], 1).ids.tolist() == [[0]]
                with pytest.raises(StoreError, match="GRANT USAGE ON SCHEMA extensions"):
                    theirs.search(packed[:1], 1, effort=10)
            for schema in ("public", "extensions"):
                for effort in (None, 10):
                    found = store.search(packed[:1], 1, effort=effort)
                    assert found.ids.tolist() == [[0]]
                owner.execute(f"alter extension vector set schema {schema}")
            owner.execute("drop extension vector cascade")
            assert store.search(packed[:1], 1).ids.tolist() == [[0]]
            assert not store.has_index()
    finally:
        admin.execute("drop database apart with (force)")
        admin.execute("drop role stranger")


def test_an_older_extension_is_not_enough(vector_server, monkeypatch):
    with PostgresStore(vector_server.address, "ahead") as store:
        store.create(8)
        monkeypatch.setattr("hashlearn.stores.postgresql._catalog.OLDEST_VECTOR", (99, 1))
        with pytest.raises(StoreError, match=r"needs pgvector 99.1 or later.*ALTER EXTENSION"):
            store.build_index()
        assert store.search(np.zeros((1, 1), np.uint8), 1).ids.shape == (1, 0)
        store.drop()
