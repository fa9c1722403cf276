"""An index finds what a brute force finds: the same distances and the same ids."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hashlearn._numerics.threads
from hashlearn import HammingIndex
from hashlearn.search import _scan as scan
from tests.search.brute_force import nearest, random_codes, within

LAYOUTS = ["auto", "plain", "bucketed", "multi-index"]
seeds = st.integers(0, 2**32 - 1)


def index_of(codes, n_bits, ids=None, layout="auto"):
    index = HammingIndex(n_bits, layout=layout)
    index.add(codes, ids)
    return index


def assert_same(found, expected):
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


@st.composite
def indexes(draw):
    """Draw an index after some additions and removals, with what it must hold."""
    random = np.random.default_rng(draw(seeds))
    n_bits = draw(st.sampled_from([1, 3, 8, 31, 32, 63, 64, 65, 128, 130, 192, 256, 300, 4096]))
    n = draw(st.integers(1, 1200 if n_bits <= 300 else 40))
    n_distinct = draw(st.sampled_from([None, 1, 5, 50]))
    codes = random_codes(random, n, n_bits, n_distinct)
    ids = np.arange(n)
    if draw(st.booleans()):
        ids = random.permutation(np.arange(-n, 5 * n))[: n + 1]
        ids = ids[ids != -1][:n].astype(np.int64)
    index = HammingIndex(n_bits, layout=draw(st.sampled_from(LAYOUTS)))
    bounds = [0, *sorted(draw(st.lists(st.integers(0, n), max_size=3))), n]
    for start, stop in itertools.pairwise(bounds):
        index.add(codes[start:stop], ids[start:stop])
        if draw(st.booleans()):
            index.search(codes[:1], 1) if len(index) else None
    if draw(st.booleans()):
        kept = random.random(n) < 0.7
        kept[random.integers(n)] = True
        index.remove(ids[~kept])
        codes, ids = codes[kept], ids[kept]
    queries = np.concatenate([random_codes(random, 3, n_bits), codes[:2]])
    return index, codes, ids, queries[: draw(st.integers(0, 5))], random


@settings(max_examples=60)
@given(drawn=indexes(), k=st.integers(1, 1200), n_threads=st.sampled_from([1, 2, 3, 7]))
def test_search_equals_brute_force(drawn, k, n_threads):
    index, codes, ids, queries, _ = drawn
    k = min(k, len(index))
    with pytest.MonkeyPatch.context() as patch:
        set_threads(patch, n_threads)
        assert_same(index.search(queries, k), nearest(queries, codes, ids, k))


@settings(max_examples=60)
@given(drawn=indexes(), radius=st.integers(0, 320), n_threads=st.sampled_from([1, 2, 3, 7]))
def test_radius_search_equals_brute_force(drawn, radius, n_threads):
    index, codes, ids, queries, _ = drawn
    with pytest.MonkeyPatch.context() as patch:
        set_threads(patch, n_threads)
        assert_same(index.radius_search(queries, radius), within(queries, codes, ids, radius))


@settings(max_examples=60)
@given(drawn=indexes(), k=st.integers(1, 60), share=st.floats(0, 1), as_mask=st.booleans())
def test_search_among_equals_brute_force_padded(drawn, k, share, as_mask):
    index, codes, ids, queries, random = drawn
    k = min(k, len(index))
    allowed = random.random(len(index)) < share
    among = allowed if as_mask else set(ids[allowed].tolist()) | {10**12}
    distances, found = nearest(queries, codes[allowed], ids[allowed], k)
    missing = ((0, 0), (0, k - found.shape[1]))
    expected = (
        np.pad(distances, missing, constant_values=index.n_bits + 1),
        np.pad(found, missing, constant_values=-1),
    )
    assert_same(index.search(queries, k, among=among), expected)


@given(drawn=indexes())
def test_codes_come_back_by_id(drawn):
    index, codes, ids, _, random = drawn
    assert len(index) == len(ids)
    np.testing.assert_array_equal(index.ids, ids)
    order = random.permutation(len(ids))
    np.testing.assert_array_equal(index.reconstruct(ids[order]), codes[order])


@pytest.mark.parametrize("n_bits", [64, 128, 200])
@pytest.mark.parametrize("n_distinct", [None, 700])
@pytest.mark.parametrize("k", [7, 300])
def test_results_do_not_depend_on_threads_and_blocks(n_bits, n_distinct, k, monkeypatch):
    random = np.random.default_rng(0)
    codes = random_codes(random, 5_000, n_bits, n_distinct)
    queries = random_codes(random, 9, n_bits)
    monkeypatch.setattr(scan, "MIN_SHARD", 1)
    index = index_of(codes, n_bits)
    expected = nearest(queries, codes, np.arange(5_000), k)
    expected_hits = within(queries, codes, np.arange(5_000), n_bits // 3)
    for n_threads in (1, 2, 16):
        for most in (1, 4, 128):
            set_threads(monkeypatch, n_threads)
            monkeypatch.setattr(scan, "MAX_QUERIES", most)
            assert_same(index.search(queries, k), expected)
            assert_same(index.radius_search(queries, n_bits // 3), expected_hits)


@pytest.mark.parametrize("n_bits", [8, 32, 64, 72, 128, 256, 512])
def test_distances_equal_those_of_faiss(n_bits):
    faiss = pytest.importorskip("faiss")
    random = np.random.default_rng(1)
    codes, queries = random_codes(random, 3000, n_bits), random_codes(random, 20, n_bits)
    peer = faiss.IndexBinaryFlat(n_bits)
    peer.add(codes)
    np.testing.assert_array_equal(
        index_of(codes, n_bits).search(queries, 50).distances, peer.search(queries, 50)[0]
    )


def set_threads(patch, n_threads):
    patch.setattr(hashlearn._numerics.threads, "n_threads", lambda: n_threads)
    patch.setattr(scan, "n_threads", lambda: n_threads)
    patch.setattr(scan, "MIN_SHARD", 1)


def test_layout_is_chosen_by_how_much_codes_repeat():
    random = np.random.default_rng(2)
    assert index_of(random_codes(random, 5000, 64), 64).layout == "plain"
    index = index_of(random_codes(random, 5000, 64, n_distinct=1000), 64)
    assert index.layout == "bucketed"
    assert index.n_distinct <= 1000
    few = random_codes(random, 3, 64)[random.integers(0, 3, 95_000)]
    skewed = np.concatenate([few, random_codes(random, 5000, 64)])
    assert index_of(skewed, 64).layout == "bucketed"
    index.add(random_codes(random, 5000, 64))
    assert index.layout == "plain"
    index.remove(np.arange(5000, 10_000))
    assert index.layout == "bucketed"


def test_ids_go_on_after_the_largest():
    index = index_of(np.zeros((2, 1), dtype=np.uint8), 8)
    index.add(np.zeros((1, 1), dtype=np.uint8), ids=[7])
    index.add(np.zeros((2, 1), dtype=np.uint8))
    np.testing.assert_array_equal(index.ids, [0, 1, 7, 8, 9])
    index.remove([9])
    index.add(np.zeros((1, 1), dtype=np.uint8))
    np.testing.assert_array_equal(index.ids, [0, 1, 7, 8, 10])


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([3, 3], "ids holds 3 twice"),
        ([1, 9], "ids holds 1, which is in the index"),
        ([5], "one per code; got 1"),
        ([5, -1], "ids holds -1"),
        ([0.5, 2.0], "dtype float64"),
        ([[5, 6]], "1-D integers"),
        (np.array([2**63, 0], dtype=np.uint64), "at most"),
        (["a", "b"], "ids must be integers, as those in the index; got 'a'"),
        ([7, "b"], "integers or text, all of one kind; got 7"),
        ([7, None], "integers or text, all of one kind; got None"),
        (["a", "\ud800"], "not Unicode"),
    ],
)
def test_wrong_ids_are_refused_and_nothing_is_added(ids, message):
    codes = np.arange(6, dtype=np.uint8)[:, None]
    index = index_of(codes[:3], 8)
    with pytest.raises(ValueError, match=message):
        index.add(codes[3:5], ids)
    assert len(index) == 3
    np.testing.assert_array_equal(index.search(codes[:1], 3).ids, [[0, 1, 2]])


def test_wrong_codes_are_refused_and_nothing_is_added():
    index = HammingIndex(12)
    for codes in (np.zeros((2, 1), np.uint8), np.zeros((2, 2)), np.full((2, 2), 255, np.uint8)):
        with pytest.raises(ValueError, match="packed"):
            index.add(codes)
    assert len(index) == 0


def test_unknown_ids_cannot_be_removed_or_reconstructed():
    index = index_of(np.zeros((3, 1), dtype=np.uint8), 8, ids=[4, 5, 6])
    for ids in ([4, 99], [-1], [10**15]):
        with pytest.raises(ValueError, match="not in the index"):
            index.remove(ids)
        with pytest.raises(ValueError, match="not in the index"):
            index.reconstruct(ids)
    assert len(index) == 3


def test_everything_can_be_removed_and_added_again():
    codes = np.arange(5, dtype=np.uint8)[:, None]
    index = index_of(codes, 8)
    index.remove(range(5))
    assert len(index) == 0
    assert index.search(codes, 3).ids.shape == (5, 0)
    index.add(codes, ids=range(5))
    np.testing.assert_array_equal(index.search(codes, 1).ids[:, 0], range(5))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_empty_index_has_results_of_width_zero(layout):
    index = HammingIndex(20, layout=layout)
    queries = np.zeros((4, 3), dtype=np.uint8)
    distances, ids = index.search(queries, k=10)
    assert distances.shape == ids.shape == (4, 0)
    assert index.search(queries, k=10, among=[1, 2]).ids.shape == (4, 0)
    offsets, ids, distances = index.radius_search(queries, 3)
    np.testing.assert_array_equal(offsets, np.zeros(5))
    assert ids.size == distances.size == 0
    assert index.reconstruct([]).shape == (0, 3)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_queries_have_no_results(layout):
    index = index_of(np.zeros((9, 3), dtype=np.uint8), 20, layout=layout)
    assert index.search(np.empty((0, 3), dtype=np.uint8), 4).ids.shape == (0, 4)
    assert index.radius_search(np.empty((0, 3), dtype=np.uint8), 4).offsets.tolist() == [0]


def test_wrong_arguments_are_refused():
    index = index_of(np.zeros((9, 3), dtype=np.uint8), 20)
    queries = np.zeros((2, 3), dtype=np.uint8)
    with pytest.raises(ValueError, match=r"k must be at most 9 \(the number of items\); got 10"):
        index.search(queries, 10)
    with pytest.raises(ValueError, match="k must be at least 1; got 0"):
        index.search(queries, 0)
    with pytest.raises(ValueError, match="k must be at least 1; got 0"):
        HammingIndex(20).search(queries, 0)
    with pytest.raises(TypeError, match=r"k must be an integer from 1 to 9; got 2\.0"):
        index.search(queries, 2.0)
    with pytest.raises(ValueError, match="queries is 2 bytes wide"):
        index.search(queries[:, :2], 1)
    with pytest.raises(ValueError, match="mask of shape"):
        index.search(queries, 1, among=np.ones(8, dtype=bool))
    with pytest.raises(ValueError, match="among must be"):
        index.search(queries, 1, among=[0.5])
    for radius in (-1, 1.5, True):
        with pytest.raises(ValueError, match="radius must be"):
            index.radius_search(queries, radius)
    for n_bits in (0, 4097):
        with pytest.raises(ValueError, match="n_bits must be an integer from 1 to 4096"):
            HammingIndex(n_bits)
    with pytest.raises(TypeError, match="n_bits must be an integer"):
        HammingIndex(8.0)
    with pytest.raises(ValueError, match=r"layout must be one of 'auto', .*; got 'fast'"):
        HammingIndex(8, layout="fast")


@pytest.mark.parametrize("k", [np.uint8(3), np.int8(3), np.uint64(3), np.int64(3)])
def test_numpy_integers_are_numbers_of_neighbours(k):
    codes = random_codes(np.random.default_rng(0), 5000, 64)
    assert index_of(codes, 64).search(codes[:2], k).ids.shape == (2, 3)
    assert index_of(codes, 64).search(codes[:2], k, among=[5]).ids.shape == (2, 3)


def test_ids_stay_integers_after_the_largest():
    index = index_of(np.zeros((1, 1), dtype=np.uint8), 8, ids=[2**63 - 1])
    index.add(np.zeros((0, 1), dtype=np.uint8))
    assert index.ids.dtype == np.int64


def test_longest_codes_work():
    random = np.random.default_rng(3)
    codes = random_codes(random, 300, 4096)
    opposite = ~codes[:1]
    index = index_of(codes, 4096)
    assert_same(index.search(opposite, 300), nearest(opposite, codes, np.arange(300), 300))
    assert index.search(opposite, 300).distances.max() == 4096


@pytest.mark.parametrize("width", [1, 8])
def test_what_was_given_and_returned_can_be_changed(width):
    codes = np.arange(4, dtype=np.uint8)[:, None].repeat(width, axis=1)
    ids = np.array([9, 8, 7, 6])
    index = index_of(codes, 8 * width, ids)
    codes[:], ids[:] = 255, 0
    index.ids[:] = 3
    np.testing.assert_array_equal(index.ids, [9, 8, 7, 6])
    np.testing.assert_array_equal(index.reconstruct([9, 6])[:, 0], [0, 3])


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda index: pickle.loads(pickle.dumps(index))])
def test_a_copy_answers_the_same(clone):
    random = np.random.default_rng(4)
    codes = random_codes(random, 500, 40, 60)
    index = index_of(codes, 40)
    assert_same(clone(index).search(codes[:5], 9), index.search(codes[:5], 9))
