"""Ids and positions belong together, however they came."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn._numerics.ids import Ids, Lookup, as_ids, tie_keys


@given(
    parts=st.lists(st.lists(st.integers(-50, 300), max_size=20), max_size=12),
    asked=st.lists(st.integers(-60, 310), max_size=30),
)
def test_every_id_is_found_at_its_position(parts, asked):
    ids, expected = Ids(), []
    for part in parts:
        new = [i for i in dict.fromkeys(part) if i not in expected and i != -1]
        ids = ids.appended(len(new), new)
        expected += new
    found = ids.find(np.array(asked, dtype=np.int64))
    assert found.tolist() == [expected.index(i) if i in expected else -1 for i in asked]
    assert ids.values.tolist() == expected
    assert len(ids) == len(expected)


def test_ids_that_are_positions_are_not_stored():
    ids = Ids().appended(3).appended(2)
    assert ids.stored is None
    assert ids.values.tolist() == [0, 1, 2, 3, 4]
    assert ids.find(np.array([4, 5, -1])).tolist() == [4, -1, -1]


def test_ids_of_a_file_are_neither_read_nor_copied():
    values = np.array([5, 3])
    assert Ids.of_file(2, values, next_id=6).stored is values


def test_numbering_goes_on_after_removals():
    ids = Ids().appended(5).kept(np.array([0, 2])).appended(2)
    assert ids.values.tolist() == [0, 2, 5, 6]


def test_numbering_starts_at_zero_after_negative_ids():
    ids = Ids().appended(1, [-7]).appended(1)
    assert ids.values.tolist() == [-7, 0]


def test_the_largest_id_leaves_none_to_number():
    ids = Ids().appended(1, [2**63 - 1]).appended(0)
    assert ids.values.dtype == np.int64
    with pytest.raises(ValueError, match="pass ids"):
        ids.appended(1)


def test_many_small_parts_make_few_runs():
    lookup = Lookup()
    random = np.random.default_rng(0).permutation(2000)
    for part in np.split(random, 400):
        lookup = lookup.extended(part)
    assert len(lookup._runs) <= 11
    np.testing.assert_array_equal(lookup.find(random), np.arange(2000))


def test_ids_that_are_read_do_not_change_when_others_are_added():
    before = Ids().appended(2, [7, 5])
    after = before.appended(1, [6])
    assert before.values.tolist() == [7, 5]
    assert before.find(np.array([6])).tolist() == [-1]
    assert after.find(np.array([5, 6])).tolist() == [1, 2]


@pytest.mark.parametrize(
    "ids", [[3, 1], (3, 1), range(3, 5), {3, 1}, frozenset([3]), np.uint8([3])]
)
def test_integers_of_any_kind_are_ids(ids):
    assert as_ids(ids).dtype == np.int64
    assert set(as_ids(ids).tolist()) == set(np.array(list(ids)).tolist())


def test_tie_keys_are_neutral_and_never_change():
    keys = tie_keys(np.arange(10_000))
    assert np.unique(keys).size == keys.size
    assert abs(np.corrcoef(np.argsort(keys), np.arange(keys.size))[0, 1]) < 0.05
    # Stored in files and databases, so they must stay what they are.
    assert tie_keys(np.array([0, 1, -7])).tolist() == [
        -2152535657050944081,
        -7995527694508729151,
        7790691224305936752,
    ]
    assert tie_keys(np.array(["a", "straße"], dtype=object)).tolist() == [
        3405396810240292928,
        -8550434731599635614,
    ]
    assert tie_keys(np.array(["a"])).tolist() == [3405396810240292928]
