"""Items in .npy files."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.items import base, map_array, npy, open_items, read_column
from tests.items.item_files import read


@given(
    n=st.integers(0, 30),
    n_features=st.integers(1, 5),
    order=st.sampled_from("CF"),
    dtype=st.sampled_from(["<f4", ">f4", "<f8", ">f8", ">i4", "u1"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_rows_of_any_layout_are_those_of_the_array(
    n, n_features, order, dtype, seed, tmp_path_factory
):
    random = np.random.default_rng(seed)
    X = np.asarray(random.integers(0, 200, size=(n, n_features)), dtype=dtype, order=order)
    path = tmp_path_factory.mktemp("npy") / "X.npy"
    np.save(path, X)
    positions = np.flatnonzero(random.random(n) < random.random())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "BLOCK_BYTES", 50)
        source = open_items(path)
        np.testing.assert_array_equal(read(source).features, X)
        block = source.rows(positions)
    np.testing.assert_array_equal(block.features, X[positions])
    assert block.features.dtype.isnative
    np.testing.assert_array_equal(read_column(path), X)
    np.testing.assert_array_equal(map_array(path), X)


def test_rows_read_nothing_but_the_rows(tmp_path, monkeypatch):
    X = np.arange(4000.0).reshape(1000, 4)
    np.save(tmp_path / "X.npy", X)
    n_read = []

    def count(file, array, name, read_into=npy.read_into):
        n_read.append(array.size)
        read_into(file, array, name)

    monkeypatch.setattr(npy, "read_into", count)
    positions = np.array([0, 3, 4, 5, 999])
    block = open_items(tmp_path / "X.npy").rows(positions)
    np.testing.assert_array_equal(block.features, X[positions])
    assert n_read == [4, 12, 4]


@pytest.mark.parametrize(
    ("array", "problem"),
    [
        (np.array([[1, None]], dtype=object), "holds Python objects"),
        (np.zeros((2, 2), dtype=complex), "type complex128; features must be real numbers"),
        (np.array([["a", "b"]]), "type <U1; features must be real numbers"),
        (np.zeros((2, 2), dtype=[("a", "f4")]), "features must be real numbers"),
        (np.zeros((2, 2), dtype="M8[s]"), "features must be real numbers"),
        (np.zeros(3), r"shape \(3,\); it must be a 2-D array"),
        (np.zeros((2, 2, 2)), r"shape \(2, 2, 2\); it must be"),
        (np.float64(3), r"shape \(\); it must be"),
        (np.zeros((3, 0)), r"shape \(3, 0\); it must be"),
    ],
)
def test_arrays_that_are_not_items_are_refused(array, problem, tmp_path):
    np.save(tmp_path / "X.npy", array, allow_pickle=True)
    with pytest.raises(ValueError, match=problem):
        open_items(tmp_path / "X.npy")


@pytest.mark.parametrize("shape", ["(-1, 4)", "(10**30, 4)", "(1000000000000, 4)", "(2, 4, )"])
def test_shape_that_the_file_cannot_hold_is_refused(shape, tmp_path):
    np.save(tmp_path / "X.npy", np.zeros((1, 4)))
    content = (tmp_path / "X.npy").read_bytes()
    changed = content.replace(b"(1, 4), }".ljust(len(shape) + 3), f"{shape}, }}".encode())
    assert changed != content
    (tmp_path / "X.npy").write_bytes(changed)
    for read_in in (open_items, map_array):
        with pytest.raises(
            ValueError, match=r"X\.npy' is (not a whole array|truncated or damaged)"
        ):
            read_in(tmp_path / "X.npy")


@pytest.mark.parametrize("labels", [[3, 1], ["cat", "dog"], [True, False], [[0, 1], [1, 1]]])
def test_column_is_the_array(labels, tmp_path):
    np.save(tmp_path / "y.npy", labels)
    np.testing.assert_array_equal(read_column(tmp_path / "y.npy"), labels)


def test_bytes_become_text(tmp_path):
    np.save(tmp_path / "y.npy", np.array([b"cat", b"dog"]))
    np.testing.assert_array_equal(read_column(tmp_path / "y.npy"), ["cat", "dog"])
    np.save(tmp_path / "y.npy", np.array([b"cat", b"\xff"]))
    with pytest.raises(ValueError, match=r"y\.npy' holds bytes that are not text"):
        read_column(tmp_path / "y.npy")


def test_column_of_objects_or_with_a_name_is_refused(tmp_path):
    np.save(tmp_path / "y.npy", np.array([1, "a"], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="holds Python objects"):
        read_column(tmp_path / "y.npy")
    np.save(tmp_path / "y.npy", [1, 2])
    with pytest.raises(ValueError, match="one array without a name; 'label' is not in it"):
        read_column(tmp_path / "y.npy", "label")
