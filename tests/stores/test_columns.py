"""What a table keeps beside ids and codes."""

import numpy as np
import pandas as pd
import pytest

from hashlearn.stores.columns import check_columns, check_values

ONE_OF_EACH = {"digit": int, "weight": float, "name": str, "flag": bool}


def test_columns_keep_their_order_and_types():
    assert check_columns(None) == check_columns({}) == {}
    assert list(check_columns(ONE_OF_EACH).items()) == list(ONE_OF_EACH.items())


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"a b": int}, "is no name"),
        ({3: int}, "is no name"),
        ({"id": int}, "'id' is there already"),
        ({"Code": int}, "'Code' is there already"),
        ({"a": int, "A": int}, "'A' is there already"),
        ({"a": bytes}, "it takes int, float, str or bool"),
        ({"a": np.int64}, "it takes int, float, str or bool"),
        ({"a": "int"}, "it takes int, float, str or bool"),
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


@pytest.mark.parametrize("kind", [int, float, str, bool])
def test_no_items_take_no_values(kind):
    assert check_values({"a": []}, {"a": kind}, 0)["a"].shape == (0,)


def test_values_come_in_the_order_of_the_columns():
    given = {"flag": [True], "name": ["a"], "weight": [1], "digit": [1]}
    assert list(check_values(given, ONE_OF_EACH, 1)) == list(ONE_OF_EACH)


@pytest.mark.parametrize(
    ("kind", "given", "reason"),
    [
        (int, [1.0, 2.0], "dtype float64: the column takes int"),
        (int, [True, False], "the column takes int"),
        (int, ["1", "2"], "the column takes int"),
        (int, [1, None], "the column takes int"),
        (int, [1, 2**64], "the column takes int"),
        (int, np.array([1, 2**63], dtype=np.uint64), "it takes 64 bits with sign"),
        (int, 3, r"have shape \(\): 2 codes take \(2,\)"),
        (int, [1, 2, 3], r"have shape \(3,\)"),
        (int, [[1], [2]], r"have shape \(2, 1\)"),
        (float, [1, np.nan], "NaN"),
        (float, [1, 2j], "the column takes float"),
        (bool, [0, 1], "the column takes bool"),
        (str, [1, 2], "it takes str"),
        (str, ["a", None], "it takes str"),
        (str, ["a", "b\0c"], "zero"),
        (str, ["a", "\udcff"], "Unicode"),
    ],
)
def test_values_of_another_type_are_refused(kind, given, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        check_values({"a": given}, {"a": kind}, 2)
    assert "values of 'a'" in str(caught.value)


@pytest.mark.parametrize("values", [None, {}, {"b": [1]}, {"a": [1], "b": [1]}, {"A": [1]}])
def test_every_column_takes_values_and_no_other(values):
    with pytest.raises(ValueError, match=r"values has the columns .*: the table takes 'a'"):
        check_values(values, {"a": int}, 1)
