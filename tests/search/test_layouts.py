"""Buckets hold every item once, and damaged ones are noticed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn._numerics.words import read_only
from hashlearn.files import IndexFileError
from hashlearn.search import FloatQueries
from hashlearn.search._layouts import arrange
from hashlearn.search._layouts.bucketed import BucketedLayout


@given(
    n_words=st.integers(1, 3),
    n=st.integers(0, 400),
    n_values=st.sampled_from([1, 3, 40, 2**40]),
    seed=st.integers(0, 1000),
)
def test_buckets_are_the_distinct_codes_by_first_appearance(n_words, n, n_values, seed):
    random = np.random.default_rng(seed)
    words = random.integers(0, n_values, (n_words, n), dtype=np.uint64)
    layout = BucketedLayout.build(words, n)
    codes = [tuple(code) for code in words.T.tolist()]
    distinct = list(dict.fromkeys(codes))
    assert [tuple(code) for code in layout.distinct.T.tolist()] == distinct
    assert arrange(words, "plain", n_bits=64).n_distinct == len(distinct)
    members = np.split(layout.members, layout.offsets[1:-1])
    for code, positions in zip(distinct, members, strict=False):
        assert positions.tolist() == [i for i, other in enumerate(codes) if other == code]


def test_building_stops_beyond_a_number_of_buckets():
    words = np.arange(100, dtype=np.uint64)[None] // np.uint64(2)
    assert BucketedLayout.build(words, 49) is None
    assert BucketedLayout.build(words, 50) is not None


def damaged(**changes):
    layout = BucketedLayout.build(np.array([[1, 2, 1, 3, 1, 2]], dtype=np.uint64), 6)
    changed = {name: read_only(array) for name, array in changes.items()}
    return BucketedLayout(**{**vars(layout), **changed})


@pytest.mark.parametrize(
    "changes",
    [
        {"offsets": np.array([0, -(2**62), 5, 6])},
        {"offsets": np.array([0, 2**62, 5, 6])},
        {"offsets": np.array([5, 3, 1, 0])},
        {"offsets": np.array([0, 6, 0, 6])},
        {"offsets": np.array([0, 0, 0, 0])},
        {"members": np.array([2**32 - 1, 6, 6, 6, 6, 6], dtype=np.uint32)},
    ],
)
def test_damaged_buckets_are_an_error_and_no_crash(changes):
    layout = damaged(**changes)
    queries = np.array([[1], [2]], dtype=np.uint64)
    floats = FloatQueries(2.0 * np.unpackbits(queries.view(np.uint8), axis=1) - 1)
    with pytest.raises(IndexFileError, match="damaged"):
        layout.nearest(queries, 6)
    with pytest.raises(IndexFileError, match="damaged"):
        layout.nearest_floats(floats, None, 6)
    with pytest.raises(IndexFileError, match="damaged"):
        layout.levels_of_items(np.zeros(layout.n_distinct, dtype=np.uint8))
    if "members" in changes or changes["offsets"].any():  # empty buckets look like no hits
        with pytest.raises(IndexFileError, match="damaged"):
            layout.within(queries, 64)
        with pytest.raises(IndexFileError, match="damaged"):
            layout.within_floats(floats, None, 64.0)


def test_one_large_bucket_is_expanded_by_position():
    words = np.zeros((1, 5000), dtype=np.uint64)
    words[0, 10::7] = 1
    layout = arrange(words, n_bits=64)
    assert layout.name == "bucketed"
    distances, positions = layout.nearest(np.array([[1]], dtype=np.uint64), 2000)
    ones = np.arange(10, 5000, 7)
    np.testing.assert_array_equal(positions[0, : ones.size], ones)
    assert (np.diff(positions[0, ones.size :]) > 0).all()
    np.testing.assert_array_equal(distances[0], np.arange(2000) >= ones.size)
