"""Look-ups of substrings find what a brute force finds, and damaged tables are noticed."""

import contextlib
import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hashlearn._numerics.threads
from hashlearn import HammingIndex
from hashlearn._numerics.words import as_words, read_only
from hashlearn.files import IndexFileError
from hashlearn.search import _scan as scan
from hashlearn.search._file import read_index, write_index
from hashlearn.search._layouts import multi_index
from hashlearn.search._layouts.multi_index import MultiIndexLayout
from tests.search.brute_force import nearest, random_codes, within
from tests.search.file_parts import changed, random_content

LOOK_UP_ALWAYS = 1e-4  # reads cost nothing
seeds = st.integers(0, 2**32 - 1)
# From look-ups only to a mixture, in which some queries are over their budgets.
read_costs = st.sampled_from([LOOK_UP_ALWAYS, 0.01, 0.1, 1.0, 10.0])


thread_counts = st.sampled_from([1, 2, 3, 7])


def set_up(patch, read_cost, n_threads):
    patch.setattr(multi_index, "READ_COST", read_cost)
    patch.setattr(hashlearn._numerics.threads, "n_threads", lambda: n_threads)
    patch.setattr(scan, "n_threads", lambda: n_threads)


def layout_of(codes, n_bits):
    return MultiIndexLayout.build(np.ascontiguousarray(as_words(codes).T), n_bits)


def flipped(random, codes, share):
    """Return codes with each bit flipped with some probability."""
    return codes ^ np.packbits(random.random((len(codes), 8 * codes.shape[1])) < share, axis=1)


@st.composite
def code_sets(draw):
    """Draw codes with near ones and equal ones among them, and queries near and far."""
    random = np.random.default_rng(draw(seeds))
    n_bits = draw(st.integers(1, 300))
    n = draw(st.integers(1, 600))
    codes = random_codes(random, n, n_bits, draw(st.sampled_from([None, 1, 5, 50])))
    share = draw(st.sampled_from([0, 0.01, 0.1]))
    padding = np.packbits(np.ones((1, n_bits), dtype=np.uint8), axis=1)
    codes = flipped(random, codes, share) & padding
    near = flipped(random, codes[: draw(st.integers(0, 6))], 0.03) & padding
    queries = np.concatenate([near, random_codes(random, draw(st.integers(0, 3)), n_bits)])
    return n_bits, codes, random.permutation(queries)


@settings(max_examples=80)
@given(drawn=code_sets(), k=st.integers(1, 600), read_cost=read_costs, n_threads=thread_counts)
def test_nearest_codes_are_those_of_a_brute_force(drawn, k, read_cost, n_threads):
    n_bits, codes, queries = drawn
    k = min(k, len(codes))
    with pytest.MonkeyPatch.context() as patch:
        set_up(patch, read_cost, n_threads)
        distances, positions = layout_of(codes, n_bits).nearest(as_words(queries), k)
    expected = nearest(queries, codes, np.arange(len(codes)), k, "insertion")
    np.testing.assert_array_equal(distances, expected[0])
    np.testing.assert_array_equal(positions, expected[1])


@settings(max_examples=80)
@given(drawn=code_sets(), share=st.floats(0, 1.1), read_cost=read_costs, n_threads=thread_counts)
def test_codes_within_a_radius_are_those_of_a_brute_force(drawn, share, read_cost, n_threads):
    n_bits, codes, queries = drawn
    radius = int(share**3 * n_bits)  # small ones are what tables are for
    with pytest.MonkeyPatch.context() as patch:
        set_up(patch, read_cost, n_threads)
        offsets, distances, positions = layout_of(codes, n_bits).within(as_words(queries), radius)
    expected = within(queries, codes, np.arange(len(codes)), radius, "insertion")
    for ours, theirs in zip((offsets, positions, distances), expected, strict=True):
        assert ours.dtype == np.int64
        np.testing.assert_array_equal(ours, theirs)


@settings(max_examples=25)
@given(drawn=code_sets())
def test_additions_and_removals_change_the_tables(drawn):
    n_bits, codes, queries = drawn
    ids = np.arange(len(codes))
    index = HammingIndex(n_bits, layout="multi-index")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multi_index, "READ_COST", LOOK_UP_ALWAYS)
        for part in np.array_split(ids, 3):
            index.add(codes[part], part)
            assert index.layout == "multi-index"
        index.remove(ids[1::3])
        kept = np.delete(ids, np.s_[1::3])
        found = index.search(queries, len(kept))
    np.testing.assert_array_equal(found.ids, nearest(queries, codes[kept], kept, len(kept))[1])


@given(
    n=st.integers(0, 400),
    n_bits=st.sampled_from([1, 9, 20, 63, 64, 65, 100, 200]),
    n_distinct=st.sampled_from([None, 1, 20]),
    seed=seeds,
)
def test_tables_list_every_code_under_its_substring_by_position(n, n_bits, n_distinct, seed):
    codes = random_codes(np.random.default_rng(seed), n, n_bits, n_distinct)
    layout = layout_of(codes, n_bits)
    bits = np.unpackbits(codes, axis=1, bitorder="little")
    assert layout.bounds[0] == 0
    assert layout.bounds[-1] == bits.shape[1]
    for t, (starts, items) in enumerate(zip(layout.starts, layout.items, strict=True)):
        substrings = bits[:, layout.bounds[t] : layout.bounds[t + 1]]
        values = substrings @ (1 << np.arange(substrings.shape[1]))
        np.testing.assert_array_equal(items, np.argsort(values, kind="stable"))
        expected = np.searchsorted(np.sort(values), np.arange(starts.size))
        np.testing.assert_array_equal(starts, expected)


@pytest.fixture(scope="module")
def many_codes():
    return random_codes(np.random.default_rng(0), 200_000, 64)


def count_scanned(monkeypatch, name):
    """Count the queries that a scan answers."""
    scanned = []
    original = getattr(scan, name)

    def counted(queries, *arguments):
        scanned.append(len(queries))
        return original(queries, *arguments)

    monkeypatch.setattr(scan, name, counted)
    return scanned


def test_near_neighbours_need_no_scan(monkeypatch, many_codes):
    layout = layout_of(many_codes, 64)
    scanned = count_scanned(monkeypatch, "nearest"), count_scanned(monkeypatch, "within")
    queries = as_words(many_codes[:50]) ^ np.uint64(0b101)
    np.testing.assert_array_equal(layout.nearest(queries, 1)[1][:, 0], range(50))
    np.testing.assert_array_equal(layout.within(queries, 4).offsets, range(51))
    assert scanned == ([], [])


def test_far_neighbours_are_left_to_one_scan(monkeypatch, many_codes):
    layout = layout_of(many_codes, 64)
    scanned = count_scanned(monkeypatch, "nearest"), count_scanned(monkeypatch, "within")
    far = random_codes(np.random.default_rng(1), 50, 64)
    queries = as_words(np.concatenate([many_codes[:1], far, many_codes[1:2]]))
    found = layout.nearest(queries, 10)
    layout.within(queries, 20)
    assert scanned == ([52], [52])
    expected = scan.nearest(queries, layout.words, 10)
    np.testing.assert_array_equal(found[1], expected[1])


def test_crowded_codes_are_left_to_a_scan(monkeypatch):
    layout = layout_of(np.zeros((100_000, 8), dtype=np.uint8), 64)
    scanned = count_scanned(monkeypatch, "within")
    hits = layout.within(np.zeros((3, 1), dtype=np.uint64), 2)
    assert scanned == [3]
    assert hits.offsets.tolist() == [0, 100_000, 200_000, 300_000]


def changed_table(name, change):
    layout = layout_of(random_codes(np.random.default_rng(2), 300, 40), 40)
    array = getattr(layout, name).copy()
    array[:] = change(array)
    return dataclasses.replace(layout, **{name: read_only(array)})


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("starts", lambda starts: starts + 1),
        ("starts", lambda starts: starts[:, ::-1]),
        ("starts", lambda starts: 2**32 - 1 - np.arange(starts.shape[1]) % 7),
        ("starts", lambda starts: starts % 2),
        ("items", lambda items: items + 300),
        ("items", lambda items: np.uint32(2**32 - 1) - items),
    ],
)
def test_damaged_tables_are_an_error_and_no_crash(monkeypatch, name, change):
    monkeypatch.setattr(multi_index, "READ_COST", LOOK_UP_ALWAYS)
    layout = changed_table(name, change)
    queries = np.array(layout.words[:, :4].T, order="C")
    with pytest.raises(IndexFileError, match="damaged"):
        layout.nearest(queries, 300)
    with pytest.raises(IndexFileError, match="damaged"):
        layout.within(queries, 40)


@pytest.mark.parametrize("change", [np.zeros_like, lambda items: items[:, ::-1]])
def test_wrong_tables_never_crash(monkeypatch, change):
    monkeypatch.setattr(multi_index, "READ_COST", LOOK_UP_ALWAYS)
    layout = changed_table("items", change)
    queries = np.array(layout.words[:, :4].T, order="C")
    layout.within(queries, 40)
    with contextlib.suppress(IndexFileError):
        layout.nearest(queries, 300)


@pytest.mark.parametrize("mmap", [False, True])
def test_saved_index_keeps_its_layout_also_when_codes_are_added(tmp_path, mmap):
    random = np.random.default_rng(3)
    codes, queries = random_codes(random, 500, 70, 400), random_codes(random, 5, 70)
    index = HammingIndex(70, layout="multi-index")
    index.add(codes)
    index.save(tmp_path / "index")
    loaded = HammingIndex.load(tmp_path / "index", mmap=mmap, verify=True)
    assert loaded.layout == "multi-index"
    np.testing.assert_array_equal(loaded.search(queries, 9).ids, index.search(queries, 9).ids)
    loaded.add(codes)
    assert loaded.layout == "multi-index"
    assert len(loaded) == 1000


@given(n=st.integers(0, 50), n_bits=st.integers(1, 200), mmap=st.booleans(), seed=seeds)
def test_tables_in_a_file_come_back(tmp_path_factory, n, n_bits, mmap, seed):
    path = tmp_path_factory.mktemp("index") / "index"
    content = random_content(n, n_bits, "multi-index", seed=seed)
    write_index(path, content)
    loaded = read_index(path, mmap=mmap, verify=True)
    np.testing.assert_array_equal(loaded.arranged["starts"], content.arranged["starts"])
    np.testing.assert_array_equal(loaded.arranged["items"], content.arranged["items"])


NINE = random_content(9, 20, "multi-index")
ITEMS, STARTS = NINE.arranged["items"], NINE.arranged["starts"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layout": "plain"}, "not those of the plain layout"),
        ({"items": None}, "not those of the multi-index layout"),
        ({"items": ITEMS[:0]}, "0 tables for 9 codes of 20 bits"),
        ({"items": np.zeros((25, 9), np.uint32)}, "25 tables for 9 codes of 20 bits"),
        ({"items": np.zeros((), np.uint32)}, r"'starts' has shape \(3, 257\) instead of"),
        (
            {"items": ITEMS[:2]},
            r"'starts' has shape \(3, 257\) instead of \(2, 4097\)",
        ),
        (
            {"items": ITEMS[:, :8]},
            r"'items' has shape \(3, 8\) instead of \(3, 9\)",
        ),
        ({"items": ITEMS.astype(np.int32)}, "'items' has dtype int32"),
        ({"starts": STARTS[:, :-1]}, r"'starts' has shape \(3, 256\) instead of"),
        ({"starts": STARTS.astype(np.int64)}, "'starts' has dtype int64"),
    ],
)
def test_sizes_of_tables_are_checked_without_verifying(tmp_path, changes, message):
    write_index(tmp_path / "index", changed(NINE, **changes))
    with pytest.raises(IndexFileError, match=message):
        read_index(tmp_path / "index", mmap=True, verify=False)


def with_entry(array, place, value):
    array = array.copy()
    array[place] = value
    return array


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"starts": with_entry(STARTS, (1, 0), 1)},
            "its table 1 does not have the sizes",
        ),
        (
            {"starts": with_entry(STARTS, (2, -1), 8)},
            "its table 2 does not have the sizes",
        ),
        (
            {"items": with_entry(ITEMS, (0, 3), 9)},
            "its table 0 does not list every code",
        ),
        (
            {"items": with_entry(ITEMS, (0, 3), ITEMS[0, 2])},
            "does not list every code",
        ),
        ({"items": ITEMS[:, ::-1]}, "does not list every code once, in order"),
        ({"words": NINE.words ^ np.uint64(1)}, "its table 0 does not have the sizes"),
    ],
)
def test_numbers_in_tables_are_checked_when_verifying(tmp_path, changes, message):
    write_index(tmp_path / "index", changed(NINE, **changes))
    read_index(tmp_path / "index", mmap=True, verify=False)
    with pytest.raises(IndexFileError, match=message):
        read_index(tmp_path / "index", mmap=True, verify=True)
