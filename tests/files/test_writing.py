"""A file is the old one or the new one; the cache folder can be chosen."""

import os
import stat
from pathlib import Path

import pytest

from hashlearn.files import atomic_writer, cache_folder, writing


def write(path, content):
    with atomic_writer(path) as file:
        file.write(content)


def test_new_file_takes_the_place_of_the_old(tmp_path):
    path = tmp_path / "model"
    write(path, b"old")
    write(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_failure_at_any_step_leaves_the_old_file_and_nothing_else(
    tmp_path, monkeypatch, error, step
):
    def fail(*args):
        raise error("stopped")

    path = tmp_path / "model"
    write(path, b"old")
    if step != "write":
        monkeypatch.setattr(writing.os, step, fail)
    with pytest.raises(error), atomic_writer(path) as file:  # noqa: PT012
        file.write(b"half")
        if step == "write":
            fail()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model"]


def test_permissions_are_those_of_the_old_file_or_of_any_new_file(tmp_path):
    ordinary, path = tmp_path / "ordinary", tmp_path / "model"
    ordinary.touch()
    write(path, b"new")
    assert path.stat().st_mode == ordinary.stat().st_mode
    path.chmod(0o640)
    write(path, b"newer")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_symbolic_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.touch()
    link.symlink_to(target)
    write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no_folder'$"):
        write(tmp_path / "no_folder" / "model", b"")


def test_only_a_regular_file_is_replaced(tmp_path):
    """As root, saving to a device once replaced the device."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FileExistsError, match="not a regular file"), atomic_writer(pipe):
        pass
    assert pipe.is_fifo()
    with pytest.raises(IsADirectoryError), atomic_writer(tmp_path):
        pass


@pytest.mark.parametrize(
    ("variable", "expected"), [("HASHLEARN_CACHE", "x"), ("XDG_CACHE_HOME", "x/hashlearn")]
)
def test_the_cache_folder_can_be_chosen(monkeypatch, variable, expected):
    monkeypatch.delenv("HASHLEARN_CACHE", raising=False)
    monkeypatch.setenv(variable, "x")
    assert cache_folder() == Path(expected)
