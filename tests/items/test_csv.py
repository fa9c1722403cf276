"""Items in .csv files."""

import csv as csv_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.items import csv, open_items, read_column
from tests.items.item_files import read


@pytest.fixture
def table(tmp_path):
    def write(text, encoding="utf-8"):
        path = tmp_path / "X.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return write


numbers = st.floats(width=64) | st.sampled_from([" 1.5", "2 ", "nan", "-inf", "١", "1e400"])
texts = st.text(st.sampled_from('ab ,"\n\t;é_#'), max_size=6)


@given(
    rows=st.lists(st.tuples(numbers, texts, numbers), min_size=1, max_size=12),
    quoting=st.sampled_from([csv_module.QUOTE_MINIMAL, csv_module.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
    size=st.integers(1, 60),
)
def test_what_the_csv_module_writes_comes_back(rows, quoting, end, size, tmp_path_factory):
    path = tmp_path_factory.mktemp("csv") / "X.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv_module.writer(file, quoting=quoting, lineterminator=end)
        writer.writerows([("a", "text", "b"), *rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv, "BLOCK_CHARACTERS", size)
        block = read(open_items(path), others=("text",))
    expected = [[float(first), float(last)] for first, _, last in rows]
    np.testing.assert_array_equal(block.features, expected)
    assert block.others["text"].tolist() == [text for _, text, _ in rows]


@given(
    lines=st.lists(st.text(st.sampled_from('1.5e-+naif_ ,\t٣x""'), max_size=12), max_size=6),
    n_columns=st.integers(1, 3),
)
def test_fast_way_says_nothing_that_the_exact_way_does_not(lines, n_columns, tmp_path_factory):
    path = tmp_path_factory.mktemp("csv") / "X.csv"
    path.write_text("\n".join(["c" + ",d" * (n_columns - 1), *lines]), encoding="utf-8")
    source = csv.CsvItems(path)
    source._layout = csv._Layout(tuple("cde"[:n_columns]), 1)
    texts = [line + "\n" for line in lines]
    fast = source._fast_block(texts, source.columns, ("c",))
    if fast is not None:
        exact = source._exact_block(source._records(texts, [], 0)[0], source.columns, ("c",))
        np.testing.assert_array_equal(fast.features, exact.features)
        np.testing.assert_array_equal(fast.others["c"], exact.others["c"])


def test_first_row_of_numbers_is_an_item(table):
    source = open_items(table("1,2\n3,4\n"))
    assert source.columns == ("0", "1")
    np.testing.assert_array_equal(read(source).features, [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n\n3,4", "a,b\r1,2\r3,4", "\n\na, b \r\n1,2\r\n  \r\n3,4\r\n\r\n"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_blank_lines_line_ends_and_byte_order_marks_do_not_count(text, encoding, table):
    source = open_items(table(text, encoding))
    assert source.columns == ("a", "b")
    np.testing.assert_array_equal(read(source).features, [[1, 2], [3, 4]])


def test_names_and_values_may_hold_commas_quotes_and_line_ends(table):
    source = open_items(table('"a,""1""","b\nb",text\n1,"2","x\n,""y"""\n3,4,z\n'))
    assert source.columns == ('a,"1"', "b\nb", "text")
    block = read(source, others=("text",))
    np.testing.assert_array_equal(block.features, [[1, 2], [3, 4]])
    assert block.others["text"].tolist() == ['x\n,"y"', "z"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("a,a\n1,2", "has several columns of the same name: 'a'"),
        ("a,b\n1,2\n\n3,x\n", "has 'x' in column 'b' of the row at line 4, which is not a number"),
        ("a,b\n1,\n", "has '' in column 'b' of the row at line 2"),
        ('a,b\n"1\n",2\n"3,5",4\n', "has '3,5' in column 'a' of the row at line 4"),
        ("a,b\n1,2\n3\n", "has 1 values in the row at line 3, but 2 columns"),
        ("a,b\n1,2,3\n", "has 3 values in the row at line 2, but 2 columns"),
        ('a,b\n1,2\n3,"4\n5,6\n', "cannot be read from line 3 on: unexpected end of data"),
        ('a,b\n1,2\n"3"x,4\n', "cannot be read from line 3 on"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_column(text, problem, table):
    with pytest.raises(ValueError, match=rf"X\.csv' {problem}"):
        read(open_items(table(text)))


def test_lines_are_counted_over_blocks(table, monkeypatch):
    monkeypatch.setattr(csv, "BLOCK_CHARACTERS", 10)
    text = "a,b\n" + '1,"2\n"\n' * 10 + "1,2\n" * 10 + "1,x\n"
    with pytest.raises(ValueError, match="row at line 32"):
        read(open_items(table(text)))


def test_other_encodings_are_refused(table):
    with pytest.raises(ValueError, match=r"X\.csv' is not text in UTF-8"):
        read(open_items(table("a,é\n1,2\n", "latin-1")))
    with pytest.raises(ValueError, match=r"X\.csv' is not text in UTF-8"):
        read(open_items(table("a,b\n1,2\n" * 9000 + '"é",3\n', "latin-1")))


def test_table_without_rows_has_no_block(table):
    source = open_items(table("a,b\n"))
    assert list(source.blocks()) == []
    assert source.join([]).features.shape == (0, 2)
    assert source.approximate_n_items == 0


def test_number_of_items_is_estimated_well(table):
    source = open_items(table("a,b\n" + "1.5,2\n" * 100_000))
    assert source.n_items is None
    assert abs(source.approximate_n_items - 100_000) < 1000


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("1 20 -3", [1, 20, -3]),
        ("1 2.5 nan", [1, 2.5, np.nan]),
        ("1 cat 3", ["1", "cat", "3"]),
        ("1_0 2 3", ["1_0", "2", "3"]),
        ("1 99999999999999999999 3", ["1", "99999999999999999999", "3"]),
    ],
)
def test_column_becomes_numbers_as_a_whole_or_not_at_all(values, expected, table, monkeypatch):
    monkeypatch.setattr(csv, "BLOCK_CHARACTERS", 1)
    path = table("id\n" + values.replace(" ", "\n"))
    column = read_column(path)
    np.testing.assert_array_equal(column, expected)
    assert column.dtype.kind == np.asarray(expected).dtype.kind


def test_column_of_several_needs_its_name(table):
    path = table("a,b\n1,x\n")
    with pytest.raises(ValueError, match="has 2 columns; name one of 'a', 'b'"):
        read_column(path)
    assert read_column(path, "b").tolist() == ["x"]


def test_a_header_of_positions_is_a_header(tmp_path):
    path = tmp_path / "X.csv"
    path.write_text("0,1,2\n5,6,7\n")  # as a table without names is written by pandas
    source = open_items(path)
    assert source.columns == ("0", "1", "2")
    np.testing.assert_array_equal(next(source.blocks()).features, [[5, 6, 7]])


def test_underscores_make_no_numbers(tmp_path):
    path = tmp_path / "X.csv"
    path.write_text("2020_01,2020_02\n5,6\n")
    assert open_items(path).columns == ("2020_01", "2020_02")
    path.write_text("a,b\n5,1_0\n")
    with pytest.raises(ValueError, match="'1_0' in column 'b' of the row at line 2"):
        list(open_items(path).blocks())


@pytest.mark.parametrize("quote", ["", '"'])
def test_one_long_text_does_not_make_all_take_its_room(tmp_path, quote):
    path = tmp_path / "X.csv"
    texts = ["short"] * 1000 + ["x" * 20_000]
    path.write_text("a,b\n" + "".join(f"5,{quote}{text}{quote}\n" for text in texts))
    values = next(open_items(path).blocks(others=("b",))).others["b"]
    assert values.tolist() == texts
    assert values.nbytes < 100_000


def test_data_with_text_in_it_needs_no_header(tmp_path):
    path = tmp_path / "X.csv"
    path.write_text("0.5,2,cat\n1.5,3,dog\n")
    source = open_items(path)
    assert source.columns == ("0", "1", "2")
    block = next(source.blocks(others=("2",)))
    assert block.others["2"].tolist() == ["cat", "dog"]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found_in_the_first_line(separator, table):
    rows = [("a", f"b{separator}b", "text"), ("1", "2", "x, y"), ("3", "4", f";\t|,{separator}")]
    path = table("")
    with path.open("w", newline="") as file:
        csv_module.writer(file, delimiter=separator).writerows(rows)
    source = open_items(path)
    assert source.columns == rows[0]
    block = read(source, others=("text",))
    np.testing.assert_array_equal(block.features, [[1, 2], [3, 4]])
    assert block.others["text"].tolist() == ["x, y", f";\t|,{separator}"]


@pytest.mark.parametrize("given", [";", "tab", "\\t", "\t", " ", "^", "]"])
def test_the_separator_may_be_given(given, table):
    separator = {"tab": "\t", "\\t": "\t"}.get(given, given)
    lines = ["a,1", "b"], ["1", "2"], ["3", '"4"']
    path = table("\n".join(separator.join(line) for line in lines))
    source = open_items(path, delimiter=given)
    assert source.columns == ("a,1", "b")
    np.testing.assert_array_equal(read(source).features, [[1, 2], [3, 4]])


@pytest.mark.parametrize("given", ["", ";;", "a", '"', "\n", "."])
def test_what_cannot_separate_is_refused(given, table):
    with pytest.raises(ValueError, match="delimiter must be one character"):
        open_items(table("a,b\n1,2\n"), delimiter=given)


def test_rows_of_another_length_are_told_with_the_separator(table):
    with pytest.raises(ValueError, match=r"has 1 values in the row at line 2, .* separated by ';'"):
        read(open_items(table("a;b\n1,2\n")))


def test_a_tsv_without_tabs_has_another_separator(tmp_path):
    (tmp_path / "X.tsv").write_text("a,b\n1,2\n")
    assert open_items(tmp_path / "X.tsv").columns == ("a", "b")


def test_decimals_with_a_comma_are_told(table):
    with pytest.raises(ValueError, match=r"'2,5' in column 'b' .*; decimals must be written"):
        read(open_items(table("a;b\n1;2,5\n")))


def test_a_row_of_empty_values_between_tabs_is_a_row(table):
    with pytest.raises(ValueError, match="has '' in column 'a' of the row at line 3"):
        read(open_items(table("a\tb\n1\t2\n\t\n")))


def test_separators_in_semicolons_of_a_single_column_stay_text(table):
    assert read_column(table("text\na;b\nc\n")).tolist() == ["a;b", "c"]
