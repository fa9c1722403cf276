"""Values of label and id columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.items import as_ids, as_numbers


@given(values=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_integers_written_as_text_come_back_exactly(values):
    numbers = as_numbers(np.array(list(map(str, values))))
    assert numbers.dtype == np.int64
    assert numbers.tolist() == values


@pytest.mark.parametrize("dtype", ["i1", "i8", "u1", "u8", "f4", "f8", "U"])
def test_whole_numbers_of_any_type_are_ids(dtype):
    ids = as_ids(np.array([3, 0, 20]).astype(dtype))
    assert ids.dtype == np.int64
    assert ids.tolist() == [3, 0, 20]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (np.array([1, 2.5]), r"value 2\.5"),
        (np.array([1, np.nan]), "value nan"),
        (np.array([1, 1e300]), r"value 1e\+300"),
        (np.array([1, 2**63], dtype=np.uint64), "value 9223372036854775808"),
        (np.array(["1", "9223372036854775808"]), "value '9223372036854775808'"),
        (np.array(["1", ""]), "value ''"),
        (np.array(["1_0", "2"]), "value '1_0'"),
        (np.array([True, False]), "value True"),
        (np.array([[1, 2]]), r"shape \(1, 2\); it takes one id per item"),
    ],
)
def test_what_is_no_id_is_refused_by_value(values, problem):
    with pytest.raises(ValueError, match=problem):
        as_ids(values)


@pytest.mark.parametrize("dtype", ["i8", "f8", "U1"])
def test_no_ids_are_ids(dtype):
    assert as_ids(np.empty(0, dtype=dtype)).dtype == np.int64
