"""Items that are images: in an array, or as the files of a folder."""

from __future__ import annotations

import os
import re
import stat
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from hashlearn.explorer.collection.decoding import (
    SUFFIXES,
    ImageError,
    decode_image,
    encode_png,
)

THUMBNAIL_SIDE = 256
N_CACHED = 512  # thumbnails, of at most 200 kB each
MAX_FILE_BYTES = 2**27
N_SAMPLED = 200  # images that determine the range of values
NUMBER = re.compile("-?[0-9]+")  # a file name that can be an id


class ImageArray:
    """Images in an array, (n, height, width) or (n, height, width, 3), which may be mapped.

    `low` and `high` are the values of black and white: 0 and 255 for bytes; else the smallest value
    of a sample, at most 0, and the largest, at least 1.
    """

    kind: ClassVar[Literal["image"]] = "image"

    def __init__(self, images: np.ndarray) -> None:
        check_images(images)
        self.images = images
        self.low, self.high = _value_range(images)

    def __len__(self) -> int:
        return len(self.images)

    @property
    def shape(self) -> tuple[int, ...]:
        """(height, width), or (height, width, 3)."""
        return self.images.shape[1:3] if self.images.shape[3:] != (3,) else self.images.shape[1:]

    def image(self, position: int) -> bytes:
        """Return an image as PNG, in its own size."""
        from PIL import Image

        return encode_png(Image.fromarray(as_bytes(self.pixels(position), self.low, self.high)))

    def pixels(self, position: int) -> np.ndarray:
        """Return the pixels of an image."""
        return np.asarray(self.images[position]).reshape(self.shape)

    def sample(self, positions: np.ndarray) -> tuple[ImageArray, list[bytes]]:
        """Return all images as an array, and some as files."""
        return self, [self.image(i) for i in positions]

    def text(self, position: int) -> str:
        """Return no text: the image is shown."""
        return ""


class ImageFolder:
    """Images in the files of a folder; other files and folders inside are ignored.

    If every id has an image of that name (17.png or 0017.png for 17, cat.png for the text "cat"),
    images are matched by id; else in sorted order, unless ids are integers and all names are
    numbers, which then are wrong ids.
    Links are not followed.
    """

    kind: ClassVar[Literal["image"]] = "image"

    def __init__(self, folder: str | os.PathLike[str], ids: np.ndarray) -> None:
        self.folder = Path(folder)
        self.names = _match(_list_images(self.folder), ids, self.folder)
        self._thumbnail = lru_cache(N_CACHED)(self._make_thumbnail)

    def __len__(self) -> int:
        return len(self.names)

    def image(self, position: int) -> bytes:
        """Return an image as PNG, its longer side at most 256 pixels."""
        return self._thumbnail(int(position))

    def _make_thumbnail(self, position: int) -> bytes:
        return encode_png(decode_image(self.file(position), side=THUMBNAIL_SIDE))

    def file(self, position: int) -> bytes:
        """Return the file of an image."""
        return _read_inside(self.folder, self.names[position])

    def sample(self, positions: np.ndarray) -> tuple[ImageArray, list[bytes]]:
        """Return some images as one array and as files; raise if their sizes differ."""
        files = [self.file(i) for i in positions]
        return ImageArray(np.stack([np.asarray(decode_image(data)) for data in files])), files

    def text(self, position: int) -> str:
        """Return no text: the image is shown."""
        return ""


def check_images(images: np.ndarray) -> None:
    """Raise if an array does not hold images."""
    is_shape = images.ndim == 3 or (images.ndim == 4 and images.shape[3] in (1, 3))
    if not is_shape or 0 in images.shape[1:]:
        raise ValueError(
            "images must have the shape (n, height, width) or (n, height, width, 3); "
            f"got {images.shape}."
        )
    if images.dtype.kind not in "biuf":
        raise ValueError(f"images must be real numbers; got the type {images.dtype}.")


def as_bytes(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return values as grey levels or colours from 0 to 255; NaN becomes black."""
    if values.dtype == np.uint8 and (low, high) == (0, 255):
        return values
    scaled = (values.astype(np.float64) - low) * (255 / max(high - low, np.finfo(float).tiny))
    return np.rint(np.nan_to_num(scaled, nan=0).clip(0, 255)).astype(np.uint8)


def _value_range(images: np.ndarray) -> tuple[float, float]:
    """Return the values of black and white."""
    if images.dtype == np.uint8:
        return 0, 255
    step = max(1, len(images) // N_SAMPLED)
    values = np.asarray(images[::step], dtype=np.float64)
    values = values[np.isfinite(values)]
    return float(values.min(initial=0)), float(values.max(initial=1))


def _list_images(folder: Path) -> list[str]:
    """Return the sorted names of the images in a folder; raise for a link among them."""
    names = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or not entry.name.lower().endswith(SUFFIXES):
                continue
            if entry.is_symlink():
                raise ValueError(
                    f"'{folder}' contains the link '{entry.name}'; links are not followed."
                )
            if entry.is_file(follow_symlinks=False):
                names.append(entry.name)
    return sorted(names)


def _match(names: list[str], ids: np.ndarray, folder: Path) -> list[str]:
    """Return the name of each item's image: by id if all have one, else in sorted order."""
    stems = [(Path(name).stem, name) for name in names]
    numbered = [(int(stem), name) for stem, name in stems if NUMBER.fullmatch(stem)]
    named: list[tuple[Any, str]] = [*stems] if ids.dtype == object else [*numbered]
    by_id = dict(named)
    missing = next((id_ for id_ in ids.tolist() if id_ not in by_id), None)
    if missing is None:
        _check_distinct(named, set(ids.tolist()), folder)
        return [by_id[id_] for id_ in ids.tolist()]
    if len(names) != len(ids):
        raise ValueError(
            f"'{folder}' must have one image for each of {len(ids):,} items; it has "
            f"{len(names):,}, and none named {missing}.png."
        )
    if len(numbered) == len(names) and ids.dtype != object:
        raise ValueError(
            f"'{folder}' has images named by numbers, which must be the ids of the items; "
            f"there is no {missing}.png for item {missing}."
        )
    return names


def _check_distinct(named: list[tuple[Any, str]], ids: set[Any], folder: Path) -> None:
    """Raise if an id has two images."""
    seen: dict[Any, str] = {}
    for id_, name in named:
        if id_ in seen and id_ in ids:
            raise ValueError(
                f"'{folder}' has '{seen[id_]}' and '{name}'; an item must have one image."
            )
        seen[id_] = name


def _read_inside(folder: Path, name: str) -> bytes:
    """Return the content of a regular file in the folder, unless it is very large."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(folder / name, flags | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise ImageError(f"'{name}' cannot be read: {error.strerror}.") from error
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_FILE_BYTES:
            raise ImageError(f"'{name}' is not a file of at most {MAX_FILE_BYTES:,} bytes.")
        return file.read(MAX_FILE_BYTES)
