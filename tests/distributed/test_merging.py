"""Answers of parts, merged, are the answer of the whole."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn import HammingIndex
from hashlearn.distributed.index import _join_hits, _merge_hits, _merge_nearest
from tests.distributed.conftest import random_codes


def indexes_of_parts(codes, n_bits, lengths, ties):
    for start, n in zip(np.cumsum([0, *lengths[:-1]]), lengths, strict=True):
        index = HammingIndex(n_bits, ties=ties)
        index.add(codes[start : start + n], ids=np.arange(start, start + n))
        yield index


def whole_index(codes, n_bits, ties="neutral"):
    index = HammingIndex(n_bits, ties=ties)
    index.add(codes)
    return index


lengths_of_shards = st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(sum)


@given(lengths_of_shards, st.integers(1, 12), st.integers(0, 4), st.integers(0, 99))
def test_merged_nearest_are_those_of_the_whole(lengths, n_bits, n_queries, seed):
    rng = np.random.default_rng(seed)
    codes = random_codes(sum(lengths), n_bits, seed)
    queries = random_codes(n_queries, n_bits, seed + 1)
    k = int(rng.integers(1, len(codes) + 1))
    ties = ["neutral", "insertion"][seed % 2]
    answers = [
        index.search(queries, max(1, min(k, len(index))))
        for index in indexes_of_parts(codes, n_bits, lengths, ties)
    ]
    merged = _merge_nearest(answers, k, ties)
    wanted = whole_index(codes, n_bits, ties).search(queries, k)
    for given_part, part in zip(merged, wanted, strict=True):
        np.testing.assert_array_equal(given_part, part, strict=True)


@given(lengths_of_shards, st.integers(1, 12), st.integers(0, 4), st.integers(0, 99))
def test_merged_hits_are_those_of_the_whole(lengths, n_bits, n_queries, seed):
    rng = np.random.default_rng(seed)
    codes = random_codes(sum(lengths), n_bits, seed)
    queries = random_codes(n_queries, n_bits, seed + 1)
    radius = int(rng.integers(0, n_bits + 1))
    ties = ["neutral", "insertion"][seed % 2]
    indexes = indexes_of_parts(codes, n_bits, lengths, ties)
    answers = [index.radius_search(queries, radius) for index in indexes]
    merged = _merge_hits(answers, ties)
    wanted = whole_index(codes, n_bits, ties).radius_search(queries, radius)
    for given_part, part in zip(merged, wanted, strict=True):
        np.testing.assert_array_equal(given_part, part, strict=True)


@pytest.mark.parametrize("cuts", [[0, 5], [0, 0, 2, 5], [0, 1, 4, 5]])
def test_joined_hits_are_those_of_all_queries(cuts):
    codes = random_codes(30, 10)
    index = whole_index(codes, 10)
    parts = [index.radius_search(codes[start:stop], 3) for start, stop in pairwise(cuts)]
    for joined, whole in zip(_join_hits(parts), index.radius_search(codes[:5], 3), strict=True):
        np.testing.assert_array_equal(joined, whole, strict=True)
