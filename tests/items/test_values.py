"""Values of label and id columns."""

import uuid
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.items import as_ids, as_numbers, is_missing, read_column, read_ids
from tests.items.item_files import write


@given(values=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_integers_written_as_text_come_back_exactly(values):
    numbers = as_numbers(np.array(list(map(str, values))))
    assert numbers.dtype == np.int64
    assert numbers.tolist() == values


def test_values_that_pandas_calls_missing_are_missing():
    pandas = pytest.importorskip("pandas")
    for series in (
        pandas.Series(["cat", None, "dog"], dtype="string"),
        pandas.Series([1, None, 2], dtype="Int64"),
        pandas.Series([True, None, False], dtype="boolean"),
        pandas.Series(["cat", pandas.NA, "dog"], dtype=object),
        pandas.Series(["2020-01-01", None, "2021-01-01"], dtype="datetime64[ns]").astype(object),
    ):
        assert is_missing(series).tolist() == [False, True, False]


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
        (np.array(["1", ""]), r"a value for every item; row 1 \(from 0\) has none"),
        (np.array(["a", None]), r"a value for every item; row 1 \(from 0\) has none"),
        (np.array(["a", np.nan], dtype=object), "row 1"),
        (np.array(["a", 3], dtype=object), "all be 64-bit integers, or all text; got 3"),
        (np.array([b"a", b"b"], dtype=object), "got b'a'"),
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


def test_integers_that_begin_with_a_zero_stay_text():
    assert as_numbers(np.array(["01234", "5"])).tolist() == ["01234", "5"]
    assert as_numbers(np.array(["0", "-5"])).tolist() == [0, -5]


@pytest.mark.parametrize("values", [["a", "b"], [1, 2], [1.5, 2.5], [[1, 0], [0, 1]]])
def test_objects_become_an_array_of_their_type(values):
    objects = np.array(values, dtype=object)
    assert as_numbers(objects).dtype == np.array(values).dtype
    assert as_numbers(objects).tolist() == values


@pytest.mark.parametrize(
    "texts", [["a", "7"], ["007", "8"], ["1.0", "2"], ["1_0", "2"], ["+3", "4"], [str(2**63), "1"]]
)
def test_ids_are_text_if_one_of_them_is_not_an_integer(texts):
    assert as_ids(np.array(texts)).tolist() == texts
    assert as_ids(np.array(texts)).dtype == object


def test_uuids_and_paths_are_ids_as_text():
    ids = [uuid.UUID(int=5), Path("a/b.png")]
    assert as_ids(ids).tolist() == ["00000000-0000-0000-0000-000000000005", str(Path("a/b.png"))]


def test_text_that_a_file_holds_as_text_stays_text():
    assert as_ids(np.array(["1", "2"], dtype=object)).tolist() == ["1", "2"]


@pytest.mark.parametrize("kind", [".npz", ".csv", ".parquet"])
@pytest.mark.parametrize("ids", [["u-1", "7", "é"], [5, 7, 2**62]])
def test_ids_of_every_kind_of_file_are_integers_or_text(kind, ids, tmp_path):
    path = write(tmp_path / f"X{kind}", np.ones((3, 2)), id=np.array(ids))
    found = read_ids(path, "id")
    assert found.tolist() == ids
    assert found.dtype == (object if isinstance(ids[0], str) else np.int64)


def test_text_of_digits_is_text_where_files_have_types_and_integers_in_a_csv(tmp_path):
    np.save(tmp_path / "ids.npy", ["1", "2"])
    assert read_ids(tmp_path / "ids.npy").tolist() == ["1", "2"]
    (tmp_path / "ids.csv").write_text("id\n1\n2\n")
    assert read_ids(tmp_path / "ids.csv").tolist() == [1, 2]


@pytest.mark.parametrize(
    ("labels", "missing"),
    [
        ([0, -1, 2], [1]),
        ([0.0, np.nan, -1.0], [1, 2]),
        (["cat", "", " ", "NaN", "null", "-1", "none"], [1, 2, 3, 4, 5]),
        (["0", "-1.0", "2"], [1]),
        (np.array(["cat", None, np.nan, "-1"], dtype=object), [1, 2, 3]),
        (np.array([3, None, -1], dtype=object), [1, 2]),
        ([1, -1, 1], []),
        (["1", "-1", ""], [2]),
        ([-1, -1], [0, 1]),
        ([True, False], []),
        ([[0, 1], [1, -1], [np.nan, 0]], [1, 2]),
        ([], []),
    ],
)
def test_missing_labels_are_empty_null_nan_or_minus_one(labels, missing):
    assert np.flatnonzero(is_missing(labels)).tolist() == missing


@pytest.mark.parametrize(
    ("labels", "extra", "missing"),
    [
        ([9, 0, 1], "9", [0]),
        ([9, 0, 1], 9, [0]),
        ([9.0, 0, 1], ["9", "0"], [0, 1]),
        (["cat", "Unknown", ""], "unknown", [1, 2]),
        ([9, 0, 1], "unknown", []),
    ],
)
def test_other_values_may_mean_not_labelled(labels, extra, missing):
    assert np.flatnonzero(is_missing(labels, extra)).tolist() == missing


def test_labels_that_are_left_are_what_they_would_be_without_gaps(tmp_path):
    (tmp_path / "y.csv").write_text('label\n3\n""\n5\n')
    labels = read_column(tmp_path / "y.csv", "label")
    assert as_numbers(labels[~is_missing(labels)]).tolist() == [3, 5]
