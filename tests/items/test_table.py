"""Features chosen by name, in tables of any kind."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hashlearn.items import open_items
from tests.items.item_files import TABLES, read, write

X = np.arange(24, dtype=np.float64).reshape(6, 4)


@pytest.fixture
def embedded(tmp_path):
    """Write a table with a list column `embedding` beside other columns."""

    def write_table(rows=X, **columns):
        path = tmp_path / "E.parquet"
        parquet.write_table(pa.table({**columns, "embedding": list(rows)}), path)
        return open_items(path)

    return write_table


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("x2", ["x2"]),
        (["x2", "x0"], ["x2", "x0"]),
        ("x2,x0", ["x2", "x0"]),
        ("x2, x0", ["x2", "x0"]),
        (["x3,x0", "x1"], ["x3", "x0", "x1"]),
        ("x1:x3", ["x1", "x2", "x3"]),
        ("x2:x2", ["x2"]),
        ("x*", ["x0", "x1", "x2", "x3"]),
        ("?1,x0:x2", ["x1", "x0", "x2"]),
        ("a:b", ["a:b"]),
        ("c,d", ["c,d"]),
        ((), []),
    ],
)
def test_names_ranges_patterns_and_lists_of_them_select_columns(kind, names, expected, tmp_path):
    more = {"a:b": np.zeros(6), "c,d": np.zeros(6)}
    source = open_items(write(tmp_path / f"X{kind}", X, **more))
    assert source.select_columns(names) == tuple(expected)
    assert source.feature_names(names) == tuple(expected)


@pytest.mark.parametrize("names", ["embedding", "embedding[0]:embedding[3]", "emb*", "*[?]"])
def test_a_column_of_lists_is_all_of_its_positions(names, embedded):
    source = embedded(id=np.arange(6), text=list("abcdef"))
    np.testing.assert_array_equal(read(source, features=names).features, X)


def test_a_range_may_end_in_a_column_of_lists(embedded):
    source = embedded(id=np.arange(6), year=np.arange(6))
    assert source.select_columns("year:embedding") == ("year", *source.list_columns["embedding"])


def test_a_column_of_lists_that_is_read_beside_is_not_a_feature(embedded):
    source = embedded(size=np.ones(6))
    assert source.feature_names(others=("embedding",)) == ("size",)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ("lable", r"no column 'lable' \(did you mean 'label'\?\); it has 'x0'"),
        ("LABEL", r"no column 'LABEL' \(did you mean 'label'\?\)"),
        ("x0,lable", r"no column 'lable' \(did you mean 'label'\?\)"),
        ("lable:x3", r"no column 'lable' \(did you mean 'label'\?\)"),
        ("x0:x9", "no column 'x9'; it has"),
        ("weight", "no column 'weight'; it has"),
        ("y*", r"no column 'y\*'; it has"),
        ("x3:x1", "has 'x1' before 'x3'; a range must go from left to right"),
    ],
)
def test_what_selects_nothing_is_told_with_a_similar_name(kind, names, problem, tmp_path):
    source = open_items(write(tmp_path / f"X{kind}", X, label=list("abcdef")))
    with pytest.raises(ValueError, match=problem):
        source.select_columns(names)


def test_a_mistyped_label_column_is_told_with_a_similar_name(embedded):
    with pytest.raises(ValueError, match=r"no column 'lable' \(did you mean 'label'\?\)"):
        embedded(label=list("abcdef")).blocks(others=("lable",))


def test_lists_are_the_features_where_all_other_columns_are_text_or_left_out(embedded):
    source = embedded(id=np.arange(6), text=list("abcdef"), label=list("aabbcc"))
    expected = source.list_columns["embedding"]
    assert source.select_features(ignore="id") == expected
    assert source.select_features(others=("id", "label")) == expected
    assert source.select_features("embedding") == expected
    assert source.select_features("*", ignore="id,text", others=("label",)) == expected


def test_lists_beside_other_numbers_are_not_guessed(embedded):
    source = embedded(id=np.arange(6), year=np.arange(6), text=list("abcdef"))
    with pytest.raises(
        ValueError,
        match=r"lists in column 'embedding' beside the numbers of 'id', 'year'; name the features "
        r"\(--features embedding\), or leave out what is not one \(--ignore id,year\)\.$",
    ):
        source.select_features(others=("text",))


def test_two_columns_of_lists_are_not_guessed(embedded):
    source = embedded(image=list(X[:, :2]))
    with pytest.raises(ValueError, match="lists in column 'image' beside the numbers of 'embed"):
        source.select_features()
    assert source.select_features(ignore="image") == source.list_columns["embedding"]
    assert source.select_features(n_features=2) == source.list_columns["image"]


@pytest.mark.parametrize("kind", TABLES)
def test_text_among_the_features_is_refused_with_the_option_that_leaves_it_out(kind, tmp_path):
    columns = {"id": list("abcdef"), "text": list("uvwxyz")}
    source = open_items(write(tmp_path / f"X{kind}", X, **columns))
    with pytest.raises(ValueError, match=r"'id'.* leave out .*\(--ignore id,text\), or name the"):
        source.select_features()
    with pytest.raises(ValueError, match=r"'id'.* leave .*\(--ignore id.*\), or name the"):
        list(source.blocks())
    assert source.select_features(ignore="id,text") == ("x0", "x1", "x2", "x3")


def test_a_table_without_features_is_told(embedded):
    source = embedded(text=list("abcdef"))
    for chosen in ({"ignore": "*"}, {"features": "text", "others": ("text",)}):
        with pytest.raises(ValueError, match="no features left of its columns 'text', 'embedding'"):
            source.select_features(**chosen)


def test_a_model_without_names_finds_its_features_among_other_columns(embedded, tmp_path):
    source = embedded(id=np.arange(6), text=list("abcdef"))
    assert source.select_features(n_features=4) == source.list_columns["embedding"]
    for kind in TABLES:
        source = open_items(write(tmp_path / f"X{kind}", X, text=list("abcdef")))
        assert source.select_features(n_features=4) == ("x0", "x1", "x2", "x3")
        with pytest.raises(ValueError, match="has 2 features, but 4 are needed: name them"):
            source.select_features("x0:x1", n_features=4)


def test_features_of_arrays_are_all_of_them(tmp_path):
    source = open_items(write(tmp_path / "X.npy", X))
    assert source.select_features(n_features=4) is None
    with pytest.raises(ValueError, match=r"has 4 features, but 3 are needed\.$"):
        source.select_features(n_features=3)
    for chosen in ({"features": "x0"}, {"ignore": "x0"}):
        with pytest.raises(ValueError, match="no names to choose by"):
            source.select_features(**chosen)


def test_a_value_that_is_not_finite_is_told_with_its_row_and_column(tmp_path):
    broken = X.copy()
    broken[4, 2] = np.nan
    source = open_items(write(tmp_path / "X.csv", broken))
    block = read(source)
    with pytest.raises(ValueError, match=r"has nan in column 'x2' of row 14 \(from 0\); features"):
        source.check_finite(block.features, 10, source.feature_names())
    with pytest.raises(ValueError, match=r"has nan in column 2 of row 40 \(from 0\); features"):
        source.check_finite(block.features, 10 * np.arange(6))
    source.check_finite(X)
