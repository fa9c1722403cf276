"""A writer that dies, or is stopped by the disk, leaves the old file or the new one, whole."""

import os
import resource
import signal
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from numba.core import caching

from hashlearn import make_hasher
from hashlearn.files import load_index, load_model, save_index, save_model
from tests.processes import speaking

N = 1_000_000  # a save takes long enough to be hit in the middle


def save_index_of(value, path):
    """Save an index, all of whose numbers tell which of two indexes it is."""
    words, ids = np.full((1, N), value, dtype=np.uint64), np.arange(value, N + value)
    save_index(path, {"value": value}, {"words": words, "ids": ids})


def value_of_index(path):
    document, arrays = load_index(path, mmap=True, verify=True)
    value = document["value"]
    assert np.all(arrays["words"] == value)
    assert np.array_equal(arrays["ids"], np.arange(value, N + value))
    return value


def save_model_of(value, path):
    """Save a model, all of whose numbers tell which of two models it is."""
    model = make_hasher("lsh", n_bits=value)
    model.weights_ = np.full(N, float(value))
    model.bias_ = np.full(N, float(value))
    save_model(model, path)


def value_of_model(path):
    model = load_model(path)
    assert np.all(model.weights_ == model.n_bits)
    assert np.all(model.bias_ == model.n_bits)
    return model.n_bits


KINDS = {"index": (save_index_of, value_of_index), "model": (save_model_of, value_of_model)}
each_kind = pytest.mark.parametrize(("save", "value_of"), KINDS.values(), ids=KINDS)


def save_for_ever(kind, path):
    """What the writer does until it is killed; a line on stdout says that a save begins."""
    save, _ = KINDS[kind]
    while True:
        for value in (1, 2):
            print("saving", flush=True)
            save(value, path)


def kill_while_saving(kind, path, random):
    """Start a writer, and kill it at a random moment of one of its first saves."""
    with speaking(save_for_ever, kind, path) as (writer, printed):
        started = time.monotonic()
        for _ in range(random.integers(2, 5)):
            assert printed.readline() == "saving\n"
            duration, started = time.monotonic() - started, time.monotonic()
        time.sleep(random.uniform(0, duration))
        writer.kill()
    assert writer.exitcode == -signal.SIGKILL


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_kills", [3, pytest.param(40, marks=pytest.mark.slow)])
def test_killed_writer_leaves_a_whole_file(tmp_path, kind, n_kills):
    random = np.random.default_rng(0)
    path = tmp_path / "file"
    save, value_of = KINDS[kind]
    for _ in range(n_kills):
        kill_while_saving(kind, path, random)
        assert value_of(path) in (1, 2)
    save(3, path)
    assert value_of(path) == 3
    assert os.listdir(tmp_path) == ["file"]  # what the killed writers left is gone


@contextmanager
def file_size_limit(n_bytes):
    """Let the system refuse to write more than that to a file, as a full disk does."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


@each_kind
@pytest.mark.parametrize("n_bytes", [0, 100, 8 * N, 16 * N])
def test_full_disk_is_an_os_error_and_leaves_the_old_file(tmp_path, save, value_of, n_bytes):
    path = tmp_path / "file"
    save(1, path)
    with pytest.raises(OSError, match="too large"), file_size_limit(n_bytes):
        save(2, path)
    assert value_of(path) == 1
    assert os.listdir(tmp_path) == ["file"]


@contextmanager
def without_rights_of_root():
    """Run as nobody, if this is root, whom no permission stops; compiled loops are not kept."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        with mock.patch.object(caching.Cache, "save_overload"):
            yield
    finally:
        os.seteuid(user)


@each_kind
def test_unwritable_folder_is_an_os_error_and_leaves_the_old_file(save, value_of):
    with tempfile.TemporaryDirectory() as name:  # pytest's own folder is closed to others
        folder = Path(name)
        save(1, folder / "file")
        folder.chmod(0o555)
        with pytest.raises(PermissionError), without_rights_of_root():
            save(2, folder / "file")
        folder.chmod(0o755)
        assert value_of(folder / "file") == 1
        assert os.listdir(folder) == ["file"]
