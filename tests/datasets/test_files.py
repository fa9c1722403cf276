from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.datasets._files import (
    check_file,
    check_finite,
    check_md5,
    data_folders,
    find_file,
    missing,
    row_blocks,
)


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
        patch.setattr("hashlearn.datasets._files.BLOCK_BYTES", block_bytes)
        rows = [i for block in row_blocks(X) for i in range(block.start, block.stop)]
    assert rows == list(range(n))


@given(row=st.integers(0, 19), value=st.sampled_from([np.nan, np.inf, -np.inf]))
def test_the_first_row_that_is_not_finite_is_named(row, value):
    X = np.zeros((20, 3), dtype=np.float32)
    X[row:, 1] = value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hashlearn.datasets._files.BLOCK_BYTES", 40)
        with pytest.raises(ValueError, match=f"first in row {row};"):
            check_finite(X, "X")


def test_integers_are_finite():
    check_finite(np.ones((2, 2), dtype=np.uint8), "X")


def test_another_content_is_refused():
    with pytest.raises(ValueError, match="damaged or another file"):
        check_md5(b"a", "d41d8cd98f00b204e9800998ecf8427e", "nothing")


def test_folders_are_searched_in_order(monkeypatch, tmp_path):
    for number, variable in enumerate(("HASHLEARN_DATA", "SCIKIT_LEARN_DATA")):
        monkeypatch.setenv(variable, str(tmp_path / str(number)))
    order = [tmp_path / "first", tmp_path / "0", tmp_path / "1"]
    assert data_folders(tmp_path / "first") == order
    for folder in order:
        folder.mkdir()
    for folder in reversed(order):
        (folder / "a").touch()
        assert find_file(["a"], [], tmp_path / "first") == folder / "a"


def test_a_search_creates_no_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    assert find_file(["a"], ["b"], tmp_path / "given") is None
    assert not list(tmp_path.iterdir())


def test_the_home_folder_may_be_a_tilde():
    assert data_folders("~/sets")[0] == Path.home() / "sets"


def test_an_empty_variable_is_ignored(monkeypatch):
    monkeypatch.setenv("HASHLEARN_DATA", "")
    assert len(data_folders()) == 1


def test_the_folder_itself_comes_before_its_subfolders(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a").touch()
    assert find_file(["a"], ["sub"], tmp_path) == tmp_path / "sub" / "a"
    (tmp_path / "a").touch()
    assert find_file(["a"], ["sub"], tmp_path) == tmp_path / "a"


def test_the_error_names_files_and_all_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("HASHLEARN_DATA", str(tmp_path / "variable"))
    message = str(missing("mnist", ["a.gz", "b.gz"], tmp_path / "given", why="No network."))
    assert "a.gz, b.gz" in message
    assert all(repr(str(folder)) in message for folder in data_folders(tmp_path / "given"))
    assert message.endswith("No network.")
