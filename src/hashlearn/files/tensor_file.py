"""What model and index files share: arrays and a JSON document in one safetensors file.

The file's metadata holds one entry, named by the format (``hashlearn-index``): a JSON document
with the format's version, the version of hashlearn that wrote it, the content, the place, shape
and SHA-256 digest of every array, and a digest of the document itself. So sizes and document
are always checked, and the arrays whenever it is asked for; opening a file reads its header
only. Nothing in a file is ever executed or imported. The digests find damage, not forgery: load
files that you trust, as with any data.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
from safetensors import safe_open

from hashlearn._version import __version__
from hashlearn.files.atomic import atomic_writer
from hashlearn.files.errors import FileFormatError
from hashlearn.files.formats import BROKEN, FORMATS, Format, refusing_broken_files
from hashlearn.files.tensor_bytes import (
    Entry,
    check_digests,
    lay_out,
    map_arrays,
    read_arrays,
    write_array,
)

MAX_HEADER_BYTES = 100_000_000  # what safetensors reads
NO_DIGEST = "0" * 64  # holds the place of a digest, all of which are equally long
METADATA = "__metadata__"


def write_tensors(
    path: str | os.PathLike[str],
    format: Format,
    content: Any,
    tensors: Mapping[str, np.ndarray],
) -> None:
    """Write arrays and a content that JSON can hold to a file, atomically and in blocks.

    Parameters
    ----------
    path : str or path-like
        The file to write, or to replace.
    format : Format
        What the file is.
    content : JSON value
        All that is not in the arrays.
    tensors : mapping of str to ndarray
        Booleans, integers and floats, of any memory layout, also memory-mapped.

    Examples
    --------
    >>> import tempfile
    >>> from hashlearn.files.formats import INDEX
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_tensors(f"{folder}/index", INDEX, {"n_bits": 8}, {"ids": np.arange(3)})
    ...     document, tensors = read_tensors(f"{folder}/index", INDEX, mmap=False, verify=True)
    >>> document["content"], tensors
    ({'n_bits': 8}, {'ids': array([0, 1, 2])})
    """
    entries = lay_out(tensors)
    digests = dict.fromkeys(entries, NO_DIGEST)
    header = _header(format, content, entries, digests)
    if len(header) > MAX_HEADER_BYTES:
        raise ValueError(
            f"the {format.noun} has {len(header):,} bytes outside of its arrays; "
            f"a file takes up to {MAX_HEADER_BYTES:,}."
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

    Parameters
    ----------
    path : str or path-like
        The file.
    format : Format
        What the file must be.
    mmap : bool
        Whether the arrays are read-only views of the file, read when they are used, instead of
        copies in memory.
    verify : bool
        Whether the arrays are checked against their digests, which reads all of them.

    Returns
    -------
    document : dict
        With the keys "content", "format_version", "hashlearn_version" and others.
    tensors : dict of str to ndarray

    Raises
    ------
    OSError
        If there is no such file, or it cannot be read.
    FileFormatError
        Of the format's class, if the file is anything else than a whole file of the format.
    """
    with open(path, "rb") as file, refusing_broken_files(path, format):
        header, start = _read_header(file)
        with safe_open(path, framework="np"):  # checks that the arrays fill the file, no gaps
            pass
        document = _read_document(header.pop(METADATA, None) or {}, format)
        if header != document["tensors"]:
            raise FileFormatError("it is damaged, its arrays are not those of its document")
        tensors = (map_arrays if mmap else read_arrays)(file, header, start)
        if verify:
            check_digests(tensors, document["digests"])
    return document, tensors


def file_format(path: str | os.PathLike[str]) -> str | None:
    """Tell by its header which of hashlearn's files a file is, whole or not.

    Returns
    -------
    name : {"hashlearn-model", "hashlearn-index"} or None
        None for every other file.

    Examples
    --------
    >>> import tempfile
    >>> from hashlearn.files.formats import INDEX
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     file_format(file.name)
    ...     write_tensors(file.name, INDEX, {"n_bits": 8}, {})
    ...     file_format(file.name)
    'hashlearn-index'
    """
    with open(path, "rb") as file:
        try:
            metadata = _read_header(file)[0][METADATA]
            return next((name for name in FORMATS if name in metadata), None)
        except BROKEN:
            return None


def _header(
    format: Format, content: Any, entries: Mapping[str, Entry], digests: Mapping[str, str]
) -> bytes:
    """Return all that stands before the arrays; other digests do not change its length."""
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
        raise FileFormatError("it is damaged, its checksum does not fit its content")
    return document


def _check_version(document: dict[str, Any], format: Format) -> None:
    """Check that a document is of a version that this hashlearn reads."""
    version = document.get("format_version")
    if type(version) is not int or version < 1:
        raise FileFormatError(f"its format version {version!r} is not known")
    if version > format.version:
        raise FileFormatError(
            f"it has format version {version}, this hashlearn {__version__} reads versions "
            f"up to {format.version}; a newer hashlearn can load it"
        )
    if not isinstance(document.get("hashlearn_version"), str):
        raise FileFormatError("it does not say which version of hashlearn wrote it")


def _canonical_json(document: Any) -> str:
    """Return a document as the one text that stands for it."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _digest(document: Any) -> str:
    """Return the SHA-256 digest of a document."""
    return hashlib.sha256(_canonical_json(document).encode()).hexdigest()
