"""`hashlearn store push --columns`: values have the types of what the input says."""

import numpy as np
import pytest

from hashlearn.cli.store._pushing import PushedValues
from hashlearn.stores import open_store
from tests.cli.store.stored import contents, write_table

pytest.importorskip("sqlite_vec")


@pytest.fixture
def sqlite(tmp_path):
    """Return the address of the quicker engine."""
    return f"sqlite:{tmp_path / 'codes.db'}"


def test_columns_have_the_types_of_what_a_table_says(run, place, sqlite, tmp_path, monkeypatch):
    monkeypatch.setattr("hashlearn.items.csv.BLOCK_CHARACTERS", 5000)  # several blocks
    texts = {
        "year": [str(1900 + i) for i in range(200)],
        "size": ["7"] * 199 + ["0.5"],
        "seen": ["true", "False"] * 100,
        "group": ["12", ""] * 99 + ["", "none"],
    }
    words = write_table(tmp_path / "items.csv", place, **texts)
    for _ in range(2):  # the second time by the types of the table
        run("store", "push", *words, "--to", sqlite)
        with open_store(sqlite) as store:
            assert store.columns == {"year": int, "size": float, "seen": bool, "group": str}
        _, _, values = contents(sqlite)
        assert values["year"].tolist() == list(range(1900, 2100))
        assert values["size"].tolist() == [7.0] * 199 + [0.5]
        assert values["seen"].tolist() == [True, False] * 100
        assert values["group"].tolist() == texts["group"]


def test_columns_of_parquet_keep_their_types(run, place, sqlite, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {
        "digit": place.y.astype(np.int8),
        "name": place.y.astype(str),
        "odd": place.y % 2 > 0,
    }
    vectors = pyarrow.FixedSizeListArray.from_arrays(place.X.ravel(), 64)
    parquet.write_table(pyarrow.table({"v": vectors, **columns}), tmp_path / "items.parquet")
    words = ("--model", "plain.hashlearn", "--columns", "digit,name,odd", "--to", sqlite)
    run("store", "push", tmp_path / "items.parquet", *words)
    with open_store(sqlite) as store:
        assert store.columns == {"digit": int, "name": str, "odd": bool}
        assert store.count({"name": "3", "odd": True}) == (place.y == 3).sum()


@pytest.mark.parametrize("values", [["1", ""], ["1.5", "nan"]])
def test_missing_values_are_stored_as_such(run, place, tmp_path, sqlite, values):
    words = write_table(tmp_path / "items.csv", place, year=values * 100)
    run("store", "push", *words, "--to", sqlite)
    with open_store(sqlite) as store:
        assert store.count({"year": None}) == 100
        assert store.count({"year": store.columns["year"](float(values[0]))}) == 100


@pytest.mark.parametrize("name", ["a b", "code", "1st"])
def test_a_column_that_no_table_takes_is_told_before_values_are_read(
    fail, place, tmp_path, sqlite, monkeypatch, name
):
    monkeypatch.setattr(PushedValues, "read", lambda *_: pytest.fail("it was read"))
    words = write_table(tmp_path / "items.csv", place, **{name: ["x"] * 200})
    said = fail("store", "push", *words, "--to", sqlite)
    assert "column" in said
    assert repr(name) in said


def test_digits_after_a_zero_are_a_text(run, fail, place, tmp_path, sqlite):
    codes = ["1234", "01234", "0", "99"] * 50
    run("store", "push", *write_table(tmp_path / "a.csv", place, zip=codes), "--to", sqlite)
    assert contents(sqlite)[2]["zip"].tolist() == codes
    run("store", "search", sqlite, "codes.npy", "--where", "zip=01234")
    words = ("--to", sqlite, "--table", "numbers")
    run("store", "push", *write_table(tmp_path / "b.csv", place, zip=["0.5", "0"] * 100), *words)
    said = fail("store", "push", *write_table(tmp_path / "a.csv", place, zip=codes), *words)
    assert "column 'zip' must be float; got 01234." in said


def test_bars_begin_with_what_is_read_first(run, place, tmp_path, sqlite):
    words = write_table(tmp_path / "a.csv", place, year=["7"] * 200, n=list(map(str, range(200))))
    words = (*words[:-1], "year", "--ids", "n", "--progress", "--to", sqlite)
    said = run("store", "push", *words).stderr
    bars = [said.index(bar) for bar in ("Reading 'year'", "Pushing")]
    assert bars == sorted(bars)
    assert said.count("200 of about") == 2


def test_a_value_of_another_type_than_the_table_has_is_told(run, fail, place, tmp_path, sqlite):
    run("store", "push", *write_table(tmp_path / "a.csv", place, year=["7"] * 200), "--to", sqlite)
    other = write_table(tmp_path / "b.csv", place, year=["7"] * 199 + ["cat"])
    said = fail("store", "push", *other, "--to", sqlite)
    assert "column 'year' must be int; got cat." in said
