"""Tensor files: arrays come back as they were, from the disk or in memory."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors import safe_open

from hashlearn._numerics import arrays
from hashlearn._version import __version__
from hashlearn.files import FileFormatError, FileInfo, file_info, save_model
from hashlearn.files._tensor_file import FORMATS, INDEX, MODEL, read_tensors, write_tensors
from tests.files.storable_parts import Machine, dtypes, shapes
from tests.files.tensor_file_parts import Parts, header_end

tensors_of_any_kind = st.dictionaries(st.text(min_size=1), hnp.arrays(dtypes, shapes), max_size=4)
contents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
many_files = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tensors"


@given(tensors=tensors_of_any_kind, content=contents, mmap=st.booleans())
@many_files
def test_arrays_and_content_come_back(path, tensors, content, mmap):
    write_tensors(path, INDEX, content, tensors)
    document, loaded = read_tensors(path, INDEX, mmap=mmap, verify=True)
    assert document["content"] == content
    assert loaded.keys() == tensors.keys()
    for name, array in tensors.items():
        assert loaded[name].dtype == array.dtype.newbyteorder("=")
        assert loaded[name].shape == array.shape
        assert loaded[name].tobytes() == array.astype(loaded[name].dtype).tobytes()


@given(tensors=tensors_of_any_kind)
@many_files
def test_safetensors_reads_the_file(path, tensors):
    write_tensors(path, INDEX, None, tensors)
    with safe_open(path, framework="np") as file:
        assert set(file.keys()) == tensors.keys()
        for name, array in tensors.items():
            np.testing.assert_array_equal(file.get_tensor(name), array)


@given(tensors=tensors_of_any_kind, mmap=st.booleans())
@many_files
def test_arrays_are_aligned_and_writable_unless_mapped(path, tensors, mmap):
    write_tensors(path, INDEX, None, tensors)
    for array in read_tensors(path, INDEX, mmap=mmap, verify=False)[1].values():
        assert array.flags.aligned
        assert array.flags.c_contiguous
        assert array.flags.writeable == (not mmap)
        assert isinstance(array, np.memmap) == (mmap and array.size > 0)


@given(
    shape=hnp.array_shapes(max_dims=3, max_side=9),
    steps=st.lists(st.sampled_from([1, 2, -1, -3]), min_size=3, max_size=3),
    block_bytes=st.integers(2, 200),
)
@many_files
def test_blocks_of_any_size_write_any_layout(path, shape, steps, block_bytes):
    array = np.arange(np.prod(shape), dtype=np.int16).reshape(shape)
    view = array[tuple(slice(None, None, step) for step in steps[: array.ndim])].T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "BLOCK_BYTES", block_bytes)
        write_tensors(path, INDEX, None, {"view": view})
    _, tensors = read_tensors(path, INDEX, mmap=False, verify=True)
    np.testing.assert_array_equal(tensors["view"], view)


def test_mapped_file_can_be_saved_over_itself(path):
    write_tensors(path, INDEX, 1, {"a": np.arange(9)})
    _, tensors = read_tensors(path, INDEX, mmap=True, verify=False)
    write_tensors(path, INDEX, 2, {"a": tensors["a"][::-1]})
    document, again = read_tensors(path, INDEX, mmap=True, verify=True)
    assert document["content"] == 2
    assert again["a"].tolist() == tensors["a"][::-1].tolist() == list(range(8, -1, -1))


def test_opening_reads_the_header_only(path):
    """The arrays are a hole in the file, larger than any memory."""
    write_tensors(path, INDEX, None, {"a": np.zeros(1, dtype=np.uint8)})
    parts = Parts.of(path.read_bytes())
    size = 1 << 42
    parts.entries["a"] = {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}
    parts.document["tensors"] = parts.entries
    parts.seal()
    content = parts.join()
    path.write_bytes(content)
    os.truncate(path, header_end(content) + size)
    _, tensors = read_tensors(path, INDEX, mmap=True, verify=False)
    assert tensors["a"].shape == (size,)
    assert tensors["a"][-1] == 0


@pytest.mark.parametrize("mmap", [False, True])
def test_changed_array_is_found_by_its_checksum_only(path, mmap):
    write_tensors(path, INDEX, None, {"a": np.arange(9), "b": np.arange(9)})
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    read_tensors(path, INDEX, mmap=mmap, verify=False)
    with pytest.raises(FileFormatError, match="the checksum of 'b' does not match"):
        read_tensors(path, INDEX, mmap=mmap, verify=True)


def swap_places(parts):
    a, b = parts.entries["a"], parts.entries["b"]
    a["data_offsets"], b["data_offsets"] = b["data_offsets"], a["data_offsets"]


def swap_names(parts):
    parts.entries["a"], parts.entries["b"] = parts.entries["b"], parts.entries["a"]


def reshape(parts):
    parts.entries["a"]["shape"] = [1, 9]


def rename(parts):
    parts.entries["c"] = parts.entries.pop("a")


def take_for_floats(parts):
    parts.entries["a"]["dtype"] = "F64"


@pytest.mark.parametrize("edit", [swap_places, swap_names, reshape, rename, take_for_floats])
def test_header_that_does_not_fit_the_document_is_refused_without_verifying(path, edit):
    write_tensors(path, INDEX, None, {"a": np.arange(9), "b": np.arange(9)})
    parts = Parts.of(path.read_bytes())
    edit(parts)
    path.write_bytes(parts.join())
    with pytest.raises(FileFormatError, match="not those of its document"):
        read_tensors(path, INDEX, mmap=True, verify=False)


def test_array_that_is_not_aligned_is_refused(path):
    write_tensors(path, INDEX, None, {"a": np.arange(1), "b": np.zeros(4, dtype=np.uint8)})
    parts = Parts.of(path.read_bytes())
    parts.entries["b"]["data_offsets"], parts.entries["a"]["data_offsets"] = [0, 4], [4, 12]
    parts.seal_arrays()
    path.write_bytes(parts.join())
    with pytest.raises(FileFormatError, match="offsets do not match their sizes"):
        read_tensors(path, INDEX, mmap=True, verify=False)


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_info_of_a_file_is_told_even_if_its_arrays_are_gone(path, format):
    write_tensors(path, format, None, {"a": np.ones(5)})
    assert file_info(path) == FileInfo(format.noun, format.version, __version__)
    path.write_bytes(path.read_bytes()[:-1])
    assert file_info(path) == FileInfo(format.noun, format.version, __version__)


def test_info_of_a_file_with_a_damaged_document_is_its_kind_alone(path):
    write_tensors(path, INDEX, None, {})
    path.write_bytes(path.read_bytes().replace(b"format_version", b"format version"))
    assert file_info(path) == FileInfo("index")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x02" + bytes(7) + b"{}", bytes(9)])
def test_other_files_have_no_info(path, content):
    path.write_bytes(content)
    assert file_info(path) is None


def test_other_format_is_named_with_its_reader(path):
    save_model(Machine(), path)
    with pytest.raises(
        FileFormatError, match=r"hashlearn model, not an index; hashlearn\.load reads it\.$"
    ):
        read_tensors(path, INDEX, mmap=True, verify=False)
    write_tensors(path, INDEX, None, {})
    with pytest.raises(
        FileFormatError, match=r"hashlearn index, not a model; HammingIndex\.load reads it"
    ):
        read_tensors(path, MODEL, mmap=True, verify=False)


@pytest.mark.parametrize("read", [file_info, lambda p: read_tensors(p, INDEX, mmap=1, verify=1)])
def test_missing_file_and_folder_are_errors_of_the_system(path, read):
    with pytest.raises(FileNotFoundError, match="tensors"):
        read(path)
    with pytest.raises(IsADirectoryError):
        read(path.parent)


def test_header_with_a_size_beyond_all_numbers_is_refused(path):
    path.write_bytes(b"\xff" * 8 + b"{}")
    with pytest.raises(FileFormatError, match="truncated, or not one"):
        read_tensors(path, INDEX, mmap=True, verify=False)
