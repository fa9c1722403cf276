"""Items in .parquet files."""

import sys
from datetime import date
from decimal import Decimal
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hashlearn.items import base, open_items, read_column
from hashlearn.items import parquet as parquet_items
from tests.items.item_files import read

X = np.arange(60, dtype=np.float32).reshape(20, 3)


@pytest.fixture
def table(tmp_path):
    def write(**columns):
        path = tmp_path / "X.parquet"
        parquet.write_table(pa.table(columns), path, row_group_size=8)
        return path

    return write


def fixed_lists(rows):
    return pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), rows.shape[1])


LISTS = {
    "lists": lambda rows: pa.array(list(rows)),
    "large lists": lambda rows: pa.array(list(rows), pa.large_list(pa.float32())),
    "fixed-size lists": fixed_lists,
}


@pytest.mark.parametrize("make", LISTS.values(), ids=LISTS)
def test_lists_are_one_feature_per_place(make, table, monkeypatch):
    monkeypatch.setattr(base, "BLOCK_BYTES", 64)
    source = open_items(table(id=np.arange(20), vector=make(X), more=X[:, 0].astype(np.float64)))
    assert source.columns == ("id", "vector[0]", "vector[1]", "vector[2]", "more")
    assert source.n_items == 20
    block = read(source, others=("id", "more"))
    assert block.features.dtype == np.float32
    np.testing.assert_array_equal(block.features, X)
    chosen = read(source, features=("vector[2]", "more", "vector[0]"))
    np.testing.assert_array_equal(chosen.features, X[:, [2, 0, 0]])
    np.testing.assert_array_equal(read(source, others=("vector",)).others["vector"], X)


@pytest.mark.parametrize("make", LISTS.values(), ids=LISTS)
def test_table_of_lists_without_rows_has_no_items(make, table):
    source = open_items(table(vector=make(X)[:0]))
    assert source.n_items == 0
    assert list(source.blocks()) == []


def test_wide_tables_are_the_same_through_disk(table, monkeypatch):
    random = np.random.default_rng(0)
    plain = random.normal(size=(20, 9))
    columns = {f"x{i}": column for i, column in enumerate(plain.T)}
    path = table(label=np.arange(20), vector=fixed_lists(X), **columns, more=fixed_lists(X))
    whole = read(open_items(path), others=("label",))
    monkeypatch.setattr(parquet_items, "SPILL_BYTES", 0)
    monkeypatch.setattr(base, "BLOCK_BYTES", 400)
    for n_columns in (1, 2, 5, 11):
        monkeypatch.setattr(parquet_items, "SLAB_COLUMNS", n_columns)
        block = read(open_items(path), others=("label",))
        np.testing.assert_array_equal(block.features, np.hstack([X, plain, X]))
        np.testing.assert_array_equal(block.features, whole.features)
        np.testing.assert_array_equal(block.others["label"], np.arange(20))
    names = ("x8", "vector[1]", "x0", "more[2]", "vector[0]")
    chosen = read(open_items(path), features=names).features
    expected = np.stack([plain[:, 8], X[:, 1], plain[:, 0], X[:, 2], X[:, 0]], axis=1)
    np.testing.assert_array_equal(chosen, expected)


def test_type_of_mixed_columns_is_the_widest(table):
    source = open_items(table(a=np.arange(3, dtype="u1"), b=np.ones(3, "f4"), c=np.ones(3)))
    assert read(source).features.dtype == np.float64
    assert read(source, features=("a", "b")).features.dtype == np.float32
    assert read(source, features=("a",)).features.dtype == np.uint8


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        (pa.array([1.0, None]), r"no value in column 'v' of row 1 \(from 0\)"),
        (pa.array([[1.0], None]), "no value in column 'v' of row 1 "),
        (pa.array([[1.0]] * 9 + [[None]]), "a list with missing values in column 'v' of row 9 "),
        (pa.array([[1.0], [2.0, 3.0]]), "a list of 2 numbers, .* 1, in column 'v' of row 1 "),
        (pa.array([[1.0, 2.0]] * 8 + [[3.0]] * 8), "a list of 1 numbers, .* 2, .* of row 8 "),
        (pa.array([[], [1.0, 2.0]]), "a list of 0 numbers, .* 2, in column 'v' of row 0 "),
        (pa.array(["a", "b"]), "type string in column 'v'; features .*--ignore v"),
        (pa.array([["a"], ["b"]]), "type list<.*: string> in column 'v'; features .*--ignore v"),
        (pa.array([[[1.0], [2.0]]]), "type list<.*list<.*double>> in column 'v'; .*--ignore v"),
        (pa.array([1, 2], pa.timestamp("s")), "type timestamp.* in column 'v'"),
        (pa.array([{"a": 1}, {"a": 2}]), "type struct.* in column 'v'"),
    ],
)
def test_columns_that_are_no_features_are_refused(column, problem, table):
    with pytest.raises(ValueError, match=rf"X\.parquet' has .*{problem}"):
        read(open_items(table(v=column)))


def test_labels_may_be_text_categories_numbers_or_truth(table):
    columns = {
        "text": ["a", "b"],
        "category": pa.array(["cat", "dog"]).dictionary_encode(),
        "number": np.array([3, 1], dtype=np.int16),
        "truth": [True, False],
    }
    path = table(**columns)
    for name, expected in columns.items():
        np.testing.assert_array_equal(read_column(path, name), np.array(expected))
    with pytest.raises(ValueError, match="has 4 columns; name one of 'text', 'category'"):
        read_column(path)


def test_text_stays_text_because_the_file_says_so(table):
    assert read_column(table(code=["1", "2"])).tolist() == ["1", "2"]


@pytest.mark.parametrize("column", [pa.array([b"a", b"b"]), pa.array([["a"], ["b"]])])
def test_labels_of_other_types_are_refused(column, table):
    with pytest.raises(ValueError, match=r"type .* in column 'label'; it must be numbers or text"):
        read_column(table(label=column))


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array(["a", None]), np.array(["a", None], dtype=object)),
        (pa.array(["a", None]).dictionary_encode(), np.array(["a", None], dtype=object)),
        (pa.array([2**60 + 1, None]), np.array([2**60 + 1, None], dtype=object)),
        (pa.array([True, None]), np.array([True, None], dtype=object)),
        (pa.array([1.5, None]), np.array([1.5, np.nan])),
        (pa.array([None, None]), np.array([None, None], dtype=object)),
    ],
)
def test_labels_may_have_missing_values(column, expected, table):
    values = read_column(table(label=column))
    np.testing.assert_array_equal(values, expected)
    assert values.dtype == expected.dtype


def test_dates_decimals_and_uuids_are_read_as_text(table):
    columns = {
        "day": ([date(2020, 1, 31)], pa.date32(), "2020-01-31"),
        "price": ([Decimal("1.50")], pa.decimal128(4, 2), "1.50"),
        "view": (["a"], pa.string_view(), "a"),
        "key": ([UUID(int=7).bytes], pa.uuid(), str(UUID(int=7))),
    }
    arrays = {name: pa.array(values, kind) for name, (values, kind, _) in columns.items()}
    source = open_items(table(x=[1.0], **arrays))
    assert set(source.text_columns) == set(columns)
    for name, (_, _, text) in columns.items():
        assert source.column(name).tolist() == [text]
        assert source.ids(name).tolist() == [text]


def test_names_may_hold_dots_and_brackets(table):
    source = open_items(table(**{"a.b": [1.0, 2.0], "c[0]": [3.0, 4.0]}))
    np.testing.assert_array_equal(read(source).features, [[1, 3], [2, 4]])


def test_columns_of_the_same_name_are_refused(table, tmp_path):
    parquet.write_table(
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), tmp_path / "X.parquet"
    )
    with pytest.raises(ValueError, match="several columns of the same name: 'a'"):
        open_items(tmp_path / "X.parquet")


def test_without_pyarrow_the_extra_is_named(table, monkeypatch):
    path = table(a=[1.0])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'hashlearn\[parquet\]'"):
        open_items(path)


@pytest.mark.parametrize("first", [None, []])
def test_lists_without_values_do_not_keep_other_columns_from_being_read(first, table):
    source = open_items(table(tags=pa.array([first, [1, 2], [3]]), x=[1.0, 2.0, 3.0]))
    assert source.columns == ("tags[0]", "tags[1]", "x")
    assert read(source, features="x").features.ravel().tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="in column 'tags' of row 0 "):
        read(source)


def test_lists_that_are_all_empty_are_no_features(table):
    source = open_items(table(tags=pa.array([[], []], pa.list_(pa.int64())), x=[1.0, 2.0]))
    assert source.feature_names() == ("x",)
