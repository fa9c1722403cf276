import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from hashlearn.datasets._mat5 import HEADER_BYTES, list_variables, read_variable
from hashlearn.datasets._matlab import open_mat

NUMBERS = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]

# Written by several versions of MATLAB on several machines; scipy may come without its tests.
KINDS = ("double", "matrix", "3dmatrix", "minus", "multi", "sparse", "bool")
FROM_MATLAB = [
    path
    for kind in KINDS
    for path in sorted(Path(scipy.io.__file__).parent.glob(f"matlab/tests/data/test{kind}_*.mat"))
    if path.read_bytes().startswith(b"MATLAB 5.0")
]


def read_all(path):
    return {variable.name: read_variable(path, variable) for variable in list_variables(path)}


@given(
    array=st.sampled_from(NUMBERS).flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=2, max_dims=4, min_side=0))
    ),
    compressed=st.booleans(),
    name=st.from_regex("[a-z]{1,20}", fullmatch=True),
)
def test_what_scipy_writes_is_read(tmp_path_factory, array, compressed, name):
    path = tmp_path_factory.mktemp("mat") / "a.mat"
    scipy.io.savemat(path, {name: array, "zz_text": "abc"}, do_compression=compressed)
    found = read_all(path)
    assert list(found) == [name]
    assert found[name].dtype == array.dtype
    np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("path", FROM_MATLAB, ids=lambda path: path.stem)
def test_what_matlab_writes_is_read_as_scipy_reads_it(path):
    for name, found in read_all(path).items():
        expected = scipy.io.loadmat(path)[name]
        if sparse.issparse(expected):
            found, expected = found.toarray(), expected.toarray()
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("compressed", [False, True])
@given(shape=st.tuples(st.integers(1, 9), st.integers(1, 9)), density=st.floats(0, 1))
def test_a_sparse_matrix_is_read(tmp_path_factory, compressed, shape, density):
    path = tmp_path_factory.mktemp("mat") / "a.mat"
    x = sparse.random_array(shape, density=density, rng=0)
    scipy.io.savemat(path, {"x": x}, do_compression=compressed)
    np.testing.assert_array_equal(read_all(path)["x"].toarray(), x.toarray())


def element(kind, data, order):
    size = np.array([kind, len(data)], dtype=order + "u4").tobytes()
    return size + data + bytes(-len(data) % 8)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("compressed", [False, True])
def test_doubles_that_matlab_stores_as_bytes_are_doubles(tmp_path, order, compressed):
    mark = b"IM" if order == "<" else b"MI"
    word = np.dtype(order + "u4")
    content = b"".join(
        [
            element(6, np.array([6, 0], dtype=word).tobytes(), order),
            element(5, np.array([2, 3], dtype=word).tobytes(), order),
            # A name of up to four letters stands in the tag itself.
            np.array([(1 << 16) | 1], dtype=word).tobytes() + b"x\0\0\0",
            element(2, bytes([1, 2, 3, 4, 5, 6]), order),
        ]
    )
    variable = element(14, content, order)
    if compressed:
        packed = zlib.compress(variable)
        variable = np.array([15, len(packed)], dtype=word).tobytes() + packed
    path = tmp_path / "a.mat"
    path.write_bytes(b"MATLAB 5.0 MAT-file".ljust(126) + mark + variable)
    found = read_all(path)["x"]
    assert found.dtype == np.float64
    assert found.tolist() == [[1, 3, 5], [2, 4, 6]]


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@given(seed=st.integers(0, 10**6))
def test_a_damaged_file_is_a_value_error_or_numbers(tmp_path_factory, compressed, kind, seed):
    rng = np.random.default_rng(seed)
    path = tmp_path_factory.mktemp("mat") / "a.mat"
    x = np.arange(30.0).reshape(6, 5)
    scipy.io.savemat(
        path, {"x": sparse.csc_array(x) if kind == "sparse" else x}, do_compression=compressed
    )
    content = bytearray(path.read_bytes())
    for _ in range(rng.integers(1, 4)):
        content[rng.integers(HEADER_BYTES - 2, len(content))] = rng.integers(256)
    path.write_bytes(content)
    with suppress(ValueError):
        mat = open_mat(path)
        for name in mat.shapes:
            mat.read(name)


@pytest.mark.parametrize("kind", [0, 14, 255])
def test_an_unknown_type_of_values_is_refused(tmp_path, kind):
    """Here scipy.io.loadmat 1.17 ends the interpreter with a segmentation fault."""
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, {"x": np.arange(30.0).reshape(6, 5)})
    content = bytearray(path.read_bytes())
    assert content[176] == 9  # the type of the values: double
    content[176] = kind
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"cannot be read: an element has the type {kind} "):
        open_mat(path).read("x")


def test_a_damaged_compressed_variable_is_noticed(tmp_path):
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, {"x": np.random.default_rng(0).random((50, 50))}, do_compression=True)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1  # of the sum
    path.write_bytes(content)
    with pytest.raises(ValueError, match="cannot be read"):
        open_mat(path).read("x")
