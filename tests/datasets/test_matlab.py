import sys

import numpy as np
import pytest
import scipy.io
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from hashlearn.datasets._matlab import HDF5, open_mat
from tests.datasets.mat_files import WRITERS

ARRAYS = {
    "gist": np.arange(12, dtype=np.float32).reshape(4, 3),
    "img": np.arange(96, dtype=np.uint8).reshape(2, 4, 3, 4),
    "labels": np.arange(4.0)[:, None],
}


def read_matrix(path):
    mat = open_mat(path)
    return mat.read(mat.only_matrix())


@pytest.mark.parametrize("version", WRITERS)
def test_what_was_written_is_read(tmp_path, version):
    WRITERS[version](tmp_path / "a.mat", ARRAYS)
    mat = open_mat(tmp_path / "a.mat")
    assert mat.shapes == {name: array.shape for name, array in ARRAYS.items()}
    assert mat.only_matrix() == "gist"
    for name, array in ARRAYS.items():
        found = mat.read(name)
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)
    with mat.open("gist") as rows:
        np.testing.assert_array_equal(rows[1:3], ARRAYS["gist"][1:3])


def test_text_and_cells_are_not_numbers(tmp_path):
    values = {"text": "abc", "cell": np.array([1, "a"], dtype=object), "x": np.eye(2)}
    scipy.io.savemat(tmp_path / "a.mat", values)
    mat = open_mat(tmp_path / "a.mat")
    assert list(mat.shapes) == ["x"]
    with pytest.raises(ValueError, match="no array of numbers 'text'; it has 'x'"):
        mat.check_names("text")


def test_complex_numbers_are_refused(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"x": np.eye(2) * 1j})
    with pytest.raises(ValueError, match="complex numbers; they must be real"):
        open_mat(tmp_path / "a.mat").read("x")


def test_a_sparse_variable_is_read_as_such(tmp_path):
    x = sparse.random_array((5, 5), density=0.3, rng=0)
    scipy.io.savemat(tmp_path / "a.mat", {"x": x})
    found = open_mat(tmp_path / "a.mat").read("x")
    np.testing.assert_array_equal(found.toarray(), x.toarray())


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.eye(3), "b": np.eye(2)}, "it has 'a', 'b'"),
        ({"a": np.zeros((3, 1))}, "it has none"),
    ],
)
def test_which_matrix_is_meant_must_be_clear(tmp_path, arrays, message):
    scipy.io.savemat(tmp_path / "a.mat", arrays)
    with pytest.raises(ValueError, match=message):
        open_mat(tmp_path / "a.mat").only_matrix()


def test_a_foreign_file_is_refused(tmp_path):
    (tmp_path / "a.mat").write_bytes(b"\x00\x01\x02 something else")
    with pytest.raises(ValueError, match=r"must start with 'MATLAB 5\.0"):
        open_mat(tmp_path / "a.mat")


@pytest.mark.parametrize("version", WRITERS)
@given(share=st.floats(0.05, 0.95))
def test_a_file_that_was_cut_is_refused(tmp_path_factory, version, share):
    path = tmp_path_factory.mktemp("mat") / "a.mat"
    x = np.random.default_rng(0).random((40, 30))
    WRITERS[version](path, {"x": x})
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(ValueError, match=r"cannot be read|must hold|must start"):
        read_matrix(path)


def test_the_newest_version_asks_for_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    (tmp_path / "a.mat").write_bytes(b"MATLAB 7.3 MAT-file".ljust(512) + HDF5)
    with pytest.raises(ImportError, match=r"pip install 'hashlearn\[matlab\]'"):
        open_mat(tmp_path / "a.mat")
