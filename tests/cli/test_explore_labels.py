"""What `hashlearn explore --labels` takes: columns of the items, files, and columns of files."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hashlearn.cli.explore._labels import GivenLabels
from hashlearn.items import open_items

SMALL, LARGE = np.array([1, 1, 0, 0]), np.array([0, 1, 1, 0])
DIGITS = ["2", "4", "7", "4"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in a folder with the same labels in every kind of file."""
    monkeypatch.chdir(tmp_path)
    flags = np.column_stack([SMALL, LARGE])
    rows = [f"{a},{b}" for a, b in flags.tolist()]
    (tmp_path / "flags.csv").write_text("\n".join(["small,large", *rows]))
    beside = [f"{row},{digit}" for row, digit in zip(rows, DIGITS, strict=True)]
    (tmp_path / "table.csv").write_text("\n".join(["small,large,digit", *beside]))
    (tmp_path / "one.csv").write_text("\n".join(["digit", *DIGITS]))
    np.save(tmp_path / "flags.npy", flags)
    np.savez(tmp_path / "flags.npz", flags=flags)
    np.savez(tmp_path / "apart.npz", small=SMALL, large=LARGE, few=SMALL[:3])
    table = pa.table({"small": SMALL == 1, "large": LARGE.astype(float)})
    pq.write_table(table, tmp_path / "flags.parquet")
    (tmp_path / "a:b.csv").write_text("c:d,e\n" + "\n".join(rows))
    np.save(tmp_path / "items.npy", np.zeros((4, 3)))
    np.save(tmp_path / "more.npy", np.zeros((5, 3)))
    (tmp_path / "items.csv").write_text("x,digit,even\n0.5,2,1\n1.5,4,1\n2.5,7,0\n3.5,4,1\n")


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("flags.csv", ("small", "large")),
        ("flags.csv:large,small", ("large", "small")),
        ("table.csv:small,large", ("small", "large")),
        ("flags.parquet", ("small", "large")),
        ("apart.npz:large,small", ("large", "small")),
        ("flags.npy", None),
        ("flags.npz", None),
        ("flags.npz:flags", None),
    ],
)
@pytest.mark.parametrize("items", [None, "items.npy", "items.csv"])
def test_zeros_and_ones_are_several_labels_each(given, names, items):
    source = None if items is None else open_items(items)
    labels = GivenLabels(given, source)
    values, called = labels.read()
    columns = [LARGE, SMALL] if names == ("large", "small") else [SMALL, LARGE]
    assert np.array_equal(values, np.column_stack(columns))
    assert (called, labels.columns) == (names, ())


@pytest.mark.parametrize("given", ["one.csv", "one.csv:digit", "table.csv:digit"])
def test_one_column_is_one_label_each(given):
    values, names = GivenLabels(given).read()
    assert (values.tolist(), names) == ([2, 4, 7, 4], None)


def test_files_and_columns_may_have_colons():
    assert GivenLabels("a:b.csv:c:d").read().values.tolist() == SMALL.tolist()


def test_a_column_of_the_items_is_no_feature():
    labels = GivenLabels("digit", open_items("items.csv"))
    assert (labels.columns, labels.read().values.tolist()) == (("digit",), [2, 4, 7, 4])


@pytest.mark.parametrize(
    ("given", "items", "sentence"),
    [
        ("missing.npy", None, "--labels missing.npy is not a file: with --index it must be FILE"),
        ("digit", None, "--labels digit is not a file: with --index it must be FILE"),
        ("", None, "is not a file"),
        ("digit", "items.npy", "--labels digit is not a file, and 'items.npy' is one array"),
        ("table.csv", None, "other values than 0 and 1 in 'digit'.* --labels table.csv:digit"),
        ("even,digit", "items.csv", "other values than 0 and 1 in 'digit'"),
        ("flags.csv:cat", None, "has no column 'cat'"),
        ("flags.csv:", None, "has no column ''"),
        ("flags.npy:cat", None, "'cat' is not in it"),
        ("apart.npz", None, "has several arrays; name one of 'small', 'large', 'few'"),
        ("apart.npz:small,few", None, r"has the shape \(4,\) in 'small' and \(3,\) in 'few'"),
        ("flags.npy", "more.npy", "--labels flags.npy has 4 values for 5 items"),
    ],
)
def test_what_is_not_taken_is_one_sentence(given, items, sentence):
    source = None if items is None else open_items(items)
    with pytest.raises(ValueError, match=sentence):
        GivenLabels(given, source).read()
