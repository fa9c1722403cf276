"""Conditions from what users write to what adapters read, and results from rows to arrays."""

import numpy as np
import pytest

from hashlearn.stores import Between, Condition, Found, Not
from hashlearn.stores._search import as_conditions, padded

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
        ("digit", None, (None,)),
        ("name", ["a", None], ("a", None)),
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
    assert condition == Condition(column, {"id": int, **COLUMNS}[column], "in", values)
    types = {int: int, float: float, str: str, bool: bool}
    assert {type(value) for value in condition.value} <= {types[condition.kind], type(None)}
    (other,) = as_conditions({column: Not(wanted)}, COLUMNS)
    assert other == condition._replace(operator="not in")


@pytest.mark.parametrize(
    ("column", "bounds", "expected"),
    [
        ("digit", Between(3, 5), {">=": 3, "<=": 5}),
        ("digit", Between(5, 3), {">=": 5, "<=": 3}),
        ("weight", Between(None, 1), {"<=": 1.0}),
        ("name", Between("a"), {">=": "a"}),
        ("id", Between(np.int64(0), np.int64(9)), {">=": 0, "<=": 9}),
    ],
)
def test_ranges_keep_their_bounds(column, bounds, expected):
    kind = {"id": int, **COLUMNS}[column]
    conditions = as_conditions({column: bounds}, COLUMNS)
    assert conditions == tuple(Condition(column, kind, *bound) for bound in expected.items())
    assert {type(condition.value) for condition in conditions} == {kind}


def test_several_conditions_come_in_their_order():
    conditions = as_conditions({"name": "a", "digit": Between(1, 2), "id": [3]}, COLUMNS)
    assert [condition.column for condition in conditions] == ["name", "digit", "digit", "id"]


@pytest.mark.parametrize("where", [3, "digit = 3", [("digit", 3)]])
def test_what_is_no_mapping_is_refused(where):
    with pytest.raises(TypeError, match="must be a mapping"):
        as_conditions(where, COLUMNS)


@pytest.mark.parametrize("column", ["Digit", "code", "digit; drop table items", "", 3, None])
def test_a_column_that_is_not_there_is_refused(column):
    with pytest.raises(ValueError, match="'id', 'digit', 'weight', 'name', 'flag'; got"):
        as_conditions({column: 3}, COLUMNS)


@pytest.mark.parametrize(
    ("column", "wanted", "reason"),
    [
        ("digit", "3", "must be int; got '3'"),
        ("digit", 3.0, "must be int"),
        ("digit", True, "must be int"),
        ("id", None, "must be int; got None"),
        ("id", [3, None], "must be int; got None"),
        ("digit", Not(Between(1, 2)), "must be int; got Between"),
        ("digit", Not([3, "4"]), "must be int; got '4'"),
        ("id", Not(None), "must be int; got None"),
        ("digit", [[3]], "must be int"),
        ("digit", 2**63, "must fit into 64 bits"),
        ("digit", Between("a", "b"), "must be int"),
        ("weight", float("nan"), "finite"),
        ("weight", float("inf"), "finite"),
        ("weight", True, "must be float"),
        ("name", b"a", "must be str"),
        ("name", "a\0b", "zero"),
        ("name", "\ud800", "Unicode"),
        ("flag", 1, "must be bool"),
        ("flag", Between(False, True), "True or False"),
        ("digit", Between(), "at least one bound"),
    ],
)
def test_a_value_of_another_type_is_refused(column, wanted, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        as_conditions({column: wanted}, COLUMNS)
    assert repr(column) in str(caught.value)


def test_short_rows_are_filled_with_what_is_no_item():
    rows = [Found.of_rows([(7, 1), (9, 3.0)]), Found.of_rows([]), Found.of_rows([(5, 0)])]
    distances, ids = padded(rows, k=4, n_bits=8)
    assert ids.tolist() == [[7, 9], [-1, -1], [5, -1]]
    assert distances.tolist() == [[1, 3], [9, 9], [0, 9]]
    distances, ids = padded(rows, k=1, n_bits=8)
    assert ids.tolist() == [[7], [-1], [5]]
    assert padded([], k=3, n_bits=8).ids.shape == (0, 0)
