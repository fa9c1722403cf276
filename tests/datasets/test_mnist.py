import gzip
import hashlib
import shutil

import numpy as np
import pytest
import sklearn.datasets
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hashlearn.datasets import load_mnist, mnist
from hashlearn.datasets.mnist import _idx_header, _read_idx


@pytest.fixture
def small(monkeypatch):
    """A set of 5 + 3 images, and what its four files hold."""
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (8, 28, 28), dtype=np.uint8)
    labels = rng.integers(0, 10, 8, dtype=np.uint8)
    parts = images[:5], labels[:5], images[5:], labels[5:]
    contents = [_idx_header(part.shape) + part.tobytes() for part in parts]
    files = [
        file._replace(shape=part.shape, md5=hashlib.md5(content).hexdigest())
        for file, part, content in zip(mnist.FILES, parts, contents, strict=True)
    ]
    monkeypatch.setattr(mnist, "FILES", tuple(files))
    return images, labels, dict(zip(files, contents, strict=True))


def write(folder, contents, name=0, pack=bytes):
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in contents.items():
        (folder / file.names[name]).write_bytes(pack(content))


@pytest.mark.parametrize(
    ("name", "pack"), [(0, bytes), (1, bytes), (2, gzip.compress), (3, gzip.compress)]
)
@pytest.mark.parametrize("subfolder", ["", "mnist"])
def test_all_names_of_the_files_are_known(tmp_path, small, name, pack, subfolder):
    images, labels, contents = small
    write(tmp_path / subfolder, contents, name, pack)
    found = load_mnist(tmp_path)
    np.testing.assert_array_equal(found.images, images)
    np.testing.assert_array_equal(found.y, labels)
    np.testing.assert_allclose(found.X, images.reshape(8, -1) / 255, rtol=1e-6)
    assert found.X.dtype == np.float32


def test_a_damaged_file_is_refused(tmp_path, small):
    write(tmp_path, small[2])
    path = tmp_path / mnist.FILES[2].names[0]
    path.write_bytes(path.read_bytes()[:-1] + b"\x01")
    with pytest.raises(ValueError, match=r"t10k-images.* is damaged or another file"):
        load_mnist(tmp_path)


def test_a_folder_under_the_name_is_refused(tmp_path, small):
    write(tmp_path, small[2])
    (tmp_path / mnist.FILES[0].names[0]).unlink()
    (tmp_path / mnist.FILES[0].names[0]).mkdir()
    with pytest.raises(ValueError, match="not a file"):
        load_mnist(tmp_path)


def test_the_error_tells_which_file_is_missing_where_and_why_not_downloaded(tmp_path, small):
    write(tmp_path, small[2])
    (tmp_path / mnist.FILES[3].names[0]).unlink()
    with pytest.raises(FileNotFoundError) as caught:
        load_mnist(tmp_path)
    message = str(caught.value)
    assert "t10k-labels-idx1-ubyte.gz into" in message
    assert "train" not in message
    assert str(tmp_path) in message
    assert "no network here" in message


def test_nothing_is_downloaded_against_the_will(tmp_path, monkeypatch):
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", pytest.fail)
    with pytest.raises(FileNotFoundError, match="download_if_missing=False"):
        load_mnist(tmp_path, download_if_missing=False)


def test_a_download_gives_what_the_files_give(tmp_path, small, monkeypatch):
    images, labels, contents = small

    def fetch(name, **kwargs):
        assert (name, kwargs["version"]) == ("mnist_784", 1)
        return images.reshape(8, -1).astype(float), labels.astype(str).astype(object)

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    downloaded = load_mnist(tmp_path)
    write(tmp_path, contents)
    read = load_mnist(tmp_path, download_if_missing=False)
    for field in ("X", "y", "images"):
        np.testing.assert_array_equal(getattr(downloaded, field), getattr(read, field))
        assert getattr(downloaded, field).dtype == getattr(read, field).dtype


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: X[::-1], "md5"),
        (lambda X: X + 0.5, "integers"),
        (lambda X: X[:-1], "shape"),
    ],
)
def test_a_download_of_other_content_is_refused(tmp_path, small, monkeypatch, change, message):
    X, y = small[0].reshape(8, -1).astype(float), small[1].astype(str)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda name, **_: (change(X), y))
    with pytest.raises(ValueError, match=message):
        load_mnist(tmp_path)


@pytest.mark.data
def test_the_official_files_are_read(data_folder):
    found = load_mnist(data_folder, download_if_missing=False)
    assert found.X.shape == (70000, 784)
    assert found.y[:5].tolist() == [5, 0, 4, 1, 9]
    assert (found.X.min(), found.X.max()) == (0, 1)
    assert np.bincount(found.y).sum() == 70000


@pytest.mark.data
def test_one_changed_bit_of_the_official_files_is_noticed(data_folder, tmp_path):
    for path in (data_folder / "mnist").glob("*.gz"):
        shutil.copyfile(path, tmp_path / path.name)
    path = tmp_path / "t10k-labels-idx1-ubyte.gz"
    content = bytearray(gzip.decompress(path.read_bytes()))
    content[5000] ^= 1
    path.write_bytes(gzip.compress(content))
    with pytest.raises(ValueError, match="md5"):
        load_mnist(tmp_path)


ARRAY = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
CONTENT = _idx_header(ARRAY.shape) + ARRAY.tobytes()


@given(
    array=arrays.arrays(np.uint8, arrays.array_shapes(max_dims=3)),
    pack=st.sampled_from([bytes, gzip.compress]),
)
def test_an_idx_file_is_read(tmp_path_factory, array, pack):
    path = tmp_path_factory.mktemp("idx") / "a"
    path.write_bytes(pack(_idx_header(array.shape) + array.tobytes()))
    content, found = _read_idx(path, array.shape)
    np.testing.assert_array_equal(found, array)
    assert content == _idx_header(array.shape) + array.tobytes()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\0\0\x08\x01" + CONTENT[4:], "must start with 00000803, .* got 00000801"),
        (b"PK\x03\x04 something else", "got 504b0304"),
        (CONTENT[:10], "shape"),
        (CONTENT[:-1], "does not end where it should"),
        (CONTENT + b"\0", "does not end where it should"),
        (_idx_header((3, 3, 4)) + bytes(36), r"shape \(2, 3, 4\); got \(3, 3, 4\)"),
    ],
)
def test_another_file_is_refused_in_one_sentence(tmp_path, pack, content, message):
    path = tmp_path / "a"
    path.write_bytes(pack(content))
    with pytest.raises(ValueError, match=message) as caught:
        _read_idx(path, ARRAY.shape)
    assert repr(str(path)) in str(caught.value)


@given(cut=st.integers(3, len(gzip.compress(CONTENT)) - 1))
def test_a_gzip_file_that_was_cut_is_refused(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("idx") / "a.gz"
    path.write_bytes(gzip.compress(CONTENT)[:cut])
    with pytest.raises(ValueError, match="truncated or damaged"):
        _read_idx(path, ARRAY.shape)


def test_a_gzip_bomb_is_not_unpacked(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(CONTENT + bytes(10**7)))
    with pytest.raises(ValueError, match="does not end"):
        _read_idx(path, ARRAY.shape)
