"""Addresses of PostgreSQL: what is taken, and that no password is ever shown."""

from __future__ import annotations

import traceback
from urllib.parse import quote

import pytest

from hashlearn.stores import PostgresStore, StoreError
from hashlearn.stores.postgresql._address import Address

SECRET = "geheimnis"


def told_by(address: str) -> str:
    """Return all that a user gets to see when a store cannot be opened."""
    with pytest.raises(StoreError) as caught:
        PostgresStore(address).exists()
    error = caught.value
    assert error.__cause__ is None
    return repr(error) + "".join(traceback.format_exception(error, chain=True))


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://me:{SECRET}%zz@host/codes",
        f"postgresql://me:bare/{SECRET}@host/codes",
        f"postgresql://me:5/{SECRET}@host/codes",
        f"postgresql://me:bare@{SECRET}@host/codes",
        f"postgresql://me:a?b@{SECRET}@host/codes",
        f"postgresql://me:5/{SECRET}?user=x@host/codes",
        f"postgresql://me:12,{SECRET}",
        f"host=host user=me dbname=a@{SECRET}",
        f"host={SECRET}@host user=me",
        f"postgresql://me:{SECRET}@host:port/codes",
        f"postgresql://me:{SECRET}@[::1/codes",
        f"postgresql://me:{SECRET}@host/codes?colour={SECRET}",
        f"postgresql://me@host/codes?password={SECRET}&port=port",
        f"postgresql:{SECRET}",
        f"host=host password='{SECRET}",
        f"dbname=postgresql://me:{SECRET}@host/codes",
        f"postgresql://me:\udc80{SECRET}@host/codes",
    ],
)
def test_a_malformed_address_is_refused_and_not_repeated(address):
    told = told_by(address)
    assert "must be postgresql://user:password@host:port/database" in told
    assert SECRET not in told


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://me:{SECRET}@127.0.0.1:1/codes",
        f"postgres://me:{SECRET}@127.0.0.1:1/codes",
        f"postgresql://me@127.0.0.1:1/codes?password={SECRET}",
        f"postgresql://me:{quote(SECRET[:3])}%6Deimnis@127.0.0.1:1/codes",
        f"host=127.0.0.1 port=1 user=me dbname=codes password={SECRET}",
    ],
)
def test_a_server_that_does_not_answer_is_named_without_the_password(address):
    told = told_by(address)
    assert "postgresql://me@127.0.0.1:1/codes cannot be opened: Connection refused." in told
    assert SECRET not in told
    assert SECRET not in repr(PostgresStore(address))


@pytest.mark.parametrize("hosts", ["a:1,b:2", "a,b", "[::1]:5", "%2Frun%2Fpg"])
def test_several_hosts_and_folders_are_taken(hosts):
    assert PostgresStore(f"postgresql://me:{SECRET}@{hosts}/codes").place.endswith("/codes")


def test_a_short_password_mangles_no_sentence(vector_server):
    told = told_by(f"postgresql://postgres:a@127.0.0.1:{vector_server.port}/postgres")
    assert 'password authentication failed for user "postgres".' in told


@pytest.mark.parametrize(
    ("query", "environment", "limit"),
    [("", None, "30"), ("", "7", "7"), ("?connect_timeout=3", "7", "3")],
)
def test_a_server_that_never_answers_is_not_waited_for_forever(
    monkeypatch, query, environment, limit
):
    monkeypatch.delenv("PGCONNECT_TIMEOUT", raising=False)
    if environment:
        monkeypatch.setenv("PGCONNECT_TIMEOUT", environment)
    assert Address(f"postgresql://me@host/codes{query}").settings["connect_timeout"] == limit


@pytest.mark.parametrize("address", [f"postgresql://me:top@{SECRET}", f"postgres://me:@{SECRET}"])
def test_a_lone_word_after_the_at_may_be_the_rest_of_a_password(address):
    assert SECRET not in told_by(address)
    assert SECRET not in repr(PostgresStore(address)) + str(Address(address))


@pytest.mark.parametrize("rest", ["", ":5433", "/codes", "?dbname=codes"])
def test_a_host_is_named_where_it_cannot_be_a_part_of_a_password(rest):
    user = "me" if not rest else f"me:{SECRET}"
    assert "@localhost:" in PostgresStore(f"postgresql://{user}@localhost{rest}").place


def test_an_unknown_host_is_named_without_the_password():
    told = told_by(f"postgresql://me:{SECRET}@no-such-host.invalid/codes")
    assert "no-such-host.invalid" in told
    assert SECRET not in told


@pytest.mark.parametrize("query", ["{place}", "{place}?password={secret}"])
def test_a_wrong_password_is_told_and_not_shown(vector_server, query):
    place = f"postgresql://postgres:{SECRET}@127.0.0.1:{vector_server.port}/postgres"
    told = told_by(query.format(place=place, secret=SECRET))
    assert "password authentication failed" in told
    assert SECRET not in told


def test_the_password_may_come_from_the_environment(vector_server, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", vector_server.password)
    monkeypatch.setenv("PGUSER", "postgres")
    address = f"postgresql://127.0.0.1:{vector_server.port}/postgres"
    with PostgresStore(address, "nothing") as store:
        assert not store.exists()
        assert store.place == f"postgresql://postgres@127.0.0.1:{vector_server.port}/postgres"
        assert vector_server.password not in repr(store)


def test_the_password_may_come_from_a_file(vector_server, monkeypatch, tmp_path):
    escaped = vector_server.password.replace(":", r"\:")
    (tmp_path / "pgpass").write_text(f"127.0.0.1:*:*:postgres:{escaped}\n")
    (tmp_path / "pgpass").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pgpass"))
    address = f"postgresql://postgres@127.0.0.1:{vector_server.port}/postgres"
    with PostgresStore(address, "nothing") as store:
        assert not store.exists()
