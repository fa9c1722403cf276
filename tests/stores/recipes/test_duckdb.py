"""DuckDB finds what HammingIndex finds, in bit strings that read as the codes do."""

import subprocess
import sys

import numpy as np
import pytest

from hashlearn import HammingIndex
from hashlearn.search import unpack_codes
from hashlearn.stores.recipes import duckdb as recipe
from hashlearn.stores.recipes import make_layout
from tests.search.brute_force import random_codes
from tests.stores.recipes.items import COLUMNS, WHERES, as_lists, expected, values_of

duckdb = pytest.importorskip("duckdb")


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def filled(connection, layout, packed, ids, values=None, table="items"):
    recipe.create(connection, table, layout)
    recipe.add(connection, table, layout, packed, ids, values)
    return table


@pytest.mark.parametrize("first", range(1, 131, 26))
def test_codes_come_back_at_their_distances(connection, first):
    for n_bits in range(first, first + 26):
        random = np.random.default_rng(n_bits)
        layout, packed = make_layout(n_bits), random_codes(random, 20, n_bits)
        ids = np.arange(20) * 7 - 48
        table = filled(connection, layout, packed, ids, table=f"items_{n_bits}")
        rows = connection.execute(f"SELECT code::VARCHAR FROM {table} ORDER BY id").fetchall()
        texts = ["".join(map(str, bits)) for bits in unpack_codes(packed, n_bits).tolist()]
        assert [text for (text,) in rows] == texts
        for query in packed[:2]:
            found = recipe.nearest(connection, table, layout, query, 20)
            assert as_lists(found) == expected(query, packed, ids)


def test_ten_thousand_items_are_found_as_by_the_index(connection):
    random, n, n_bits = np.random.default_rng(0), 10_000, 61
    layout, ids = make_layout(n_bits), np.arange(n)
    packed = random_codes(random, n, n_bits, n_distinct=3_000)
    table = filled(connection, layout, packed, ids)
    index = HammingIndex(n_bits)
    index.add(packed, ids)
    queries = random_codes(random, 10, n_bits)
    distances, nearest = index.search(queries, k=50)
    hits = index.radius_search(queries, radius=20)
    for place, query in enumerate(queries):
        found = recipe.nearest(connection, table, layout, query, 50)
        assert as_lists(found) == (nearest[place].tolist(), distances[place].tolist())
        inside = slice(*hits.offsets[place : place + 2])
        found = recipe.within(connection, table, layout, query, 20)
        assert as_lists(found) == (hits.ids[inside].tolist(), hits.distances[inside].tolist())


@pytest.mark.parametrize("radius", [0, 1, 13, 10**30])
def test_within_finds_all_and_no_more(connection, radius, random):
    layout, packed, ids = make_layout(13), random_codes(random, 200, 13), np.arange(200)
    table = filled(connection, layout, packed, ids)
    found = recipe.within(connection, table, layout, packed[0], radius)
    assert as_lists(found) == expected(packed[0], packed, ids, radius=radius)


@pytest.mark.parametrize("where", WHERES)
def test_where_is_fulfilled(connection, where, random):
    n, given_where, fulfilled = 120, *WHERES[where]
    layout, ids, values = make_layout(9, COLUMNS), np.arange(n), values_of(n)
    packed = random_codes(random, n, 9)
    table = filled(connection, layout, packed, ids, values, table="Group")  # a word of SQL
    allowed = fulfilled(values, ids)
    found = recipe.nearest(connection, table, layout, packed[0], 30, given_where)
    assert as_lists(found) == expected(packed[0], packed, ids, k=30, allowed=allowed)
    found = recipe.within(connection, table, layout, packed[0], 3, given_where)
    assert as_lists(found) == expected(packed[0], packed, ids, radius=3, allowed=allowed)


def test_adding_again_replaces_and_does_not_duplicate(connection, random):
    layout, ids = make_layout(20, {"digit": int}), np.arange(50)
    first, second = random_codes(random, 50, 20), random_codes(random, 50, 20)
    table = filled(connection, layout, first, ids, {"digit": ids})
    recipe.create(connection, table, layout)  # is there already
    recipe.add(connection, table, layout, second, ids, {"digit": ids + 1}, batch_size=7)
    found = recipe.nearest(connection, table, layout, second[0], 100)
    assert as_lists(found) == expected(second[0], second, ids)
    assert connection.execute("SELECT sum(digit) FROM items").fetchone() == (ids.sum() + 50,)


def test_an_empty_table_has_no_neighbours(connection):
    layout, nothing = make_layout(8), np.empty((0, 1), dtype=np.uint8)
    table = filled(connection, layout, nothing, [])
    found = recipe.nearest(connection, table, layout, np.zeros(1, dtype=np.uint8), 3)
    assert found.ids.shape == found.distances.shape == (0,)


def test_a_batch_that_fails_leaves_nothing_behind(connection, random):
    layout = make_layout(13)
    recipe.create(connection, "items", make_layout(12))
    with pytest.raises(duckdb.ConstraintException):
        recipe.add(connection, "items", layout, random_codes(random, 5, 13), range(5))
    assert connection.execute("SELECT count(*) FROM items").fetchone() == (0,)


def test_a_file_keeps_the_items(tmp_path, random):
    path, layout = tmp_path / 'a "b" ü.duckdb', make_layout(70)
    packed, ids = random_codes(random, 30, 70), np.arange(30)
    with duckdb.connect(str(path)) as connection:
        filled(connection, layout, packed, ids)
    with duckdb.connect(str(path), read_only=True) as connection:
        found = recipe.nearest(connection, "items", layout, packed[0], 30)
    assert as_lists(found) == expected(packed[0], packed, ids)


@pytest.mark.parametrize("table", ['a"b', "items; DROP TABLE items", "", "1st", "x" * 49])
def test_wrong_names_are_refused(connection, table):
    layout, code = make_layout(8), np.zeros((1, 1), dtype=np.uint8)
    with pytest.raises(ValueError, match="is no name"):
        recipe.create(connection, table, layout)
    with pytest.raises(ValueError, match="is no name"):
        recipe.add(connection, table, layout, code, [1])
    with pytest.raises(ValueError, match="is no name"):
        recipe.nearest(connection, table, layout, code[0], 1)


def test_recipes_import_no_client():
    code = (
        "import sys, hashlearn.stores.recipes\n"
        "clients = {'duckdb', 'pymilvus', 'opensearchpy', 'elasticsearch'}\n"
        "print(clients & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
