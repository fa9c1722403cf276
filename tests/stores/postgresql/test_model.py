"""The model of a table's codes in PostgreSQL, kept in a comment."""

from __future__ import annotations

import psycopg
import pytest

from hashlearn.search import PackedCodes
from hashlearn.stores import ModelMismatchError, PostgresStore
from tests.stores.postgresql.test_store import TABLE, codes

FIRST, SECOND = "0123456789abcdef", "fedcba9876543210"
COMMENT = f"select col_description('{TABLE}'::regclass, 2)"


@pytest.fixture
def admin(plain_server):
    """Return a connection of the table's owner; the table is removed after the test."""
    with psycopg.connect(plain_server.address, autocommit=True) as connection:
        connection.execute(f"create table {TABLE} (id bigint primary key, code bit(8))")
        yield connection
        connection.execute(f"drop table if exists {TABLE}, renamed")


def test_a_comment_of_others_stays_and_the_model_goes_with_a_renamed_table(plain_server, admin):
    admin.execute(f"comment on column {TABLE}.code is 'made by Ann'")
    with PostgresStore(plain_server.address, TABLE) as store:
        assert store.model is None
        store.add(PackedCodes(codes(1, 2), FIRST), [1, 2])
        assert store.model == FIRST
    assert admin.execute(COMMENT).fetchall() == [(f"made by Ann\nhashlearn model {FIRST}",)]
    admin.execute(f"alter table {TABLE} rename to renamed")
    with PostgresStore(plain_server.address, "renamed") as store:
        assert store.model == FIRST


def test_who_is_not_the_owner_adds_to_a_table_without_a_model_and_never_mixes(plain_server, admin):
    admin.execute("create role writer login password 'w'")
    try:
        admin.execute(f"grant select, insert, update on {TABLE} to writer")
        place = plain_server.address.partition("@")[2]
        with PostgresStore(f"postgresql://writer:w@{place}", TABLE) as theirs:
            theirs.add(PackedCodes(codes(1), FIRST), [1])
            assert theirs.model is None
            with PostgresStore(plain_server.address, TABLE) as store:
                store.add(PackedCodes(codes(2), FIRST), [2])
            with pytest.raises(ModelMismatchError):
                theirs.add(PackedCodes(codes(3), SECOND), [3])
            assert (theirs.model, theirs.count()) == (FIRST, 2)
    finally:
        admin.execute("drop owned by writer")
        admin.execute("drop role writer")
