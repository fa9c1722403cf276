"""Approximate search in PostgreSQL: an HNSW index over distinct codes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import psycopg
import pytest

from hashlearn.search import HammingIndex
from hashlearn.stores import Batch, Between, PostgresStore, StoreError
from hashlearn.stores._search import as_conditions
from hashlearn.stores.postgresql._catalog import find_parts
from hashlearn.stores.postgresql._index import EFFORT, DistinctCodes, indexed_search
from hashlearn.stores.postgresql._sql import as_bits, statement, where_clause
from tests.search.brute_force import random_codes
from tests.stores.expected import assert_nearest, items_of
from tests.stores.servers import Server

N_BITS = 32


@pytest.fixture
def admin(vector_server: Server) -> Iterator[psycopg.Connection]:
    with psycopg.connect(vector_server.address, autocommit=True) as connection:
        yield connection


@pytest.fixture
def store(vector_server: Server) -> Iterator[PostgresStore]:
    with PostgresStore(vector_server.address, "Indexed") as store:
        yield store
        if store.exists():
            store.drop()


def filled(store: PostgresStore, packed: np.ndarray) -> Batch:
    random = np.random.default_rng(1)
    items = items_of(packed, random, year=random.integers(0, 10, len(packed)))
    store.create(N_BITS, {"year": int})
    store.add(items.packed, items.ids, items.values)
    return items


def repeated_codes(n_others: int = 200) -> np.ndarray:
    """Return 2,000 codes of which 20 are distinct, and some others."""
    random = np.random.default_rng(0)
    return np.concatenate(
        [
            random_codes(random, 2_000, N_BITS, n_distinct=20),
            random_codes(random, n_others, N_BITS),
        ]
    )


def distances_of(items: Batch, queries: np.ndarray, k: int) -> np.ndarray:
    index = HammingIndex(N_BITS)
    index.add(items.packed, items.ids)
    return index.search(queries, k).distances


@pytest.mark.parametrize("k", [1, 10, 500])
def test_thousands_of_equal_codes_do_not_hide_the_others(store, k):
    items = filled(store, repeated_codes())
    store.build_index()
    queries = np.concatenate(
        [items.packed[::150], random_codes(np.random.default_rng(5), 5, N_BITS)]
    )
    found = store.search(queries, k, effort=100)
    np.testing.assert_array_equal(found.distances, distances_of(items, queries, k))


def test_a_filter_looks_further_until_enough_are_found(store):
    items = filled(store, repeated_codes())
    store.build_index()
    queries = items.packed[::300]
    mask = items.values["year"] == 3
    allowed = Batch(items.ids[mask], items.packed[mask], {})
    expected = distances_of(allowed, queries, 100)
    for query, distances in zip(queries, expected, strict=True):
        # Not by `search`, which asks for an exact one where too few are found.
        found = store._nearest(query, 100, as_conditions({"year": 3}, store.columns), 20)
        np.testing.assert_array_equal(found.in_order().distances, distances)
    few = np.sort(items.ids)[:3]
    found = store.search(queries, 10, where={"id": Between(None, int(few[-1]))}, effort=20)
    assert {*found.ids.ravel()} == {*few}


def test_rows_are_found_whoever_writes_them(store, admin):
    filled(store, repeated_codes(0))
    store.build_index()
    one, two, three = (np.full((1, 4), byte, dtype=np.uint8) for byte in (0x0F, 0x33, 0x55))
    store.add(one, [10**6], {"year": [1]})
    admin.execute(
        'insert into "Indexed" values (%s, %s::bit(32), 1)', (10**6 + 1, as_bits(two[0], 32))
    )
    admin.execute(
        'update "Indexed" set code = %s::bit(32) where id = %s', (as_bits(three[0], 32), 10**6)
    )
    found = store.search(np.concatenate([two, three]), 1, effort=40)
    assert found.distances.tolist() == [[0], [0]]
    assert found.ids.tolist() == [[10**6 + 1], [10**6]]
    store.remove([10**6])
    assert store.search(three, 1, effort=40).ids[0, 0] != 10**6


def test_who_may_write_items_needs_no_rights_on_the_codes(store, admin, vector_server):
    filled(store, repeated_codes(0))
    store.build_index()
    admin.execute("create role writer login password 'w'")
    try:
        admin.execute('grant select, insert, update on "Indexed" to writer')
        place = vector_server.address.partition("@")[2]
        with PostgresStore(f"postgresql://writer:w@{place}", "Indexed") as theirs:
            theirs.add(np.full((1, 4), 0x0F, dtype=np.uint8), [10**6], {"year": [1]})
        found = store.search(np.full((1, 4), 0x0F, dtype=np.uint8), 1, effort=40)
        assert found.ids.tolist() == [[10**6]]
    finally:
        admin.execute("drop owned by writer")
        admin.execute("drop role writer")


def plan_of(admin: psycopg.Connection, query: np.ndarray) -> str:
    clause, values = where_clause(())
    values |= {"query": as_bits(query, N_BITS), "k": 10}
    with admin.transaction(), admin.cursor() as cursor:
        search = indexed_search(find_parts(cursor, "Indexed"), "public", clause)
        admin.execute(EFFORT, {"table": "Indexed", "effort": "40"})
        lines = admin.execute(statement("explain {search}", search=search), values).fetchall()
    return "\n".join(line for (line,) in lines)


@pytest.mark.parametrize("analyzed", [False, True])
@pytest.mark.parametrize("n_left", [2_200, 2])
def test_the_plan_goes_from_the_index_to_the_items_and_sorts_nothing(
    store, admin, n_left, analyzed
):
    items = filled(store, repeated_codes())
    store.build_index()
    store.remove(items.ids[n_left:])
    if analyzed:
        admin.execute('vacuum analyze "Indexed"')
    plan = plan_of(admin, items.packed[0])
    assert 'Index Scan using "Indexed_distinct_codes_code_idx"' in plan
    assert "Order By: (code <~> " in plan
    assert 'Index Scan using "Indexed_code_idx"' in plan
    assert "Index Cond: (code = " in plan
    assert "Sort" not in plan
    assert "Seq Scan" not in plan


def test_an_exact_search_uses_no_index_even_one_that_others_made(store, admin):
    items = filled(store, repeated_codes(1_000))
    admin.execute('create index on "Indexed" using hnsw (code bit_hamming_ops)')
    admin.execute('analyze "Indexed"')
    assert_nearest(store, items, items.packed[::500], 300)


def test_building_again_forgets_codes_that_have_gone(store, admin):
    items = filled(store, repeated_codes())
    store.build_index()
    store.remove(items.ids[1_000:])
    store.build_index()
    (n_codes,) = admin.execute('select count(*) from "Indexed_distinct_codes"').fetchone()
    assert n_codes == 20
    queries = items.packed[:5]
    left = items.rows(0, 1_000)
    found = store.search(queries, 60, effort=40)
    np.testing.assert_array_equal(found.distances, distances_of(left, queries, 60))


def test_an_index_over_nothing_fills_as_items_come(store):
    store.create(N_BITS)
    store.build_index()
    packed = random_codes(np.random.default_rng(0), 50, N_BITS)
    assert store.search(packed[:1], 3, effort=10).ids.shape == (1, 0)
    store.add(packed, range(50))
    assert store.search(packed, 1, effort=100).ids[:, 0].tolist() == list(range(50))


def test_dropping_the_table_leaves_nothing_behind(store, admin):
    filled(store, repeated_codes(0))
    store.build_index()
    store.drop()
    left = "select relname from pg_class where relname like 'Indexed%'"
    assert admin.execute(left).fetchall() == []
    functions = "select proname from pg_proc where proname like 'Indexed%'"
    assert admin.execute(functions).fetchall() == []


@pytest.mark.parametrize("table", ["order", "T" * 48])
def test_any_table_that_has_a_name_can_have_an_index(vector_server, table):
    with PostgresStore(vector_server.address, table) as store:
        store.create(N_BITS)
        packed = random_codes(np.random.default_rng(0), 50, N_BITS)
        store.add(packed, range(50))
        store.build_index()
        assert store.search(packed[:1], 1, effort=10).ids.tolist() == [[0]]
        store.drop()


def test_a_failed_build_leaves_the_old_index(store, monkeypatch):
    items = filled(store, repeated_codes())
    store.build_index()
    monkeypatch.setattr("hashlearn.stores.postgresql._index.MEMORY", "select 1 / 0, %(needed)s")
    with pytest.raises(StoreError, match="division by zero"):
        store.build_index()
    assert store.search(items.packed[:1], 1, effort=40).distances.tolist() == [[0]]


def test_where_memory_to_share_is_scarce_one_process_builds_the_index(store, monkeypatch):
    items = filled(store, repeated_codes())
    run, failures = DistinctCodes._run, []

    def run_short_of_memory(self, text, **parts):
        if "hnsw" in text and not failures:
            failures.append(text)
            raise psycopg.errors.DiskFull("could not resize shared memory segment")
        return run(self, text, **parts)

    monkeypatch.setattr(DistinctCodes, "_run", run_short_of_memory)
    store.build_index()
    assert failures
    assert store.search(items.packed[:1], 1, effort=40).distances.tolist() == [[0]]


def test_an_effort_that_pgvector_does_not_take_is_refused(store):
    items = filled(store, repeated_codes(0))
    with pytest.raises(StoreError, match="has no index: call build_index"):
        store.search(items.packed[:1], 1, effort=10)
    store.build_index()
    with pytest.raises(ValueError, match="effort must be at most 1000 in PostgreSQL; got 1001"):
        store.search(items.packed[:1], 1, effort=1001)


def test_a_store_that_was_open_before_the_index_uses_it(vector_server, store):
    items = filled(store, repeated_codes())
    with PostgresStore(vector_server.address, "Indexed") as other:
        assert other.count() == len(items.ids)
        store.build_index()
        assert other.search(items.packed[:1], 1, effort=40).distances.tolist() == [[0]]
