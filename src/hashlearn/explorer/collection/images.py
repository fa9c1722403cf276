"""Items that are pictures: in an array, or as the files of a folder."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from hashlearn.explorer.collection.byte_cache import ByteCache
from hashlearn.explorer.collection.decoding import (
    SUFFIXES,
    PictureError,
    decode_picture,
    encode_png,
)

THUMBNAIL_SIDE = 256
CACHE_BYTES = 2**26
MAX_FILE_BYTES = 2**27
N_SAMPLED = 200  # pictures that tell the range of all values
NUMBER = re.compile("-?[0-9]+")  # a name that can be an id


class ImageArray:
    r"""Pictures in one array, which may be mapped from a file.

    Parameters
    ----------
    images : ndarray of shape (n, height, width) or (n, height, width, 3)
        Numbers; one channel may be an axis of its own.

    Attributes
    ----------
    low, high : float
        The values of black and white: 0 and 255 for bytes; else 0 (or the least value, if that is
        below) and the largest, or 1 if none is above, of some of the pictures.

    Examples
    --------
    >>> array = ImageArray(np.zeros((2, 8, 8), dtype=np.uint8))
    >>> array.image(0)[:4]
    b'\x89PNG'
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
        """Return a picture as PNG, of its own size."""
        from PIL import Image

        return encode_png(Image.fromarray(as_bytes(self.pixels(position), self.low, self.high)))

    def pixels(self, position: int) -> np.ndarray:
        """Return the values of a picture."""
        return np.asarray(self.images[position]).reshape(self.shape)

    def text(self, position: int) -> str:
        """Return no words: the picture says it."""
        return ""


class ImageFolder:
    """Pictures that are the files of a folder.

    A picture belongs to the id that its name is, as 17.png or 0017.png does to 17, if there is one
    for every id. Else the files in sorted order belong to the items in theirs, unless all names
    are numbers, which then are wrong ids. Links are not followed.

    Parameters
    ----------
    folder : str or path-like
        Other files than pictures are not looked at, nor are folders inside.
    ids : ndarray of shape (n,)
        The ids of the items.
    """

    kind: ClassVar[Literal["image"]] = "image"

    def __init__(self, folder: str | os.PathLike[str], ids: np.ndarray) -> None:
        self.folder = Path(folder)
        self.names = _match(_list_pictures(self.folder), ids, self.folder)
        self._thumbnails = ByteCache(CACHE_BYTES)

    def __len__(self) -> int:
        return len(self.names)

    def image(self, position: int) -> bytes:
        """Return a picture as PNG, its longer side at most 256 pixels."""
        return self._thumbnails.get(int(position), lambda: self._thumbnail(position))

    def _thumbnail(self, position: int) -> bytes:
        return encode_png(decode_picture(self.file(position), side=THUMBNAIL_SIDE))

    def pixels(self, position: int) -> np.ndarray:
        """Return the values of a picture in its own size."""
        return np.asarray(decode_picture(self.file(position)))

    def file(self, position: int) -> bytes:
        """Return a picture's file."""
        return _read_inside(self.folder, self.names[position])

    def text(self, position: int) -> str:
        """Return no words: the picture says it."""
        return ""


def check_images(images: np.ndarray) -> None:
    """Raise unless an array holds pictures."""
    is_shape = images.ndim == 3 or (images.ndim == 4 and images.shape[3] in (1, 3))
    if not is_shape or 0 in images.shape[1:]:
        raise ValueError(
            f"images has the shape {images.shape}: it takes (n, height, width) or "
            "(n, height, width, 3)."
        )
    if images.dtype.kind not in "biuf":
        raise ValueError(f"images has the type {images.dtype}: it takes real numbers.")


def as_bytes(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return values as grey levels or colours from 0 to 255; what is not finite becomes black.

    Examples
    --------
    >>> as_bytes(np.array([0.0, 0.5, 2.0, np.nan]), low=0, high=1)
    array([  0, 128, 255,   0], dtype=uint8)
    """
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


def _list_pictures(folder: Path) -> list[str]:
    """Return the names of a folder's pictures, sorted; raise for a link among them."""
    names = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or not entry.name.lower().endswith(SUFFIXES):
                continue
            if entry.is_symlink():
                raise ValueError(f"'{folder}' has the link '{entry.name}': links are not followed.")
            if entry.is_file(follow_symlinks=False):
                names.append(entry.name)
    return sorted(names)


def _match(names: list[str], ids: np.ndarray, folder: Path) -> list[str]:
    """Return the name of each item's picture: by id if all have one, else in sorted order."""
    numbered = [(int(stem), name) for name in names if NUMBER.fullmatch(stem := Path(name).stem)]
    by_number = dict(numbered)
    missing = next((number for number in ids.tolist() if number not in by_number), None)
    if missing is None:
        _check_distinct(numbered, set(ids.tolist()), folder)
        return [by_number[number] for number in ids.tolist()]
    if len(names) != len(ids):
        raise ValueError(
            f"'{folder}' has {len(names):,} pictures for {len(ids):,} items, and none is named "
            f"{missing} ({missing}.png): it takes one for every item."
        )
    if len(numbered) == len(names):
        raise ValueError(
            f"'{folder}' has pictures named by numbers, and none for the item {missing} "
            f"({missing}.png): such names take the items' ids."
        )
    return names


def _check_distinct(numbered: list[tuple[int, str]], ids: set[int], folder: Path) -> None:
    """Raise if an id has two pictures."""
    seen: dict[int, str] = {}
    for number, name in numbered:
        if number in seen and number in ids:
            raise ValueError(
                f"'{folder}' has '{seen[number]}' and '{name}': an item takes one picture."
            )
        seen[number] = name


def _read_inside(folder: Path, name: str) -> bytes:
    """Return a file of the folder, if it is one still: no link, no pipe, nothing very large."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(folder / name, flags | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise PictureError(f"'{name}' cannot be read: {error.strerror}.") from error
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_FILE_BYTES:
            raise PictureError(f"'{name}' is no file of at most {MAX_FILE_BYTES:,} bytes.")
        return file.read(MAX_FILE_BYTES)
