"""Layouts of tables, and items that fit them."""

import numpy as np
import pandas as pd
import pytest

from hashlearn.stores import Batch, Found, Layout

ONE_OF_EACH = {"digit": int, "weight": float, "name": str, "flag": bool}


def check_columns(columns):
    return Layout.checked(8, columns).columns


def check_values(values, columns, n_items):
    codes = np.zeros((n_items, 1), dtype=np.uint8)
    return Batch.checked(Layout(8, columns), codes, np.arange(n_items), values).values


def test_columns_keep_their_order_and_types():
    assert check_columns(None) == check_columns({}) == {}
    assert list(check_columns(ONE_OF_EACH).items()) == list(ONE_OF_EACH.items())


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"a b": int}, "letters, digits and _"),
        ({3: int}, "letters, digits and _"),
        ({"id": int}, "'id' exists already"),
        ({"Code": int}, "'Code' exists already"),
        ({"a": int, "A": int}, "'A' exists already"),
        ({"a": bytes}, "must be int, float, str or bool"),
        ({"a": np.int64}, "must be int, float, str or bool"),
        ({"a": "int"}, "must be int, float, str or bool"),
    ],
)
def test_wrong_columns_are_refused(columns, reason):
    with pytest.raises(ValueError, match=reason):
        check_columns(columns)


@pytest.mark.parametrize(
    ("kind", "given", "values"),
    [
        (int, [1, -2], np.array([1, -2])),
        (int, np.array([1, 255], dtype=np.uint8), np.array([1, 255])),
        (int, np.array([1, 2**63 - 1], dtype=np.uint64), np.array([1, 2**63 - 1])),
        (int, pd.Series([1, 2], index=[7, 8]), np.array([1, 2])),
        (float, [1, 2.5], np.array([1.0, 2.5])),
        (float, [1, 2], np.array([1.0, 2.0])),
        (float, np.array([np.inf, 0.5], dtype=np.float32), np.array([np.inf, 0.5])),
        (bool, [True, False], np.array([True, False])),
        (str, ["", "🐈"], np.array(["", "🐈"], dtype=object)),
        (str, np.array(["a", "bb"]), np.array(["a", "bb"], dtype=object)),
        (str, pd.Series(["a", "bb"]), np.array(["a", "bb"], dtype=object)),
    ],
)
def test_values_become_arrays_of_their_column_s_type(kind, given, values):
    (checked,) = check_values({"a": given}, {"a": kind}, 2).values()
    np.testing.assert_array_equal(checked, values)
    assert checked.dtype == values.dtype


@pytest.mark.parametrize(
    ("kind", "given", "values"),
    [
        (int, [1, None], [1, None]),
        (int, pd.Series([2**63 - 1, pd.NA], dtype="Int64"), [2**63 - 1, None]),
        (int, np.ma.array([1, 2], mask=[False, True]), [1, None]),
        (float, [1, np.nan], [1.0, None]),
        (float, np.array([np.nan, 0.5], dtype=np.float32), [None, 0.5]),
        (float, [None, 2], [None, 2.0]),
        (bool, [None, True], [None, True]),
        (str, ["a", None], ["a", None]),
        (str, pd.Series(["a", np.nan], dtype=object), ["a", None]),
        (int, [None, None], [None, None]),
    ],
)
def test_missing_values_are_none(kind, given, values):
    (checked,) = check_values({"a": given}, {"a": kind}, 2).values()
    assert checked.tolist() == values
    assert checked.dtype == object
    assert {type(value) for value in checked} <= {kind, type(None)}


@pytest.mark.parametrize("kind", [int, float, str, bool])
def test_no_items_take_no_values(kind):
    assert check_values({"a": []}, {"a": kind}, 0)["a"].shape == (0,)


def test_values_come_in_the_order_of_the_columns():
    given = {"flag": [True], "name": ["a"], "weight": [1], "digit": [1]}
    assert list(check_values(given, ONE_OF_EACH, 1)) == list(ONE_OF_EACH)


@pytest.mark.parametrize(
    ("kind", "given", "reason"),
    [
        (int, [1.0, 2.0], "must be int; got dtype float64"),
        (int, [True, False], "must be int"),
        (int, ["1", "2"], "must be int"),
        (int, [1, 2**64], "must be int"),
        (int, [1.5, None], "must be int; got dtype float64"),
        (int, [1.0, np.nan], "must be int"),
        (bool, [1, None], "must be bool"),
        (str, [None, 2], "must be str"),
        (int, np.array([1, 2**63], dtype=np.uint64), "must fit into 64 bits with a sign"),
        (int, 3, r"must have shape \(2,\); got \(\)"),
        (int, [1, 2, 3], r"got \(3,\)"),
        (int, [[1], [2]], r"got \(2, 1\)"),
        (float, [1, 2j], "must be float"),
        (bool, [0, 1], "must be bool"),
        (str, [1, 2], "must be str"),
        (str, ["a", "b\0c"], "zero"),
        (str, ["a", "\udcff"], "Unicode"),
    ],
)
def test_values_of_another_type_are_refused(kind, given, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        check_values({"a": given}, {"a": kind}, 2)
    assert "values of column 'a'" in str(caught.value)


@pytest.mark.parametrize("values", [None, {}, {"b": [1]}, {"a": [1], "b": [1]}, {"A": [1]}])
def test_every_column_takes_values_and_no_other(values):
    with pytest.raises(ValueError, match="values must have the table's columns, 'a'; got"):
        check_values(values, {"a": int}, 1)


def test_rows_of_an_engine_keep_64_bits():
    ids = [2**63 - 1, -(2**63), 2**53 + 1]
    found = Found.of_rows((id_, 2) for id_ in ids)
    assert found.ids.tolist() == ids
    assert [part.dtype for part in Found.of_rows([])] == [np.int64, np.int64]


def test_a_layout_is_said_in_words():
    assert Layout(9, {}).in_words() == "codes of 9 bits with columns none"
    words = "codes of 9 bits with columns digit (int), name (str)"
    assert Layout(9, {"digit": int, "name": str}).in_words() == words
