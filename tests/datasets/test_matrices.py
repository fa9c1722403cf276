import os

import numpy as np
import pytest
import scipy.io
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from hashlearn.datasets import load_dataset
from hashlearn.datasets._matrices import VECS, convert_mat, map_matrix, map_vecs
from hashlearn.files import cache_folder
from tests.datasets.mat_files import WRITERS

X = np.random.default_rng(0).random((30, 4))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.uint8, np.int32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_of_numbers_is_mapped(tmp_path, dtype, order):
    expected = np.asarray(X * 200, dtype=dtype, order=order)
    np.save(tmp_path / "a.npy", expected)
    found = load_dataset(tmp_path / "a.npy")
    assert isinstance(found.X, np.memmap)
    assert found.X.dtype == dtype
    np.testing.assert_array_equal(found.X, expected)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(3), "2-D"),
        (np.zeros((0, 3)), "no items"),
        (np.array([["a"]]), "real numbers"),
        (np.array([[None]]), "Python objects"),
        (np.array([[1.0], [np.inf]]), "first in row 1"),
    ],
)
def test_another_array_is_refused(tmp_path, array, message):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ValueError, match=message):
        map_matrix(tmp_path / "a.npy")


@given(cut=st.integers(1, 1000))
def test_an_array_that_was_cut_is_refused(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("npy") / "a.npy"
    np.save(path, X)
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(ValueError, match=r"truncated|not a whole"):
        map_matrix(path)


@pytest.mark.parametrize("name", ["a.npy", "a.mat", "a.fvecs", "a.npz"])
def test_a_web_page_or_a_folder_under_the_name_is_refused(tmp_path, name):
    (tmp_path / name).write_text("<!doctype html>")
    with pytest.raises(ValueError, match="web page"):
        load_dataset(tmp_path / name)
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    with pytest.raises(ValueError, match="not a file"):
        load_dataset(tmp_path / name)


@pytest.mark.parametrize("version", WRITERS)
@pytest.mark.parametrize("block_bytes", [1, 100, 2**20])
def test_a_matlab_matrix_is_converted_once_and_mapped(tmp_path, monkeypatch, version, block_bytes):
    monkeypatch.setattr("hashlearn.datasets._files.BLOCK_BYTES", block_bytes)
    WRITERS[version](tmp_path / "a.mat", {"x": X, "labels": np.zeros((30, 1))})
    found = map_matrix(tmp_path / "a.mat")
    assert isinstance(found, np.memmap)
    np.testing.assert_array_equal(found, X)
    (converted,) = tmp_path.glob("*.npy")
    written = converted.stat().st_mtime_ns
    np.testing.assert_array_equal(map_matrix(tmp_path / "a.mat"), X)
    assert converted.stat().st_mtime_ns == written


def test_a_changed_matlab_file_is_converted_again(tmp_path):
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, {"x": X})
    map_matrix(path)
    scipy.io.savemat(path, {"x": X + 1})
    os.utime(path, ns=(1, 1))
    np.testing.assert_array_equal(map_matrix(path), X + 1)


def test_where_the_folder_is_read_only_the_cache_is_used(tmp_path, monkeypatch):
    scipy.io.savemat(tmp_path / "a.mat", {"x": X})
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path and allowed(path, mode))
    np.testing.assert_array_equal(map_matrix(tmp_path / "a.mat"), X)
    assert not list(tmp_path.glob("*.npy"))
    assert len(list(cache_folder().iterdir())) == 1


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError("disk is full")])
def test_a_stopped_conversion_leaves_no_file(tmp_path, monkeypatch, stop):
    scipy.io.savemat(tmp_path / "a.mat", {"x": X})

    def fail(rows):
        raise stop

    monkeypatch.setattr(np, "ascontiguousarray", fail)
    with pytest.raises((KeyboardInterrupt, OSError)):
        convert_mat(tmp_path / "a.mat")
    assert [path.name for path in tmp_path.iterdir()] == ["a.mat"]


def test_a_sparse_matrix_is_refused(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"x": sparse.random_array((5, 5), density=0.5, rng=0)})
    with pytest.raises(ValueError, match="features must be dense"):
        map_matrix(tmp_path / "a.mat")


def write_vecs(path, X):
    heads = np.full((len(X), 1), X.shape[1], dtype="<i4")
    path.write_bytes(np.concatenate([heads.view(np.uint8), X.view(np.uint8)], axis=1).tobytes())


def random_rows(suffix, n_items, n_features, seed):
    rng = np.random.default_rng(seed)
    return (rng.random((n_items, n_features)) * 255).astype(VECS[suffix])


@pytest.mark.parametrize("suffix", VECS)
@given(n_items=st.integers(1, 20), n_features=st.integers(1, 9), seed=st.integers(0, 99))
def test_vectors_that_were_written_are_mapped(tmp_path_factory, suffix, n_items, n_features, seed):
    path = tmp_path_factory.mktemp("vecs") / f"a{suffix}"
    X = random_rows(suffix, n_items, n_features, seed)
    write_vecs(path, X)
    found = map_vecs(path)
    assert isinstance(found, np.memmap)
    assert found.dtype == X.dtype
    np.testing.assert_array_equal(found, X)


@pytest.mark.parametrize("suffix", VECS)
@given(cut=st.integers(1, 59))
def test_vectors_that_were_cut_inside_a_row_are_refused(tmp_path_factory, suffix, cut):
    path = tmp_path_factory.mktemp("vecs") / f"a{suffix}"
    write_vecs(path, random_rows(suffix, 5, 15 if suffix == ".fvecs" else 60, 0))
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(ValueError, match=r"truncated or not a \.[fb]vecs file"):
        map_vecs(path)


@pytest.mark.parametrize("head", [0, -1, 2**30])
def test_a_file_that_does_not_hold_vectors_is_refused(tmp_path, head):
    path = tmp_path / "a.fvecs"
    path.write_bytes(np.array([head, 1, 2, 3], dtype="<i4").tobytes())
    with pytest.raises(ValueError, match="starts with the length"):
        map_vecs(path)


def test_a_vector_of_another_length_is_named(tmp_path):
    path = tmp_path / "a.fvecs"
    write_vecs(path, random_rows(".fvecs", 9, 3, 0))
    content = bytearray(path.read_bytes())
    content[16 * 7] = 2
    path.write_bytes(content)
    with pytest.raises(ValueError, match="3 values in row 0 and 2 in row 7"):
        map_vecs(path)
