"""Both kernels of the scan find the same, whatever the sizes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashlearn._numerics.words import read_only
from hashlearn.search import _scan as scan
from hashlearn.search._kernels import selection
from hashlearn.search._kernels.scan import BLOCK, count_nearest, scan_nearest


def problem(n, n_words, n_values, seed):
    """Codes that are near each other, with many ties."""
    random = np.random.default_rng(seed)
    words = random.integers(0, n_values, (n_words, n), dtype=np.uint64)
    queries = random.integers(0, n_values, (3, n_words), dtype=np.uint64)
    return read_only(words), read_only(queries)  # as in searches: nothing else is compiled


@settings(max_examples=60)
@given(
    n=st.sampled_from([1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK, 5000]),
    n_words=st.sampled_from([1, 2, 3, 4, 5]),
    n_values=st.sampled_from([1, 2, 16, 2**63]),
    share=st.floats(0, 1),
    seed=st.integers(0, 2**32 - 1),
)
def test_both_kernels_find_a_stable_sort_cut_off(n, n_words, n_values, share, seed):
    words, queries = problem(n, n_words, n_values, seed)
    start = int(seed % n)
    k = max(1, round(share * (n - start)))
    different = words[:, None, start:] ^ queries.T[:, :, None]
    bits = np.unpackbits(different[..., None].view(np.uint8), axis=-1)
    distances = bits.sum(axis=(0, -1), dtype=np.int64)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    for kernel in (scan_nearest, count_nearest):
        found = kernel(queries, words, start, n, k)
        np.testing.assert_array_equal(found[0], np.take_along_axis(distances, order, axis=1))
        np.testing.assert_array_equal(found[1], order + start)


@pytest.mark.parametrize("n_queries", [0, 1, 5, 200, 1000])
@pytest.mark.parametrize("n", [0, 1, 1000, 10**7, 10**10])
def test_blocks_cover_every_query_once_in_bounded_memory(n_queries, n):
    bounds = scan.query_bounds(n_queries, n)
    assert bounds[0] == 0
    assert bounds[-1] == n_queries
    steps = np.diff(bounds)
    assert (steps > 0).all() or n_queries == 0
    assert steps.max() <= scan.MAX_QUERIES
    assert steps.max() == 1 or steps.max() * 2 * n <= scan.MAX_MINIMA_BYTES * BLOCK


@given(
    values=st.lists(st.integers(0, 4096), min_size=1, max_size=200),
    share=st.floats(0, 1),
    bound=st.integers(0, 4096),
)
def test_counting_agrees_with_sorting(values, share, bound):
    values = np.array(values, dtype=np.uint16)
    k = max(1, round(share * values.size))
    assert selection.kth_by_bisection(values, k, 4096) == np.sort(values)[k - 1]
    assert selection.count_at_most(values, bound) == (values <= bound).sum()


def test_counts_beyond_16_bits_are_right():
    values = np.zeros(200_000, dtype=np.uint16)
    assert selection.count_at_most(values, 0) == 200_000
