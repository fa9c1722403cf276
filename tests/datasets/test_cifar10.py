import hashlib
import io
import tarfile

import numpy as np
import pytest
import sklearn.datasets

from hashlearn.datasets import cifar10, load_cifar10

BATCH = 20


@pytest.fixture
def small(monkeypatch):
    """A release with 20 images per batch: images, labels and what its files hold."""
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (6 * BATCH, 32, 32, 3), dtype=np.uint8)
    labels = np.repeat(np.arange(10), 12)
    rng.shuffle(labels)
    pixels = images.transpose(0, 3, 1, 2).reshape(len(images), -1)
    records = np.concatenate([labels[:, None].astype(np.uint8), pixels], axis=1)
    batches = [batch.tobytes() for batch in np.split(records, 6)]
    contents = dict(zip(cifar10.MD5, batches, strict=True))
    monkeypatch.setattr(
        cifar10, "MD5", {name: hashlib.md5(batch).hexdigest() for name, batch in contents.items()}
    )
    monkeypatch.setattr(cifar10, "BATCH", BATCH)
    monkeypatch.setattr(cifar10, "BATCH_BYTES", BATCH * 3073)
    monkeypatch.setattr(cifar10, "N_ITEMS", 6 * BATCH)
    return images, labels, contents


def write(folder, contents):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)


def write_archive(path, contents, kind=tarfile.REGTYPE):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in {"readme.html": b"text", **contents}.items():
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            member.size, member.type, member.linkname = len(content), kind, "/etc/passwd"
            archive.addfile(member, io.BytesIO(content))


def check(found, images, labels):
    np.testing.assert_array_equal(found.images, images)
    np.testing.assert_array_equal(found.y, labels)
    assert np.shares_memory(found.X, found.images)
    np.testing.assert_array_equal(found.X, images.reshape(len(images), -1))


@pytest.mark.parametrize(
    "subfolder",
    ["", "cifar-10-batches-bin", "cifar10", "cifar10/cifar-10-batches-bin"],
)
def test_the_release_is_read_from_its_usual_places(tmp_path, small, subfolder):
    images, labels, contents = small
    write(tmp_path / subfolder, contents)
    check(load_cifar10(tmp_path), images, labels)


def test_the_archive_is_read_as_it_is(tmp_path, small):
    images, labels, contents = small
    write_archive(tmp_path / cifar10.ARCHIVE, contents)
    check(load_cifar10(tmp_path), images, labels)
    assert [path.name for path in tmp_path.iterdir()] == [cifar10.ARCHIVE]  # nothing extracted


@pytest.mark.parametrize("share", [0.001, 0.3, 0.9])
def test_an_archive_that_was_cut_is_refused(tmp_path, small, share):
    path = tmp_path / cifar10.ARCHIVE
    write_archive(path, small[2])
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(ValueError, match=r"truncated or damaged|lacks"):
        load_cifar10(tmp_path)


def test_an_archive_of_links_or_of_something_else_is_refused(tmp_path, small):
    path = tmp_path / cifar10.ARCHIVE
    write_archive(path, small[2], kind=tarfile.SYMTYPE)
    with pytest.raises(ValueError, match=r"lacks cifar-10-batches-bin/data_batch_1\.bin"):
        load_cifar10(tmp_path)
    path.write_bytes(b"not an archive")
    with pytest.raises(ValueError, match="truncated or damaged"):
        load_cifar10(tmp_path)


def test_a_batch_of_another_size_is_refused_before_it_is_read(tmp_path, small):
    write(tmp_path, small[2])
    (tmp_path / "test_batch.bin").write_bytes(bytes(100))
    with pytest.raises(ValueError, match=r"test_batch\.bin' must have .* got 100"):
        load_cifar10(tmp_path)


def test_a_changed_batch_is_refused(tmp_path, small):
    write(tmp_path, small[2])
    (tmp_path / "data_batch_3.bin").write_bytes(bytes(BATCH * 3073))
    with pytest.raises(ValueError, match=r"data_batch_3\.bin.* md5"):
        load_cifar10(tmp_path)


def test_the_error_tells_which_files_are_missing(tmp_path, small):
    write(tmp_path, small[2])
    (tmp_path / "data_batch_5.bin").unlink()
    with pytest.raises(
        FileNotFoundError,
        match=r"put data_batch_5\.bin, or cifar-10-binary\.tar\.gz into .*no network here",
    ):
        load_cifar10(tmp_path)


def test_a_download_gives_what_the_files_give(tmp_path, small, monkeypatch):
    images, labels, _ = small
    X = images.transpose(0, 3, 1, 2).reshape(len(images), -1).astype(float)
    fetched = X, labels.astype(str).astype(object)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda name, **_: fetched)
    found = load_cifar10(tmp_path)
    check(found, images, labels)
    assert found.images.flags.c_contiguous
    with pytest.raises(FileNotFoundError, match="download_if_missing"):
        load_cifar10(tmp_path, download_if_missing=False)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda name, **_: (X, np.zeros(len(X))))
    with pytest.raises(ValueError, match="10 classes of 12 images"):
        load_cifar10(tmp_path)


@pytest.mark.data
@pytest.mark.slow
def test_the_official_files_are_read(cifar10_release):
    found = load_cifar10(cifar10_release, download_if_missing=False)
    assert found.X.shape == (60000, 3072)
    assert found.y[:5].tolist() == [6, 9, 9, 4, 1]
    assert np.bincount(found.y).tolist() == [6000] * 10
    assert found.label_names[found.y[0]] == "frog"
