"""A collection made of the user's codes, ids, labels, and images or texts."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np

from hashlearn._numerics.ids import as_ids
from hashlearn.explorer.collection.coded import CodedItems
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.collection.displays import Display, IdDisplay, TextLines
from hashlearn.explorer.collection.images import ImageArray, ImageFolder
from hashlearn.explorer.collection.labels import Labels
from hashlearn.explorer.collection.matching import Images, find_reader
from hashlearn.items import map_array


def open_collection(
    methods: Sequence[CodedItems],
    *,
    name: str = "items",
    ids: Any = None,
    labels: Any = None,
    label_names: Sequence[str] | None = None,
    images: np.ndarray | str | os.PathLike[str] | None = None,
    text: Sequence[str] | str | os.PathLike[str] | None = None,
    features: str | None = None,
    verbose: int = 0,
) -> Collection:
    """Make a collection of codes, all in the same order, and of what is known about the items.

    `labels` are one value per item, or a 0/1 indicator. `images` are an array, a file of one (.npy
    or .npz), or a folder whose images are matched by id, or else in sorted order. `text` has a line
    per item, or is a file of lines. `features` ("pixels" or "gist") are what the models were
    learned from, for uploaded images; by default, pixels are tried.
    """
    n_items = len(methods[0]) if methods else 0
    ids = np.arange(n_items) if ids is None else as_ids(ids)
    if images is not None and text is not None:
        raise ValueError(
            "images and text cannot be given together: items are shown as one of them."
        )
    if images is None and features is not None:
        raise ValueError(f"features={features!r} needs images of the items; none are given.")
    shown = None if images is None else _open_images(images, ids)
    return Collection(
        name=name,
        ids=ids,
        display=_display(shown, text, ids),
        labels=None if labels is None else _labels(labels, label_names, n_items),
        methods={coded.name: coded for coded in methods},
        reader=None if shown is None else find_reader(shown, methods, features, verbose),
    )


def square_images(vectors: np.ndarray) -> np.ndarray:
    """Return vectors, pixels row by row with the colours of a pixel together, as square images."""
    n, width = vectors.shape
    for channels in ((), (3,)):
        side = isqrt(width // (channels[0] if channels else 1))
        shape = side, side, *channels
        if int(np.prod(shape)) == width:
            return vectors.reshape(n, *shape)
    raise ValueError(
        f"Items of {width:,} numbers are not square images, neither grey (n x n) nor "
        "in three colours (n x n x 3)."
    )


def _labels(labels: Any, names: Sequence[str] | None, n_items: int) -> Labels:
    made = Labels.from_values(labels, names)
    _check_count("labels", len(made), n_items)
    return made


def _display(images: Images | None, text: Any, ids: np.ndarray) -> Display:
    """Return how items are shown; raise if there is not one image or line for each."""
    if images is not None:
        _check_count("images", len(images), len(ids))
        return images
    if text is not None:
        is_file = isinstance(text, str | os.PathLike)
        lines = TextLines.from_file(text) if is_file else TextLines(text)
        _check_count("text", len(lines), len(ids))
        return lines
    return IdDisplay()


def _check_count(what: str, n_given: int, n_items: int) -> None:
    if n_given != n_items:
        raise ValueError(f"{what} must have {n_items:,} entries, one per item; got {n_given:,}.")


def _open_images(images: Any, ids: np.ndarray) -> Images:
    if isinstance(images, np.ndarray):
        return ImageArray(images)
    path = Path(images)
    if path.is_dir():
        return ImageFolder(path, ids)
    return ImageArray(_read_npz(path) if path.suffix.lower() == ".npz" else map_array(path))


def _read_npz(path: Path) -> np.ndarray:
    """Return the one array of an .npz file that can be images."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"'{path}' is truncated, or is not an .npz archive of numbers.") from error
    images = [array for array in arrays.values() if array.ndim in (3, 4)]
    if len(images) != 1:
        raise ValueError(
            f"'{path}' must have one array of images, (n, height, width) or "
            f"(n, height, width, 3); it has {len(images)}."
        )
    return images[0]
