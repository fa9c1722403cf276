"""Labels by item, items by label, and what is relevant to what."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.explorer import Labels
from hashlearn.explorer.errors import NotThereError

values_of_items = st.lists(st.sampled_from(["", "b", "a", "10", "9"]), min_size=1, max_size=12)


@given(values_of_items)
def test_members_and_labels_say_the_same(values):
    labels = Labels.from_values(values)
    assert set(labels.names) == set(values) - {""}
    assert [labels.of(i) for i in range(len(values))] == [(v,) if v else () for v in values]
    assert list(labels.of_each(range(len(values)))) == [(v,) if v else () for v in values]
    for name in labels.names:
        assert labels.members(name).tolist() == [i for i, v in enumerate(values) if v == name]


@given(st.integers(1, 8), st.integers(1, 4), st.integers(0, 99))
def test_items_that_share_a_label_are_relevant_to_each_other(n_items, n_labels, seed):
    indicator = np.random.default_rng(seed).integers(0, 2, (n_items, n_labels))
    labels = Labels.from_values(indicator)
    shared = indicator @ indicator.T > 0
    for position in range(n_items):
        assert (labels.relevant_to(labels.of(position)) == shared[position]).all()
    positions = np.arange(n_items)[::-1]
    assert (labels.relevance(positions).block(0, n_items) == shared[::-1]).all()
    assert labels.several == (indicator.sum(axis=1) > 1).any()


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([10, 9, 2, 9], ("2", "9", "10")),
        ([1.0, 0.5, 2.0], ("0.5", "1", "2")),
        (["10", "9", "01", "1"], ("01", "1", "9", "10")),
        (["10", "9", "cat"], ("10", "9", "cat")),
        ([-1, 1], ("-1", "1")),
        ([[0, 0], [0, 1]], ("0", "1")),
        (["", ""], ()),
    ],
)
def test_names_are_sorted_and_numbers_by_size(values, names):
    assert Labels.from_values(values).names == names


def test_given_names_keep_their_order():
    labels = Labels.from_values([2, 0, 2], names=("truck", "boat", "car"))
    assert labels.names == ("truck", "boat", "car")
    assert [labels.of(i) for i in range(3)] == [("car",), ("truck",), ("car",)]
    assert labels.members("boat").tolist() == []
    assert Labels.from_values([[1, 1]], names=("z", "a")).of(0) == ("z", "a")


def test_an_item_without_labels_is_relevant_to_nothing():
    labels = Labels.from_values([[0, 0], [1, 0]])
    assert labels.of(0) == ()
    assert not labels.relevant_to(labels.of(0)).any()


@pytest.mark.parametrize(
    ("values", "names", "said"),
    [
        ([[0, 2]], None, "must be 0 or 1; got 2"),
        ([[[1]]], None, "labels must have one label"),
        (3, None, "labels must have one label"),
        ([np.inf, 1.0], None, "infinite"),
        ([0, 3], ("a", "b"), "integers from 0 to 1"),
        (["a"], ("a",), "integers from 0 to 0"),
        ([[1, 0]], ("a", "a"), "names must have 2 distinct labels"),
    ],
)
def test_what_are_no_labels_is_refused(values, names, said):
    with pytest.raises(ValueError, match=said):
        Labels.from_values(values, names=names)


def test_unknown_labels_are_refused():
    labels = Labels.from_values(["a", "b"])
    with pytest.raises(NotThereError, match="Unknown label 'c'"):
        labels.members("c")
    with pytest.raises(NotThereError, match="Unknown label 'c'"):
        labels.relevant_to(["a", "c"])


@pytest.mark.parametrize("names", [None, ["cat", "\ud800"]])
def test_half_a_character_is_no_label(names):
    values = ["cat", "\ud800"] if names is None else [0, 1]
    with pytest.raises(ValueError, match="not valid Unicode; is the file in another encoding"):
        Labels.from_values(values, names)


@pytest.mark.parametrize("null", [None, np.nan])
def test_missing_values_are_no_label(null):
    labels = Labels.from_values(np.array(["a", null, "b"], dtype=object))
    assert [labels.of(i) for i in range(3)] == [("a",), (), ("b",)]


def test_numbers_with_missing_values_are_named_as_others():
    labels = Labels.from_values([3.0, np.nan, 10.0])
    assert (labels.names, labels.of(1)) == (("3", "10"), ())
