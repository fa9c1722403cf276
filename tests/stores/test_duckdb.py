"""The recipe for DuckDB in docs/guide/store-recipes.md, with codes of many lengths."""

import numpy as np
import pytest

from hashlearn import HammingIndex, unpack_codes
from tests.search.brute_force import random_codes

duckdb = pytest.importorskip("duckdb")

ADD = "INSERT OR REPLACE INTO items SELECT unnest(?::BIGINT[]), unnest(?::BIT[])"
NEAREST = "SELECT id, bit_count(xor(code, ?::BIT)) AS distance FROM items ORDER BY distance, id"


def bit_strings(packed, n_bits):
    return ["".join(map(str, bits)) for bits in unpack_codes(packed, n_bits).tolist()]


@pytest.mark.parametrize("n_bits", [1, 7, 8, 9, 64, 65, 130])
def test_distances_are_those_of_an_index_and_adding_again_replaces(n_bits):
    packed = random_codes(np.random.default_rng(n_bits), 30, n_bits)
    index = HammingIndex(n_bits, ties="insertion")
    index.add(packed)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE items (id BIGINT PRIMARY KEY, code BIT NOT NULL)")
        for codes in (packed[::-1], packed):
            connection.execute(ADD, [list(range(30)), bit_strings(codes, n_bits)])
        found = connection.execute(NEAREST, bit_strings(packed[:1], n_bits)).fetchall()
    distances, ids = index.search(packed[:1], 30)
    assert found == list(zip(ids[0].tolist(), distances[0].tolist(), strict=True))
