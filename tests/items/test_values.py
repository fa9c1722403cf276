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
def test_integers_of_any_type_are_ids(dtype):
    ids = as_ids(np.array([3, 0, 20]).astype(dtype))
    assert ids.dtype == np.int64
    assert ids.tolist() == [3, 0, 20]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (np.array([1, 2.5]), r"got 2\.5"),
        (np.array([1, np.nan]), "got nan"),
        (np.array([1, 1e300]), r"got 1e\+300"),
        (np.array([1, 2**63], dtype=np.uint64), "got 9223372036854775808"),
        (np.array(["1", "9223372036854775808"]), "got '9223372036854775808'"),
        (np.array(["1", ""]), "got ''"),
        (np.array(["1_0", "2"]), "got '1_0'"),
        (np.array([True, False]), "got True"),
        (np.array([[1, 2]]), r"one id per item; got the shape \(1, 2\)"),
    ],
)
def test_what_is_not_an_id_is_refused_by_value(values, problem):
    with pytest.raises(ValueError, match=problem):
        as_ids(values)


@pytest.mark.parametrize("dtype", ["i8", "f8", "U1"])
def test_an_empty_array_is_ids(dtype):
    assert as_ids(np.empty(0, dtype=dtype)).dtype == np.int64
