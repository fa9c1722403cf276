"""Words of codes: distances count bits, selections are sorts, and words go back to codes."""

import numpy as np
import pytest
from numba import njit

from hashlearn._numerics import selection, words


@pytest.mark.parametrize("n_words", [1, 2, 3])
def test_distances_count_different_bits(n_words):
    rng = np.random.default_rng(n_words)
    queries = rng.integers(0, 2**64, (n_words, 4), dtype=np.uint64)
    database = rng.integers(0, 2**64, (n_words, 70), dtype=np.uint64)
    different = queries[:, :, None] ^ database[:, None, :]
    expected = np.array([[[v.bit_count() for v in r] for r in w] for w in different.tolist()])
    distances = words.hamming_distances(queries, database)
    assert distances.dtype == np.uint16
    np.testing.assert_array_equal(distances, expected.sum(axis=0))


def test_bits_are_counted_by_the_processor():
    count = njit(lambda word: words.popcount(word))
    assert count(np.uint64(2**64 - 1)) == 64
    assert "llvm.ctpop.i64" in next(iter(count.inspect_llvm().values()))


@pytest.mark.parametrize("k", [1, 5, 40])
def test_selection_is_a_stable_sort_cut_off(k):
    distances = np.random.default_rng(k).integers(0, 6, (3, 40)).astype(np.uint16)
    expected = np.argsort(distances, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(selection.select_nearest(distances, k, 6), expected)


@pytest.mark.parametrize("k", [3, 40])
def test_the_smallest_come_first_and_ties_by_position(k):
    distances = np.random.default_rng(k).integers(0, 6, (3, 40)).astype(float)
    expected = np.argsort(distances, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(selection.smallest(distances, k), expected)


def test_words_go_back_to_packed_codes():
    packed = np.arange(33, dtype=np.uint8).reshape(3, 11)
    np.testing.assert_array_equal(words.from_words(words.by_word(packed), n_bits=85), packed)
