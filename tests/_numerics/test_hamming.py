"""Laws of the compiled loops."""

import numpy as np
import pytest
from numba import njit

from hashlearn._numerics import hamming, selection


@pytest.mark.parametrize("n_words", [1, 2, 3])
def test_distances_count_different_bits(n_words):
    rng = np.random.default_rng(n_words)
    queries = rng.integers(0, 2**64, (n_words, 4), dtype=np.uint64)
    database = rng.integers(0, 2**64, (n_words, 70), dtype=np.uint64)
    different = queries[:, :, None] ^ database[:, None, :]
    expected = np.array([[[v.bit_count() for v in r] for r in w] for w in different.tolist()])
    distances = hamming.hamming_distances(queries, database)
    assert distances.dtype == np.uint16
    np.testing.assert_array_equal(distances, expected.sum(axis=0))


def test_bits_are_counted_by_the_processor():
    count = njit(lambda word: hamming.popcount(word))
    assert count(np.uint64(2**64 - 1)) == 64
    assert "llvm.ctpop.i64" in next(iter(count.inspect_llvm().values()))


@pytest.mark.parametrize("k", [1, 5, 40])
def test_selection_is_a_stable_sort_cut_off(k):
    distances = np.random.default_rng(k).integers(0, 6, (3, 40)).astype(np.uint16)
    expected = np.argsort(distances, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(selection.select_nearest(distances, k, 6), expected)
