import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hashlearn.datasets.idx import idx_header, read_idx

ARRAY = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
CONTENT = idx_header(ARRAY.shape) + ARRAY.tobytes()


@given(
    array=arrays.arrays(np.uint8, arrays.array_shapes(max_dims=3)),
    pack=st.sampled_from([bytes, gzip.compress]),
)
def test_what_was_written_is_read(tmp_path_factory, array, pack):
    path = tmp_path_factory.mktemp("idx") / "a"
    path.write_bytes(pack(idx_header(array.shape) + array.tobytes()))
    content, found = read_idx(path, array.shape)
    np.testing.assert_array_equal(found, array)
    assert content == idx_header(array.shape) + array.tobytes()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\0\0\x08\x01" + CONTENT[4:], "starts with 00000801"),
        (b"PK\x03\x04 something else", "starts with 504b0304"),
        (CONTENT[:10], "shape"),
        (CONTENT[:-1], "does not end where it should"),
        (CONTENT + b"\0", "does not end where it should"),
        (idx_header((3, 3, 4)) + bytes(36), r"shape \(3, 3, 4\); it should be \(2, 3, 4\)"),
    ],
)
def test_another_file_is_refused_in_one_sentence(tmp_path, pack, content, message):
    path = tmp_path / "a"
    path.write_bytes(pack(content))
    with pytest.raises(ValueError, match=message) as caught:
        read_idx(path, ARRAY.shape)
    assert repr(str(path)) in str(caught.value)


@given(cut=st.integers(3, len(gzip.compress(CONTENT)) - 1))
def test_a_gzip_file_that_was_cut_is_refused(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("idx") / "a.gz"
    path.write_bytes(gzip.compress(CONTENT)[:cut])
    with pytest.raises(ValueError, match="cut short or damaged"):
        read_idx(path, ARRAY.shape)


def test_a_gzip_bomb_is_not_unpacked(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(CONTENT + bytes(10**7)))
    with pytest.raises(ValueError, match="does not end"):
        read_idx(path, ARRAY.shape)
