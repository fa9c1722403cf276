import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.datasets._readers.files import check_file, check_finite, check_md5, row_blocks


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"<!DOCTYPE html><title>404</title>", "web page"),
        (b"\n <html>", "web page"),
    ],
)
def test_what_a_failed_download_leaves_is_refused(tmp_path, content, message):
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        check_file(path)


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(ValueError, match="not a file"):
        check_file(tmp_path)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        check_file(tmp_path / "a")


@given(n=st.integers(0, 50), block_bytes=st.integers(1, 200))
def test_blocks_make_the_whole(n, block_bytes):
    X = np.zeros((n, 3), dtype=np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hashlearn.datasets._readers.files.BLOCK_BYTES", block_bytes)
        rows = [i for block in row_blocks(X) for i in range(block.start, block.stop)]
    assert rows == list(range(n))


@given(row=st.integers(0, 19), value=st.sampled_from([np.nan, np.inf, -np.inf]))
def test_the_first_row_that_is_not_finite_is_named(row, value):
    X = np.zeros((20, 3), dtype=np.float32)
    X[row:, 1] = value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hashlearn.datasets._readers.files.BLOCK_BYTES", 40)
        with pytest.raises(ValueError, match=f"first in row {row};"):
            check_finite(X, "X")


def test_integers_are_finite():
    check_finite(np.ones((2, 2), dtype=np.uint8), "X")


def test_another_content_is_refused():
    with pytest.raises(ValueError, match="damaged or another file"):
        check_md5(b"a", "d41d8cd98f00b204e9800998ecf8427e", "nothing")
