"""Arrays and a JSON document in one safetensors file: what all of hashlearn's formats share.

The file's metadata has one entry, named after the format (``hashlearn-index``): a JSON document
with the format's version, the version of hashlearn that wrote it, the content, the place, shape
and SHA-256 digest of every array, and a digest of the document itself. Sizes and document are
always checked, the arrays on request; opening a file reads its header only. Nothing in a file is
ever executed or imported. The digests detect damage, not forgery: load only files that you trust.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from safetensors import SafetensorError, safe_open

from hashlearn._version import __version__
from hashlearn.files._tensor_bytes import (
    Entry,
    check_digests,
    lay_out,
    map_arrays,
    read_arrays,
    write_array,
)
from hashlearn.files.errors import (
    CheckpointFileError,
    FileFormatError,
    IndexFileError,
    ModelFileError,
)
from hashlearn.files.writing import atomic_writer

BROKEN = (  # what reading a file that hashlearn did not write can raise, besides OSError
    SafetensorError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
MAX_HEADER_BYTES = 100_000_000  # the limit of safetensors
NO_DIGEST = "0" * 64  # placeholder; all digests have this length
METADATA = "__metadata__"


@dataclass(frozen=True)
class Format:
    """A file format: its name in files, its noun in messages, its version, reader and error."""

    name: str
    noun: str
    version: int
    reader: str
    error: type[FileFormatError]


MODEL = Format("hashlearn-model", "model", 1, "hashlearn.load", ModelFileError)
INDEX = Format("hashlearn-index", "index", 2, "HammingIndex.load", IndexFileError)
CHECKPOINT = Format("hashlearn-checkpoint", "checkpoint", 1, "checkpoint=", CheckpointFileError)
FORMATS = {known.name: known for known in (MODEL, INDEX, CHECKPOINT)}


class FileInfo(NamedTuple):
    """The kind of a file of hashlearn, and the versions that it was written with.

    Attributes
    ----------
    kind : {"model", "index", "checkpoint"}
        What the file holds.
    format_version : int or None
        The version of the format; None if the header is damaged.
    hashlearn_version : str or None
        The version of hashlearn that wrote the file; None if the header is damaged.
    """

    kind: str
    format_version: int | None = None
    hashlearn_version: str | None = None


def file_info(path: str | os.PathLike[str]) -> FileInfo | None:
    """Tell from its header which of hashlearn's files a file is, whole or damaged.

    Parameters
    ----------
    path : str or path-like
        Any file.

    Returns
    -------
    info : FileInfo or None
        None for a file that hashlearn did not write.

    Examples
    --------
    >>> import tempfile
    >>> from hashlearn import HammingIndex
    >>> from hashlearn.files import file_info
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     HammingIndex(n_bits=8).save(file.name)
    ...     file_info(file.name).kind
    'index'
    """
    with open(path, "rb") as file:
        try:
            metadata = _read_header(file)[0][METADATA]
            known = next((known for known in FORMATS.values() if known.name in metadata), None)
        except BROKEN:
            return None
    if known is None:
        return None
    try:
        document = json.loads(metadata[known.name])
        return FileInfo(known.noun, document["format_version"], document["hashlearn_version"])
    except BROKEN:
        return FileInfo(known.noun)


@contextmanager
def refusing_broken_files(path: str | os.PathLike[str], format: Format) -> Iterator[None]:
    """Turn whatever a broken file raises into the error of its format, which names the file."""
    try:
        yield
    except FileFormatError as error:
        raise format.error(f"{os.fspath(path)!r} cannot be loaded: {error}.") from error
    except BROKEN as error:
        raise format.error(
            f"{os.fspath(path)!r} is not a whole {format.noun} file: {error}."
        ) from error


def write_tensors(
    path: str | os.PathLike[str],
    format: Format,
    content: Any,
    tensors: Mapping[str, np.ndarray],
) -> None:
    """Write arrays and a JSON value to a file, atomically and in blocks.

    The arrays are of booleans, integers or floats, of any memory layout, also memory-mapped.
    """
    entries = lay_out(tensors)
    digests = dict.fromkeys(entries, NO_DIGEST)
    header = _header(format, content, entries, digests)
    if len(header) > MAX_HEADER_BYTES:
        raise ValueError(
            f"the {format.noun} has {len(header):,} bytes outside of its arrays; "
            f"a file can hold at most {MAX_HEADER_BYTES:,}."
        )
    with atomic_writer(path) as file:
        file.write(header)
        for name in entries:
            digests[name] = write_array(file, tensors[name])
        file.seek(0)  # the arrays are read only once, so their digests are known only now
        file.write(_header(format, content, entries, digests))


def read_tensors(
    path: str | os.PathLike[str], format: Format, *, mmap: bool, verify: bool
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read the document and the arrays of a file that :func:`write_tensors` wrote.

    With `mmap`, the arrays are read-only views of the file instead of copies in memory. With
    `verify`, they are read whole and checked against their digests.
    """
    with open(path, "rb") as file, refusing_broken_files(path, format):
        header, start = _read_header(file)
        with safe_open(path, framework="np"):  # checks that the arrays fill the file, no gaps
            pass
        document = _read_document(header.pop(METADATA, None) or {}, format)
        if header != document["tensors"]:
            raise FileFormatError("it is damaged: its arrays are not those of its document")
        tensors = (map_arrays if mmap else read_arrays)(file, header, start)
        if verify:
            check_digests(tensors, document["digests"])
    return document, tensors


def _header(
    format: Format, content: Any, entries: Mapping[str, Entry], digests: Mapping[str, str]
) -> bytes:
    """Return everything before the arrays; its length does not depend on the digests."""
    document = {
        "format": format.name,
        "format_version": format.version,
        "hashlearn_version": __version__,
        "content": content,
        "tensors": entries,
        "digests": digests,
    }
    document["sha256"] = _digest(document)
    header = {METADATA: {format.name: _canonical_json(document)}, **entries}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the arrays start aligned
    return struct.pack("<Q", len(text)) + text


def _read_header(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """Return the JSON header of a safetensors file, and where its arrays begin."""
    size = os.fstat(file.fileno()).st_size
    start = 8 + int.from_bytes(file.read(8), "little")
    if size == 0:
        raise FileFormatError("it is empty")
    if not 8 < start <= min(size, 8 + MAX_HEADER_BYTES):
        raise FileFormatError("it is truncated, or not one of hashlearn's files")
    return json.loads(file.read(start - 8).decode()), start


def _read_document(metadata: Mapping[str, str], format: Format) -> dict[str, Any]:
    """Return the document in a file's metadata, whole and of a version that can be read."""
    for other in FORMATS.values():
        if other.name in metadata and other != format:
            article = "an" if format.noun[0] in "aeiou" else "a"
            raise FileFormatError(
                f"it is a hashlearn {other.noun}, not {article} {format.noun}; "
                f"{other.reader} reads it"
            )
    document = json.loads(metadata[format.name]) if format.name in metadata else None
    if not isinstance(document, dict) or document.get("format") != format.name:
        raise FileFormatError("it is a safetensors file, but not one of hashlearn's")
    _check_version(document, format)
    if document.pop("sha256", None) != _digest(document):
        raise FileFormatError("it is damaged: its checksum does not match its content")
    return document


def _check_version(document: dict[str, Any], format: Format) -> None:
    version = document.get("format_version")
    if type(version) is not int or version < 1:
        raise FileFormatError(f"its format version {version!r} is not known")
    if version > format.version:
        raise FileFormatError(
            f"it was written by hashlearn {document.get('hashlearn_version')} in format version "
            f"{version}, and this is {__version__}, which reads versions up to {format.version}: "
            "upgrade hashlearn"
        )
    if not isinstance(document.get("hashlearn_version"), str):
        raise FileFormatError("it does not say which version of hashlearn wrote it")


def _canonical_json(document: Any) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _digest(document: Any) -> str:
    return hashlib.sha256(_canonical_json(document).encode()).hexdigest()
