"""A cache of features on disk, by the content of the images and the transformer's parameters.

A file is an ordinary `.npy` file, followed by a digest of its bytes and its key, so that a file
that was damaged, truncated or renamed is not used. `joblib.Memory` would be shorter, but unpickles
what it finds: whoever can write to a shared folder could run code in the programs that read it.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from hashlearn._numerics.arrays import byte_blocks
from hashlearn.files import FileFormatError, atomic_writer, cache_folder

DIGEST_BYTES = hashlib.sha256().digest_size


def cached_transform(
    transformer: Any, images: Any, folder: str | os.PathLike[str] | None = None
) -> np.ndarray:
    """Return a transformer's features of images, computed only if they are not on disk.

    Parameters
    ----------
    transformer : estimator
        One that needs no `fit`, and whose parameters are numbers, strings, lists or arrays, such
        as :class:`GIST`. `n_jobs` is ignored.
    images : array-like
        The input of the transformer.
    folder : str or path-like, optional
        The folder of the files, created if it does not exist. By default `$HASHLEARN_CACHE`, else
        `$XDG_CACHE_HOME/hashlearn`, else `~/.cache/hashlearn`. If it cannot be written, there is
        a warning and nothing is cached.

    Returns
    -------
    features : ndarray of shape (n, n_features)

    Examples
    --------
    >>> import os
    >>> import tempfile
    >>> import numpy as np
    >>> from hashlearn.features import GIST, cached_transform
    >>> images = np.random.default_rng(0).random((3, 16, 16))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     features = cached_transform(GIST(), images, folder)
    ...     again = cached_transform(GIST(), images, folder)  # is read
    ...     len(os.listdir(folder)), np.array_equal(features, again)
    (1, True)
    """
    if get_tags(transformer).requires_fit:
        raise ValueError(
            f"transformer must need no fit; got {transformer!r}, whose features depend on what it "
            "was fitted to."
        )
    images = np.asarray(images)
    if images.ndim == 0 or images.dtype.hasobject:
        raise TypeError("images must be an array of numbers with one item per row.")
    key = _key(transformer, images)
    home = cache_folder() if folder is None else Path(folder)
    path = home / f"{type(transformer).__name__.lower()}-{key}.npy"
    try:
        return _read(path, key)
    except (OSError, ValueError):  # missing, unreadable or damaged
        features = np.asarray(transformer.transform(images))
    if features.dtype.hasobject:
        raise TypeError(f"transformer must return dense numbers; {transformer!r} does not.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, key, features)
    except OSError as error:
        warnings.warn(f"The features are not cached: {error}", stacklevel=2)
    return features


def _key(transformer: Any, images: np.ndarray) -> str:
    """Return a digest of everything that the features depend on."""
    kind = type(transformer)
    params = {name: value for name, value in transformer.get_params().items() if name != "n_jobs"}
    try:
        settings = json.dumps(params, sort_keys=True, default=_as_list)
    except TypeError as error:
        raise TypeError(
            "The parameters of transformer must be numbers, strings, lists or arrays; "
            f"got {transformer!r} ({error})."
        ) from error
    version = getattr(transformer, "features_version", None)
    facts = [kind.__module__, kind.__qualname__, version, settings, images.shape, images.dtype.str]
    digest = hashlib.sha256(json.dumps(facts).encode())
    for block in byte_blocks(images):
        digest.update(block)
    return digest.hexdigest()


def _as_list(value: Any) -> Any:
    """Return NumPy's numbers and arrays as JSON values."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r} is of {type(value)}")


def _write(path: Path, key: str, features: np.ndarray) -> None:
    """Write features, and a digest to check them by."""
    features = np.ascontiguousarray(features)
    header = BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(features))
    with atomic_writer(path) as file:
        digest = hashlib.sha256(key.encode())
        for part in chain([memoryview(header.getvalue())], byte_blocks(features)):
            file.write(part)
            digest.update(part)
        file.write(digest.digest())


def _read(path: Path, key: str) -> np.ndarray:
    """Return the features in a file; raise ValueError if they are not what was written."""
    content = np.memmap(path, dtype=np.uint8, mode="r")
    digest = hashlib.sha256(key.encode())
    digest.update(content[:-DIGEST_BYTES].data)
    if digest.digest() != content[-DIGEST_BYTES:].tobytes():
        raise FileFormatError(f"{path} is damaged, or does not belong to {key}")
    return np.load(path, allow_pickle=False)
