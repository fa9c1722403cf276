"""CIFAR-10: small colour images, from the official binary release or OpenML."""

from __future__ import annotations

import os
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from hashlearn.datasets._files import Folder, check_file, check_md5, download, find_file
from hashlearn.datasets.base import Dataset, register

RELEASE = "cifar-10-batches-bin"  # the folder inside the official archive
ARCHIVE = "cifar-10-binary.tar.gz"
SUBFOLDERS = (RELEASE, "cifar10", f"cifar10/{RELEASE}", "cifar-10", f"cifar-10/{RELEASE}")
SIDE, N_CHANNELS = 32, 3
N_PIXELS = N_CHANNELS * SIDE * SIDE
BATCH = 10000
BATCH_BYTES = BATCH * (1 + N_PIXELS)
# Computed from a lossless copy of the images; other projects list the same values for the
# members of the official archive.
MD5 = {
    "data_batch_1.bin": "5dd7e06a14cb22eb9f671a540d1b7c25",
    "data_batch_2.bin": "5ea93a67294ea407fff1d09f752e9692",
    "data_batch_3.bin": "942cd6a4bcdd0dd3c604fbe906cb4421",
    "data_batch_4.bin": "ae636b3ba5c66a11e91e8cb52e771fcb",
    "data_batch_5.bin": "53f37980c15c3d472c316c40844f3f0d",
    "test_batch.bin": "803d5f7f4d78ea53de84dbe85f74fb6d",
}
N_ITEMS = len(MD5) * BATCH
CLASSES = (
    "airplane",
    "automobile",
    "bird",
    "cat",
    "deer",
    "dog",
    "frog",
    "horse",
    "ship",
    "truck",
)


@register("cifar10")
def load_cifar10(data_home: Folder | None = None, *, download_if_missing: bool = True) -> Dataset:
    """Load CIFAR-10: 60,000 colour images of 32 x 32 pixels in 10 classes.

    The six ``.bin`` files of the official binary release, or its archive
    ``cifar-10-binary.tar.gz`` as it is, are looked for in the data folders and in
    ``cifar-10-batches-bin/`` and ``cifar10/`` there; their content must have the known checksums.
    Otherwise the set is fetched from OpenML, in the order that it has there. The release's training
    images come first.

    Parameters
    ----------
    data_home : str or path-like, optional
        The folder to search before ``HASHLEARN_DATA`` and scikit-learn's data home.
    download_if_missing : bool, default=True
        Whether to fetch the set from OpenML if files are missing.

    Returns
    -------
    Dataset
        `images` are uint8 of shape (60000, 32, 32, 3), and `X` is the same memory with one row
        per image, `y` is the number of the class.

    Examples
    --------
    >>> from hashlearn.datasets import load_cifar10
    >>> load_cifar10()  # doctest: +SKIP
    Dataset('cifar10': 60,000 items, 3,072 features, 10 classes, images 32 x 32 x 3)
    """
    images, labels = _load(data_home, download_if_missing)
    return Dataset(
        name="cifar10",
        X=images.reshape(len(images), N_PIXELS),
        y=labels,
        images=images,
        label_names=CLASSES,
    )


def _load(data_home: Folder | None, allowed: bool) -> tuple[np.ndarray, np.ndarray]:
    found = {name: find_file([name], SUBFOLDERS, data_home) for name in MD5}
    paths = {name: path for name, path in found.items() if path is not None}
    if len(paths) == len(MD5):
        return _from_batches(lambda name: _read_batch(paths[name]))
    archive = find_file([ARCHIVE], SUBFOLDERS, data_home)
    if archive is not None:
        return _from_batches(_read_archive(archive).__getitem__)
    absent = [name for name in MD5 if name not in paths]
    return _download([*absent, f"or {ARCHIVE}"], data_home, allowed)


def _from_batches(read: Callable[[str], bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Check and unpack the batches: records of a label and a channel-major image."""
    images = np.empty((N_ITEMS, SIDE, SIDE, N_CHANNELS), dtype=np.uint8)
    labels = np.empty(N_ITEMS, dtype=np.int64)
    for number, (name, md5) in enumerate(MD5.items()):
        content = read(name)
        check_md5(content, md5, repr(name))
        records = np.frombuffer(content, np.uint8).reshape(BATCH, 1 + N_PIXELS)
        rows = slice(number * BATCH, (number + 1) * BATCH)
        labels[rows] = records[:, 0]
        images[rows] = _channels_last(records[:, 1:])
    return images, labels


def _channels_last(pixels: np.ndarray) -> np.ndarray:
    return pixels.reshape(-1, N_CHANNELS, SIDE, SIDE).transpose(0, 2, 3, 1)


def _read_batch(path: Path) -> bytes:
    check_file(path)
    if path.stat().st_size != BATCH_BYTES:
        raise ValueError(
            f"{os.fspath(path)!r} must have {BATCH_BYTES:,} bytes, as a batch of CIFAR-10's "
            f"binary release; got {path.stat().st_size:,}."
        )
    return path.read_bytes()


def _read_archive(path: Path) -> dict[str, bytes]:
    """Read the batches from the archive; nothing is written to disk."""
    check_file(path)
    called, batches = repr(os.fspath(path)), {}
    wanted = {f"{RELEASE}/{name}": name for name in MD5}
    try:
        with tarfile.open(path, "r|gz") as archive:
            for member in archive:
                whole = member.isreg() and member.size == BATCH_BYTES
                file = archive.extractfile(member) if whole and member.name in wanted else None
                if file is not None:
                    batches[wanted[member.name]] = file.read()
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise ValueError(f"{called} is truncated or damaged: {error}") from error
    if len(batches) != len(MD5):
        absent = ", ".join(member for member, name in wanted.items() if name not in batches)
        raise ValueError(f"{called} lacks {absent} of {BATCH_BYTES:,} bytes each.")
    return batches


def _download(
    absent: list[str], data_home: Folder | None, allowed: bool
) -> tuple[np.ndarray, np.ndarray]:
    pixels, labels = download(
        "CIFAR_10",
        (N_ITEMS, N_PIXELS),
        dataset="cifar10",
        files=absent,
        data_home=data_home,
        allowed=allowed,
    )
    # The order of the rows there is not promised, so the files' checksums cannot be compared.
    counts = np.bincount(labels, minlength=len(CLASSES))
    if counts.tolist() != [N_ITEMS // len(CLASSES)] * len(CLASSES):
        raise ValueError(
            f"CIFAR_10 of OpenML must have {len(CLASSES)} classes of "
            f"{N_ITEMS // len(CLASSES):,} images; got {counts.tolist()}."
        )
    return np.ascontiguousarray(_channels_last(pixels)), labels
