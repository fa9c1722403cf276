"""Files that cannot be what they are taken for: each is refused in one sentence with its name."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hashlearn.items import ItemLookup, open_items, read_codes, read_column, read_ids

TENSORS = pa.FixedShapeTensorArray.from_numpy_ndarray(np.ones((2, 2, 2)))


def table(**columns):
    return lambda path: parquet.write_table(pa.table(columns), path)


def text(content):
    return lambda path: path.write_bytes(content.encode())


def array(values):
    return lambda path: np.save(path, values)


def archive(**arrays):
    return lambda path: np.savez(path, **arrays)


def features(path, **chosen):
    source = open_items(path)
    list(source.blocks(source.select_features(**chosen)))


def finite(path):
    source = open_items(path)
    source.check_finite(source.join(list(source.blocks())).features, 0, source.columns)


REFUSED = [
    ("csv", text("a;b\n1;2,5\n"), features, "decimals"),
    ("csv", text("a,b\n1,\n"), features, "line 2"),
    ("csv", text("name,a\nTom,1\n"), features, "--ignore name"),
    ("csv", text("a\tb\n1 2\n"), features, "separated by"),
    ("csv", text("id,a\n1,2\n,3\n"), lambda p: read_ids(p, "id"), r"row 1 \(from 0\) has none"),
    ("csv", text("id,a\nx,2\nx,3\n"), lambda p: ItemLookup(p, "id").find(["x"]), "'x' twice"),
    ("csv", text("a,b\n1,inf\n"), finite, "inf in column 'b' of row 0"),
    ("csv", text("a,b\n1,2\n"), lambda p: open_items(p, delimiter="ab"), None),
    ("csv", text("a,b\n1,2\n"), lambda p: features(p, ignore="a,b"), "no features left"),
    ("csv", text("a,b\n1,2\n"), lambda p: features(p, features="b:a"), "from left to right"),
    ("csv", text("a,b\n1,2\n"), lambda p: features(p, n_features=3), "3 are needed"),
    ("csv", text("a,b\n1,2\n"), lambda p: ItemLookup(p).vectors([1]), "no item with the id 1"),
    ("csv", text("a,b\n1,2\n"), read_codes, "does not hold packed codes"),
    ("tsv", text("a\tb\n1\n"), features, "separated by"),
    ("parquet", text("a,b\n1,2\n"), open_items, "not a whole Parquet file"),
    ("parquet", table(v=TENSORS), features, "--ignore v"),
    ("parquet", table(v=[[[1.0]], [[2.0]]]), features, "--ignore v"),
    ("parquet", table(v=[{"a": 1.0}]), features, "--ignore v"),
    ("parquet", table(v=[[1.0], [2.0]], w=[[1.0], [2.0]]), features, "--features v"),
    ("parquet", table(v=[[1.0], [float("nan")]]), finite, r"nan in column 'v\[0\]' of row 1"),
    ("parquet", table(id=[b"a", b"b"]), read_ids, "must be numbers or text"),
    ("parquet", table(id=[1.5, 2.0]), read_ids, "or text; got 1.5"),
    ("parquet", table(id=["a", None]), read_ids, r"row 1 \(from 0\)"),
    ("parquet", table(label=[["a"], ["b"]]), read_column, "must be numbers or text"),
    ("parquet", table(x=[1.0], Label=["a"]), lambda p: read_column(p, "label"), "mean 'Label'"),
    ("npy", array(np.array(3.0)), open_items, "2-D"),
    ("npy", array(np.ones((2, 2), dtype=complex)), open_items, "real numbers"),
    ("npy", array(np.array([["a", "b"]])), open_items, "real numbers"),
    ("npy", array(np.ones((2, 3))), lambda p: features(p, features="x"), "no names"),
    ("npy", array(np.ones((2, 3))), lambda p: ItemLookup(p, [1, 2, 3]).find([1]), "3 ids"),
    ("npy", array(np.ones((2, 3))), lambda p: ItemLookup(p).values([0], ["text"]), "'text'"),
    ("npz", archive(a=np.ones((2, 2)), b=np.ones((2, 2))), open_items, "--array a"),
    ("npz", archive(a=np.ones(3)), open_items, "no 2-D array"),
    ("npz", archive(), open_items, "it has none"),
]


@pytest.mark.parametrize(("suffix", "make", "use", "said"), REFUSED)
def test_a_file_that_does_not_fit_is_refused_in_one_sentence(suffix, make, use, said, tmp_path):
    path = tmp_path / f"file.{suffix}"
    make(path)
    with pytest.raises(ValueError, match=said or "must") as caught:
        use(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    assert not message.endswith("..")
    if said is not None:
        assert repr(str(path)) in message
