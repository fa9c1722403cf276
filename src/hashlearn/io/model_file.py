"""Model files: a fitted hasher as one safetensors file.

The arrays are the file's tensors. Its metadata holds one entry, ``hashlearn-model``: a JSON
document with the format's version, the version of hashlearn that wrote it, the model (see
:mod:`hashlearn.io.codec`) and a SHA-256 digest of all of that, document and tensors. Nothing
in a file is ever executed or imported. The digest finds damage, not forgery: load files that
you trust, as with any data.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from typing import Any

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError, safe_open

from hashlearn._version import __version__
from hashlearn.io.atomic import atomic_writer
from hashlearn.io.codec import Decoder, Encoder
from hashlearn.io.errors import ModelFileError, ModelVersionWarning

FORMAT = "hashlearn-model"
FORMAT_VERSION = 1
MAX_HEADER_BYTES = 90_000_000  # safetensors reads headers of up to 100 MB, names and shapes too
# safetensors' names of the dtypes that hashlearn writes; numpy lacks some of its others.
TENSOR_DTYPES = {f"{kind}{bits}" for kind in "IU" for bits in (8, 16, 32, 64)}
TENSOR_DTYPES |= {"F16", "F32", "F64", "BOOL"}
BROKEN = (  # what checked reading of a file that was not written by save_model can raise
    SafetensorError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def save_model(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write an estimator, fitted or not, to a file.

    The file is written under a temporary name and renamed when it is whole, so a crash leaves
    an older file of that name as it was.

    Parameters
    ----------
    estimator : estimator
        Its class, and the class of every part, is registered (see
        :mod:`hashlearn.io.storable`).
    path : str or path-like
        The file to write, or to replace.

    Raises
    ------
    TypeError
        If a parameter or fitted attribute cannot be stored, such as a function or a classifier
        that is not hashlearn's. Nothing is written then.

    Examples
    --------
    >>> import tempfile
    >>> from hashlearn.losses.hinge import HingeLoss
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(HingeLoss(rho=3), f"{folder}/loss.hashlearn")
    ...     load_model(f"{folder}/loss.hashlearn")
    HingeLoss(rho=3)
    """
    encoder = Encoder()
    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "hashlearn_version": __version__,
        "model": encoder.encode(estimator, path=""),
    }
    document["sha256"] = _digest(document, encoder.tensors)
    header = _canonical_json(document)
    if len(header) > MAX_HEADER_BYTES:
        raise ValueError(
            f"the model has {len(header):,} bytes outside of its arrays; "
            f"a model file takes up to {MAX_HEADER_BYTES:,}."
        )
    with atomic_writer(path) as file:
        file.write(safetensors.numpy.save(encoder.tensors, metadata={FORMAT: header}))


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read the estimator that :func:`save_model` wrote.

    Parameters
    ----------
    path : str or path-like
        A model file.

    Returns
    -------
    estimator : estimator
        Of the class that was saved, with its parameters and fitted attributes.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ModelFileError
        If the file is truncated, damaged, of another or a newer format, or needs a class that
        is not registered.

    Warns
    -----
    ModelVersionWarning
        If a newer version of hashlearn wrote the file.
    """
    with open(path, "rb"):  # a file that is missing or not readable is no broken model file
        pass
    try:
        document, tensors = _read(path)
        model = Decoder(tensors).decode(document["model"])
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)!r} cannot be loaded: {error}.") from error
    except BROKEN as error:
        raise ModelFileError(f"{os.fspath(path)!r} is not a whole model file: {error}.") from error
    _warn_if_newer(path, document["hashlearn_version"])
    return model


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the document and the tensors of a model file, checked."""
    with safe_open(path, framework="np") as file:
        document = _parse((file.metadata() or {}).get(FORMAT))
        names = file.keys()
        if any(file.get_slice(name).get_dtype() not in TENSOR_DTYPES for name in names):
            raise ModelFileError("it holds an array of a dtype that no model file has")
        # Copies: aligned, writable, and independent of what happens to the file.
        tensors = {name: np.array(file.get_tensor(name)) for name in names}
    if document.pop("sha256", None) != _digest(document, tensors):
        raise ModelFileError("it is damaged, its checksum does not fit its content")
    return document, tensors


def _parse(header: str | None) -> dict[str, Any]:
    """Return the JSON document of a model file of a format that can be read."""
    document = json.loads(header) if header is not None else None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError("it is a safetensors file, but not one of hashlearn's")
    version = document.get("format_version")
    if not isinstance(version, int) or version < 1:
        raise ModelFileError(f"its format version {version!r} is not known")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"it has format version {version}, this hashlearn {__version__} reads versions "
            f"up to {FORMAT_VERSION}; a newer hashlearn can load it"
        )
    if not isinstance(document.get("hashlearn_version"), str):
        raise ModelFileError("it does not say which version of hashlearn wrote it")
    return document


def _canonical_json(document: dict[str, Any]) -> str:
    """Return a document as the one text that stands for it."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _digest(document: dict[str, Any], tensors: dict[str, np.ndarray]) -> str:
    """Return the SHA-256 digest of a document without digest and of its tensors."""
    digest = hashlib.sha256(_canonical_json(document).encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(json.dumps([name, tensor.dtype.name, tensor.shape]).encode())
        digest.update(tensor.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _warn_if_newer(path: str | os.PathLike[str], version: str) -> None:
    """Warn of a file that a newer hashlearn wrote."""
    if _release(version) > _release(__version__):
        warnings.warn(
            f"{os.fspath(path)!r} was written by hashlearn {version} and is read by the older "
            f"{__version__}: it may behave differently here.",
            ModelVersionWarning,
            stacklevel=3,
        )


def _release(version: str) -> tuple[int, ...]:
    """Return the numbers that a version starts with.

    Examples
    --------
    >>> _release("1.10.0rc1")
    (1, 10, 0)
    """
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, match.group().split("."))) if match else ()
