"""Errors and warnings about hashlearn's files."""

from __future__ import annotations


class FileFormatError(ValueError):
    """A file is not a whole file of the kind that was asked for.

    It may be truncated, damaged, of another format or of a newer format. A file that does not
    exist or cannot be read is an `OSError`.
    """


class ModelFileError(FileFormatError):
    """A file is not a whole model file that this version of hashlearn can read.

    It may also need a class that is not registered in this program.
    """


class IndexFileError(FileFormatError):
    """A file is not a whole index file that this version of hashlearn can read."""


class CheckpointFileError(FileFormatError):
    """A file of a checkpoint is not whole; delete the folder to start again."""


class ModelVersionWarning(UserWarning):
    """A model file was written by a newer version of hashlearn than the one that reads it."""
