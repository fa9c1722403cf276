"""Cached features are those that the transformer gives, or they are computed again."""

import os
import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler

from hashlearn._numerics.arrays import BLOCK_BYTES
from hashlearn.features import GIST, cached_transform
from tests.files.test_kill import without_rights_of_root
from tests.processes import PROCESSES, speaking


class Doubling(BaseEstimator):
    """Multiplies, and counts how often it had to."""

    n_calls = 0

    def __init__(self, factor=2, n_jobs=None):
        self.factor = factor
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        Doubling.n_calls += 1
        return np.asarray(X, dtype=np.float32).reshape(len(X), -1) * np.float32(self.factor)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


class Negating(Doubling):
    def transform(self, X):
        return -super().transform(X)


class Sparse(Doubling):
    def transform(self, X):
        return sp.csr_matrix(super().transform(X))


@pytest.fixture
def images():
    return np.random.default_rng(0).integers(0, 256, (5, 8, 8, 3), dtype=np.uint8)


@contextmanager
def computes(n):
    """Check how many times a transformer works in the block."""
    before = Doubling.n_calls
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    assert Doubling.n_calls - before == n


def only_file(folder):
    (path,) = folder.iterdir()
    return path


def test_features_are_computed_once(tmp_path, images):
    expected = GIST().transform(images)
    for _ in range(2):
        features = cached_transform(GIST(), images, tmp_path / "new" / "folder")
        assert np.array_equal(features, expected)
        assert features.dtype == np.float32
        assert type(features) is np.ndarray
        features += 1  # it is the caller's own
    with computes(1):
        first = cached_transform(Doubling(), images, tmp_path)
        assert np.array_equal(cached_transform(Doubling(), images, tmp_path), first)


def test_files_are_ordinary_npy_files_named_by_their_transformer(tmp_path, images):
    features = cached_transform(GIST(), images, tmp_path)
    path = only_file(tmp_path)
    assert path.name.startswith("gist-")
    assert np.array_equal(np.load(path, mmap_mode="r"), features)


def test_threads_layout_and_kind_of_sequence_do_not_matter(tmp_path, images):
    with computes(1):
        cached_transform(Doubling([1, 2] * 96), images, tmp_path)
        cached_transform(Doubling((1, 2) * 96, n_jobs=2), np.asfortranarray(images), tmp_path)
        cached_transform(Doubling(np.array([1, 2] * 96)), images[::-1][::-1], str(tmp_path))


def test_everything_else_matters(tmp_path, images, monkeypatch):
    different = images.copy()
    different[-1, -1, -1, -1] ^= 1
    others = [
        different,
        images[:-1],
        images[::-1],
        images.view(np.int8),
        images.astype(np.float32),
        images.reshape(5, 8, 24),
    ]
    with computes(1 + len(others)):
        for given in (images, *others):
            features = cached_transform(Doubling(), given, tmp_path)
            assert np.array_equal(features, 2.0 * given.reshape(len(given), -1))
    with computes(4):
        flat = images.reshape(5, -1).astype(float)
        assert np.array_equal(cached_transform(Doubling(3), images, tmp_path), 3 * flat)
        assert np.array_equal(cached_transform(Doubling(2.5), images, tmp_path), 2.5 * flat)
        assert np.array_equal(cached_transform(Negating(), images, tmp_path), -2 * flat)
        monkeypatch.setattr(Doubling, "features_version", 2, raising=False)
        cached_transform(Doubling(), images, tmp_path)


def test_images_larger_than_a_block_are_read_to_the_end(tmp_path):
    images = np.zeros((3, BLOCK_BYTES // 2), dtype=np.uint8)
    with computes(2):
        cached_transform(Doubling(), images, tmp_path)
        images[2, -1] = 1
        cached_transform(Doubling(), images, tmp_path)


def damages(content):
    """Yield what can become of a file."""
    random = np.random.default_rng(0)
    for length in (0, 1, 31, 32, 33, 100, 128, len(content) // 2, len(content) - 1):
        yield content[:length]
    yield content + b"0"
    yield b"something else altogether" * 100
    for position in [0, 6, 8, 20, 60, *random.integers(len(content), size=12), -1]:
        changed = bytearray(content)
        changed[position] ^= 1 << random.integers(8)
        yield bytes(changed)


def test_a_damaged_file_is_computed_and_written_again(tmp_path, images):
    expected = cached_transform(Doubling(), images, tmp_path)
    path = only_file(tmp_path)
    whole = path.read_bytes()
    for damaged in damages(whole):
        path.write_bytes(damaged)
        with computes(1):
            assert np.array_equal(cached_transform(Doubling(), images, tmp_path), expected)
        assert path.read_bytes() == whole


def test_a_whole_file_of_other_features_is_not_used(tmp_path, images):
    cached_transform(Doubling(), images[::-1], tmp_path / "other")
    expected = cached_transform(Doubling(), images, tmp_path / "own")
    path = only_file(tmp_path / "own")
    only_file(tmp_path / "other").rename(path)
    with computes(1):
        assert np.array_equal(cached_transform(Doubling(), images, tmp_path / "own"), expected)


def test_nothing_is_unpickled(tmp_path, images):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("it was unpickled",))

    cached_transform(Doubling(), images, tmp_path)
    path = only_file(tmp_path)
    with path.open("wb") as file:
        np.save(file, np.array([Trap()] * 5, dtype=object), allow_pickle=True)
    with computes(1):
        cached_transform(Doubling(), images, tmp_path)


def test_a_folder_that_cannot_be_written_costs_only_the_caching(images):
    expected = GIST().transform(images)
    with tempfile.TemporaryDirectory() as name:  # pytest's own folder is closed to others
        Path(name).chmod(0o555)
        for folder in (name, f"{name}/sub"):
            with pytest.warns(UserWarning, match="not cached: .*Permission denied"):  # noqa: SIM117
                with without_rights_of_root():
                    features = cached_transform(GIST(), images, folder)
            assert np.array_equal(features, expected)
        assert os.listdir(name) == []
        Path(name).chmod(0o755)


def test_a_file_or_a_folder_in_the_way_costs_only_the_caching(tmp_path, images):
    (tmp_path / "file").touch()
    with pytest.warns(UserWarning, match="not cached"):
        cached_transform(Doubling(), images, tmp_path / "file")
    cached_transform(Doubling(), images, tmp_path / "folder")
    path = only_file(tmp_path / "folder")
    path.unlink()
    path.mkdir()
    with pytest.warns(UserWarning, match="not cached"):
        cached_transform(Doubling(), images, tmp_path / "folder")


def test_default_folder_follows_the_environment(tmp_path, images, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HASHLEARN_CACHE", raising=False)
    cached_transform(Doubling(), images)
    only_file(tmp_path / "home" / ".cache" / "hashlearn")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    cached_transform(Doubling(), images)
    only_file(tmp_path / "xdg" / "hashlearn")
    monkeypatch.setenv("HASHLEARN_CACHE", str(tmp_path / "own"))
    cached_transform(Doubling(), images)
    only_file(tmp_path / "own")


@pytest.mark.parametrize(
    ("transformer", "given", "message"),
    [
        (StandardScaler(), np.zeros((2, 3)), "must need no fit"),
        (FunctionTransformer(np.abs), np.zeros((2, 3)), "must be numbers, strings, lists"),
        (Normalizer(), np.array([[1, None]]), "must be an array of numbers"),
        (Sparse(), np.zeros((2, 3)), "must return dense numbers"),
        (Doubling(), 3.0, "must be an array of numbers"),
    ],
    ids=["fitted", "function", "objects", "sparse", "number"],
)
def test_what_cannot_be_cached_is_refused(tmp_path, transformer, given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        cached_transform(transformer, given, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_frames_come_back_as_arrays(tmp_path):
    X = np.arange(6.0).reshape(2, 3)
    for _ in range(2):
        normalizer = Normalizer().set_output(transform="pandas").fit(X)
        features = cached_transform(normalizer, X, tmp_path)
        assert type(features) is np.ndarray
        assert np.array_equal(features, Normalizer().transform(X))


BIG = np.arange(4_000_000, dtype=np.uint8).reshape(4, 1000, 1000)  # its writing can be hit


def cache_for_ever(folder):
    """What a process does until it is killed; a line on stdout says that it begins."""
    while True:
        for path in Path(folder).glob("*.npy"):
            path.unlink(missing_ok=True)
        print("caching", flush=True)
        cached_transform(Doubling(), BIG, folder)


@pytest.mark.parametrize("n_kills", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_writer_leaves_a_whole_file_or_none(tmp_path, n_kills):
    random = np.random.default_rng(0)
    expected = Doubling().transform(BIG)
    for _ in range(n_kills):
        with speaking(cache_for_ever, tmp_path) as (writer, printed):
            assert printed.readline() == "caching\n"
            assert printed.readline() == "caching\n"
            time.sleep(random.uniform(0, 0.1))
            writer.kill()
        whole = len(list(tmp_path.glob("*.npy")))
        with computes(1 - whole):
            assert np.array_equal(cached_transform(Doubling(), BIG, tmp_path), expected)


def cache_once(folder):
    """What a process does beside others."""
    features = cached_transform(Doubling(), BIG, folder)
    assert np.array_equal(features, Doubling().transform(BIG))


def test_processes_at_once_do_no_harm(tmp_path):
    processes = [PROCESSES.Process(target=cache_once, args=(tmp_path,)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    only_file(tmp_path)
