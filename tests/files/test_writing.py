"""A file is the old one or the new one; the cache folder can be chosen."""

import errno
import os
import re
import signal
import stat
import time
from pathlib import Path

import pytest

from hashlearn.files import atomic_writer, cache_folder, writing
from tests.processes import speaking


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


def write_and_wait(path):
    with atomic_writer(path) as file:
        file.write(b"half")
        file.flush()
        print("written", flush=True)
        signal.pause()


def half_files(folder):
    return [name for name in os.listdir(folder) if name.startswith(".hashlearn-")]


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    """A half index of some gigabytes once stayed for ever."""
    with speaking(write_and_wait, tmp_path / "large") as (writer, printed):
        assert printed.readline() == "written\n"
        write(tmp_path / "other", b"whole")
        os.utime(tmp_path / half_files(tmp_path)[0], (0, 0))
        write(tmp_path / "other", b"whole")
        assert len(half_files(tmp_path)) == 1  # its writer is alive, however slow
        writer.kill()
    assert len(half_files(tmp_path)) == 1
    write(tmp_path / "other", b"whole")
    assert os.listdir(tmp_path) == ["other"]


def test_writers_of_one_process_leave_each_other_alone(tmp_path):
    with atomic_writer(tmp_path / "a") as file:
        file.write(b"a")
        write(tmp_path / "b", b"b")
    assert (tmp_path / "a").read_bytes() == b"a"


def test_what_another_machine_writes_is_removed_only_when_old(tmp_path):
    """On a shared file system a lock of another machine need not be seen here."""
    foreign = tmp_path / ".hashlearn-00000000-0123456789abcdef.tmp"
    foreign.touch()
    write(tmp_path / "model", b"")
    assert foreign.exists()
    old = time.time() - 2 * 86_400
    os.utime(foreign, (old, old))
    write(tmp_path / "model", b"")
    assert not foreign.exists()


def test_other_files_are_never_removed(tmp_path):
    """Neither a user's own file nor a folder, however old."""
    names = [".hashlearn-notes.tmp", ".hashlearn-0123.txt", "0123456789abcdef.tmp"]
    for name in names:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    folder = tmp_path / ".hashlearn-00000000-0123456789abcdef.tmp"
    folder.mkdir()
    os.utime(folder, (0, 0))
    write(tmp_path / "model", b"")
    assert sorted(os.listdir(tmp_path)) == sorted([*names, folder.name, "model"])


def test_a_file_that_is_removed_before_it_is_locked_gets_another_name(tmp_path, monkeypatch):
    real, calls = writing.fcntl.flock, []

    def remove_first(file, operation):
        if not calls:
            os.unlink(file.name)
        calls.append(operation)
        real(file, operation)

    monkeypatch.setattr(writing.fcntl, "flock", remove_first)
    write(tmp_path / "model", b"whole")
    assert (tmp_path / "model").read_bytes() == b"whole"
    assert len(calls) == 2


def test_a_file_system_without_locks_leaves_fresh_files(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(writing.fcntl, "flock", refuse)
    with atomic_writer(tmp_path / "a"):
        write(tmp_path / "b", b"b")
        assert len(half_files(tmp_path)) == 1


@pytest.mark.parametrize(
    ("variable", "expected"), [("HASHLEARN_CACHE", "x"), ("XDG_CACHE_HOME", "x/hashlearn")]
)
def test_the_cache_folder_can_be_chosen(monkeypatch, variable, expected):
    monkeypatch.delenv("HASHLEARN_CACHE", raising=False)
    monkeypatch.setenv(variable, "x")
    assert cache_folder() == Path(expected)


def test_a_full_disk_names_the_file(tmp_path):
    path = tmp_path / "model"
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(OSError, match=re.escape(repr(str(path)))), atomic_writer(path):
        raise full
    assert list(tmp_path.iterdir()) == []
