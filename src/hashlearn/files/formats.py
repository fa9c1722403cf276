"""The formats of hashlearn's files, and how a broken file is refused."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from safetensors import SafetensorError

from hashlearn.files.errors import (
    CheckpointFileError,
    FileFormatError,
    IndexFileError,
    ModelFileError,
)

BROKEN = (  # what reading a file that hashlearn did not write can raise, beside OSError
    SafetensorError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True)
class Format:
    """A format: its name in files, what people call it, its version, who reads it."""

    name: str
    noun: str
    version: int
    reader: str
    error: type[FileFormatError]


MODEL = Format("hashlearn-model", "model", 1, "hashlearn.load", ModelFileError)
INDEX = Format("hashlearn-index", "index", 1, "HammingIndex.load", IndexFileError)
CHECKPOINT = Format("hashlearn-checkpoint", "checkpoint", 1, "checkpoint=", CheckpointFileError)
FORMATS = {known.name: known for known in (MODEL, INDEX, CHECKPOINT)}


@contextmanager
def refusing_broken_files(path: str | os.PathLike[str], format: Format) -> Iterator[None]:
    """Turn whatever a broken file raises into the error of its format, which names the file.

    Examples
    --------
    >>> with refusing_broken_files("cats.index", INDEX):
    ...     raise FileFormatError("it is truncated")
    Traceback (most recent call last):
    hashlearn.files.errors.IndexFileError: 'cats.index' cannot be loaded: it is truncated.
    """
    try:
        yield
    except FileFormatError as error:
        raise format.error(f"{os.fspath(path)!r} cannot be loaded: {error}.") from error
    except BROKEN as error:
        raise format.error(
            f"{os.fspath(path)!r} is not a whole {format.noun} file: {error}."
        ) from error
