"""Laws of exact nearest codes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn._numerics.ids import tie_keys
from hashlearn.search import _scan as scan
from hashlearn.search import nearest_codes, pack_codes


def brute_force(queries, database, k):
    distances = np.unpackbits(queries[:, None] ^ database[None], axis=2).sum(axis=2)
    keys = np.broadcast_to(tie_keys(np.arange(len(database))), distances.shape)
    positions = np.lexsort((keys, distances))[:, :k]
    return np.take_along_axis(distances, positions, axis=1), positions


def random_codes(rng, n, n_bits):
    return pack_codes(rng.integers(0, 2, (n, n_bits)))


@given(
    n_queries=st.integers(0, 4),
    n=st.integers(1, 40),
    n_bits=st.sampled_from([1, 3, 8, 12, 64, 65, 130]),
    data=st.data(),
)
def test_nearest_equals_a_stable_sort(n_queries, n, n_bits, data):
    k = data.draw(st.integers(1, n))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    queries, database = random_codes(rng, n_queries, n_bits), random_codes(rng, n, n_bits)
    distances, positions = nearest_codes(queries, database, k)
    expected_distances, expected_positions = brute_force(queries, database, k)
    np.testing.assert_array_equal(distances, expected_distances)
    np.testing.assert_array_equal(positions, expected_positions)
    assert distances.shape == positions.shape == (n_queries, k)
    assert positions.dtype == np.int64


def test_block_size_changes_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    queries, database = random_codes(rng, 23, 10), random_codes(rng, 50, 10)
    whole = nearest_codes(queries, database, 9)
    monkeypatch.setattr(scan, "MAX_QUERIES", 4)
    for one, other in zip(whole, nearest_codes(queries, database, 9), strict=True):
        np.testing.assert_array_equal(one, other)


def test_opposite_codes_are_far_apart():
    zeros = np.zeros((1, 16), dtype=np.uint8)
    assert nearest_codes(zeros, ~zeros, 1)[0] == 128


@pytest.mark.parametrize("k", [0, -1, 6])
def test_k_out_of_range_is_refused(k):
    codes = np.zeros((5, 2), dtype=np.uint8)
    with pytest.raises(ValueError, match=f"k must be at .*; got {k}"):
        nearest_codes(codes, codes, k)


@pytest.mark.parametrize("k", [2.0, True, "2"])
def test_k_must_be_an_integer(k):
    codes = np.zeros((5, 2), dtype=np.uint8)
    with pytest.raises(TypeError, match="k must be an integer from 1 to"):
        nearest_codes(codes, codes, k)


def test_an_empty_database_has_no_nearest():
    with pytest.raises(ValueError, match="k must be at most 0"):
        nearest_codes(np.zeros((1, 2), np.uint8), np.zeros((0, 2), np.uint8), 1)


@pytest.mark.parametrize(
    ("queries", "database", "message"),
    [
        (np.zeros((1, 2), np.uint8), np.zeros((1, 3), np.uint8), "equally wide; got 2 and 3"),
        (np.zeros((1, 2), int), np.zeros((1, 2), np.uint8), "queries has dtype int64"),
        (np.zeros((1, 2), float), np.zeros((1, 2), np.uint8), "is 2 bytes wide; n_bits=2 needs 1"),
        (np.zeros((1, 2), np.uint8), np.zeros(2, np.uint8), r"database has shape \(2,\)"),
        (np.zeros((1, 8192), np.uint8), np.zeros((1, 8192), np.uint8), "at most 65528 bits"),
    ],
)
def test_codes_that_do_not_fit_are_refused(queries, database, message):
    with pytest.raises(ValueError, match=message):
        nearest_codes(queries, database, 1)
