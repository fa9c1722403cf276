"""A collection of what a user has: codes, ids, labels, and pictures or texts."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np

from hashlearn.explorer.collection.coded import CodedItems
from hashlearn.explorer.collection.collection import Collection, Display, IdDisplay, Reader
from hashlearn.explorer.collection.displays import TextLines
from hashlearn.explorer.collection.images import ImageArray, ImageFolder
from hashlearn.explorer.collection.labels import Labels
from hashlearn.explorer.collection.matching import find_reader
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
    """Put codes and what is known of the items together.

    Parameters
    ----------
    methods : sequence of CodedItems
        Codes of the same items in the same order, by one method or several.
    name : str, default="items"
        What the collection is called.
    ids : array-like of shape (n,), int64, optional
        Unless given, 0, 1, 2, ...
    labels : array-like of shape (n,) or (n, n_labels), optional
        Numbers or text; or 0/1 for several labels each.
    label_names : sequence of str, optional
        The names of several labels.
    images : ndarray, str or path-like, optional
        Pictures of the items, (n, height, width) or (n, height, width, 3); a file of them, .npy or
        .npz; or a folder, see :class:`~hashlearn.explorer.collection.images.ImageFolder`.
    text : sequence of str, str or path-like, optional
        A line per item, or a file of lines.
    features : {"pixels", "gist"}, optional
        What the models were learned from, for pictures that are dropped on the page. Unless
        given, pixels are tried; a warning says if these give other codes than the items have.
    verbose : int, default=0
        Above 0, a line on standard error says why pictures cannot be dropped.

    Returns
    -------
    collection : Collection

    Examples
    --------
    >>> coded = CodedItems("lsh", "Random bits", np.array([[128], [64]], np.uint8), n_bits=2)
    >>> open_collection([coded], labels=["cat", "dog"], text=["it purrs", "it barks"]).n_items
    2
    """
    n_items = len(methods[0]) if methods else 0
    taken = np.arange(n_items) if ids is None else np.asarray(ids, dtype=np.int64)
    display = _display(images, text, taken)
    return Collection(
        name=name,
        ids=taken,
        display=display,
        labels=None if labels is None else _labels(labels, label_names, n_items),
        methods={coded.name: coded for coded in methods},
        reader=_reader(display, methods, features, verbose),
    )


def square_images(vectors: np.ndarray) -> np.ndarray:
    """Return vectors as square pictures, grey or in colours.

    Parameters
    ----------
    vectors : ndarray of shape (n, side * side) or (n, side * side * 3)
        Pixels row by row; of colours the three values one after the other.

    Examples
    --------
    >>> square_images(np.zeros((5, 64))).shape, square_images(np.zeros((5, 3072))).shape
    ((5, 8, 8), (5, 32, 32, 3))
    """
    n, width = vectors.shape
    for channels in ((), (3,)):
        side = isqrt(width // (channels[0] if channels else 1))
        shape = side, side, *channels
        if int(np.prod(shape)) == width:
            return vectors.reshape(n, *shape)
    raise ValueError(
        f"items of {width:,} numbers are no square pictures, grey (n x n) or "
        "in three colours (n x n x 3)."
    )


def _labels(labels: Any, names: Sequence[str] | None, n_items: int) -> Labels:
    made = Labels.from_values(labels, names)
    _check_count("labels", len(made), n_items)
    return made


def _display(images: Any, text: Any, ids: np.ndarray) -> Display:
    """Return how items are shown; raise if there is not one picture or line for each."""
    if images is not None and text is not None:
        raise ValueError("images and text are given: items are shown by one of them.")
    if images is not None:
        pictures = _open_images(images, ids)
        _check_count("images", len(pictures), len(ids))
        return pictures
    if text is not None:
        is_file = isinstance(text, str | os.PathLike)
        lines = TextLines.from_file(text) if is_file else TextLines(text)
        _check_count("text", len(lines), len(ids))
        return lines
    return IdDisplay()


def _check_count(what: str, n_given: int, n_items: int) -> None:
    if n_given != n_items:
        raise ValueError(f"{what} has {n_given:,} entries for {n_items:,} items: one for each.")


def _reader(
    display: Display, methods: Sequence[CodedItems], features: str | None, verbose: int
) -> Reader | None:
    if isinstance(display, ImageArray | ImageFolder):
        return find_reader(display, methods, features, verbose)
    if features is not None:
        raise ValueError(f"features={features!r} needs images of the items.")
    return None


def _open_images(images: Any, ids: np.ndarray) -> ImageArray | ImageFolder:
    if isinstance(images, np.ndarray):
        return ImageArray(images)
    path = Path(images)
    if path.is_dir():
        return ImageFolder(path, ids)
    return ImageArray(_read_npz(path) if path.suffix.lower() == ".npz" else map_array(path))


def _read_npz(path: Path) -> np.ndarray:
    """Return the one array of an .npz file that can be pictures."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"'{path}' is not a whole .npz archive of numbers.") from error
    pictures = [array for array in arrays.values() if array.ndim in (3, 4)]
    if len(pictures) != 1:
        raise ValueError(
            f"'{path}' has {len(pictures)} arrays that can be pictures, (n, height, width) or "
            "(n, height, width, 3): it takes one."
        )
    return pictures[0]
