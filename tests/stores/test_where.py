"""Conditions, from what users write to what adapters read."""

import numpy as np
import pytest

from hashlearn.stores import Between
from hashlearn.stores.where import InRange, OneOf, as_conditions

COLUMNS = {"digit": int, "weight": float, "name": str, "flag": bool}


def test_no_condition_is_no_condition():
    assert as_conditions(None, COLUMNS) == as_conditions({}, COLUMNS) == ()


@pytest.mark.parametrize(
    ("column", "wanted", "values"),
    [
        ("digit", 3, (3,)),
        ("digit", np.uint8(3), (3,)),
        ("digit", np.array(3), (3,)),
        ("digit", [3, np.int64(5)], (3, 5)),
        ("digit", (3,), (3,)),
        ("digit", {3}, (3,)),
        ("digit", {3: "x"}.keys(), (3,)),
        ("digit", np.array([3, 5], dtype=np.int16), (3, 5)),
        ("digit", [], ()),
        ("digit", [-(2**63), 2**63 - 1], (-(2**63), 2**63 - 1)),
        ("id", 7, (7,)),
        ("weight", 3, (3.0,)),
        ("weight", np.float32(0.5), (0.5,)),
        ("name", "it's", ("it's",)),
        ("name", np.array(["a", "b"]), ("a", "b")),
        ("flag", True, (True,)),
        ("flag", np.bool_(False), (False,)),
    ],
)
def test_values_become_python_s_own(column, wanted, values):
    (condition,) = as_conditions({column: wanted}, COLUMNS)
    assert condition == OneOf(column, {"id": int, **COLUMNS}[column], values)
    types = {int: int, float: float, str: str, bool: bool}
    assert {type(value) for value in condition.values} <= {types[condition.kind]}


@pytest.mark.parametrize(
    ("column", "bounds", "low", "high"),
    [
        ("digit", Between(3, 5), 3, 5),
        ("digit", Between(5, 3), 5, 3),
        ("weight", Between(None, 1), None, 1.0),
        ("name", Between("a"), "a", None),
        ("id", Between(np.int64(0), np.int64(9)), 0, 9),
    ],
)
def test_ranges_keep_their_bounds(column, bounds, low, high):
    (condition,) = as_conditions({column: bounds}, COLUMNS)
    assert condition == InRange(column, {"id": int, **COLUMNS}[column], low, high)


def test_several_conditions_come_in_their_order():
    conditions = as_conditions({"name": "a", "digit": Between(1, 2), "id": [3]}, COLUMNS)
    assert [condition.column for condition in conditions] == ["name", "digit", "id"]


@pytest.mark.parametrize("where", [3, "digit = 3", [("digit", 3)]])
def test_what_is_no_mapping_is_refused(where):
    with pytest.raises(TypeError, match="is no mapping"):
        as_conditions(where, COLUMNS)


@pytest.mark.parametrize("column", ["Digit", "code", "digit; drop table items", "", 3, None])
def test_a_column_that_is_not_there_is_refused(column):
    with pytest.raises(ValueError, match="the table has 'id', 'digit', 'weight', 'name', 'flag'"):
        as_conditions({column: 3}, COLUMNS)


@pytest.mark.parametrize(
    ("column", "wanted", "reason"),
    [
        ("digit", "3", "the value '3': it takes int"),
        ("digit", 3.0, "it takes int"),
        ("digit", True, "it takes int"),
        ("digit", None, "it takes int"),
        ("digit", [3, None], "it takes int"),
        ("digit", [[3]], "it takes int"),
        ("digit", 2**63, "it takes 64 bits"),
        ("digit", Between("a", "b"), "it takes int"),
        ("weight", float("nan"), "finite"),
        ("weight", float("inf"), "finite"),
        ("weight", True, "it takes float"),
        ("name", b"a", "it takes str"),
        ("name", "a\0b", "zero"),
        ("name", "\ud800", "Unicode"),
        ("flag", 1, "it takes bool"),
        ("flag", Between(False, True), "True or False"),
        ("digit", Between(), "without bounds"),
    ],
)
def test_a_value_of_another_type_is_refused(column, wanted, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        as_conditions({column: wanted}, COLUMNS)
    assert repr(column) in str(caught.value)
